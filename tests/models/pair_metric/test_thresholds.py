import numpy as np
import pytest

from tacit.errors import InputError
from tacit.models.pair_metric.thresholds import best_threshold


def test_the_best_threshold_equals_a_search_over_all() -> None:
    rng = np.random.default_rng(4)
    for _ in range(100):
        distances, far = rng.integers(0, 6, 12) / 4, rng.random(12) < 0.5
        right = ((distances > best_threshold(distances, far)) == far).sum()
        candidates = [((distances > cut) == far).sum() for cut in np.arange(-0.1, 2.0, 0.05)]
        assert right == max(candidates)


def test_of_equal_thresholds_the_smallest_is_taken() -> None:
    distances = np.array([1.0, 2.0, 3.0])
    assert best_threshold(distances, np.array([False, True, True])) == 1.5
    assert best_threshold(distances, np.array([False, False, False])) == 3.0
    assert best_threshold(distances, np.array([True, True, True])) < 1.0


def test_without_pairs_there_is_no_threshold() -> None:
    with pytest.raises(InputError, match="at least one pair"):
        best_threshold(np.array([]), np.array([], bool))
