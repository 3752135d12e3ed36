"""Chance that protects nothing: the same numbers as scikit-learn's ``check_random_state``, without loading it."""

import numpy as np
from numpy.random import PCG64, Generator, RandomState  # noqa: TID251 - public randomness: splits, landmarks, invented rows; never noise

PublicRandom = RandomState
QuickRandom = Generator


def public_random(seed: int | RandomState | None = None) -> RandomState:
    """Return a generator that starts at ``seed``, a fresh one for None, or the given one itself."""
    return seed if isinstance(seed, RandomState) else RandomState(seed)


def quick_generator(random: RandomState) -> Generator:
    """Return a generator that starts where ``random`` says and draws normal numbers several times as fast."""
    return Generator(PCG64(random.randint(0, 2**32, size=4, dtype=np.uint32).tolist()))
