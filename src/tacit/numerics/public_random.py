"""Chance that protects nothing: the same numbers as scikit-learn's ``check_random_state``, without loading it."""

from numpy.random import RandomState  # noqa: TID251 - public randomness: splits, landmarks, invented rows; never noise

PublicRandom = RandomState


def public_random(seed: int | RandomState | None = None) -> RandomState:
    """Return a generator that starts at ``seed``, a fresh one for None, or the given one itself."""
    return seed if isinstance(seed, RandomState) else RandomState(seed)
