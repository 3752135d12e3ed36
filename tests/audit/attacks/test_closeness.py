import numpy as np
from tests.models.marginals.conftest import SCHEMA, people

from tacit.audit.attacks.closeness import closeness
from tacit.data.rows.encoding import encode

PRIVATE, HELD_OUT, OTHERS = (encode(people(600, seed), SCHEMA) for seed in (0, 1, 2))


def test_copies_are_caught() -> None:
    found = closeness(PRIVATE, HELD_OUT, PRIVATE)
    assert found.copies > 0.99
    assert found.nearer_share > 0.9
    assert found.attack.area > 0.9
    assert found.to_private == 0


def test_rows_with_little_noise_are_caught_too() -> None:
    noisy = encode(people(600, 0), SCHEMA)
    noisy.X[:, 0] = np.clip(noisy.X[:, 0] + np.random.default_rng(0).normal(0, 0.01, 600), 0, 1)
    found = closeness(PRIVATE, HELD_OUT, noisy)
    assert found.nearer_share > 0.9
    assert found.attack.tells_apart


def test_other_rows_are_as_near_to_either() -> None:
    found = closeness(PRIVATE, HELD_OUT, OTHERS)
    assert 0.42 < found.nearer_share < 0.58
    low, high = found.attack.area_interval
    assert low < 0.5 < high
