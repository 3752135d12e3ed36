"""Shares of a seed: enough of them give it back, fewer tell nothing."""

from itertools import combinations

import pytest

from tacit.situations.joint.seed_shares import joined_seed, split_seed


@pytest.mark.parametrize(("threshold", "count"), [(1, 3), (2, 2), (2, 5), (4, 6)])
def test_any_threshold_of_shares_gives_a_seed_back_and_fewer_do_not(threshold: int, count: int) -> None:
    seed = b"0123456789abcdef"
    shares = list(enumerate(split_seed(seed, threshold=threshold, count=count)))
    assert len(shares) == count
    for chosen in combinations(shares, threshold):
        assert joined_seed(chosen) == seed
    if threshold > 1:
        assert joined_seed(shares[: threshold - 1]) != seed
