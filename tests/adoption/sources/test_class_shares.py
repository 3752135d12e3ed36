"""Class shares: stated, released, estimated."""

import numpy as np
import pytest
from scipy.special import expit, softmax

from tacit.adoption.sources.class_shares import estimated_shares, moved_scores, normalised, stated_shares
from tacit.errors import InputError


def scores_of(share: float, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two normal classes, scored by the log-odds of equal shares."""
    draw = np.random.default_rng(seed)
    y = (draw.random(n) < share).astype(int)
    x = draw.normal(size=n) + 2 * y
    margin = 2 * x - 2
    return np.stack([-margin / 2, margin / 2], axis=1), y


def test_stated_shares_are_taken_by_name_and_divided_by_their_sum() -> None:
    assert stated_shares({"b": 3, "a": 1}, ("a", "b")) == pytest.approx([0.25, 0.75])


@pytest.mark.parametrize("stated", [{"a": 1.0}, {"a": 1.0, "c": 1.0}, {"a": -1.0, "b": 2.0}, {"a": 0.0, "b": 0.0}])
def test_shares_that_miss_a_class_or_make_no_sense_are_refused(stated: dict[str, float]) -> None:
    with pytest.raises(InputError, match="shares must"):
        stated_shares(stated, ("a", "b"))


def test_noisy_counts_below_zero_become_small_shares() -> None:
    shares = normalised(np.array([-5.0, 10.0, 30.0]))
    assert shares.sum() == pytest.approx(1)
    assert shares.min() > 0


def test_moved_scores_are_the_log_odds_under_the_new_shares() -> None:
    scores, y = scores_of(0.1, 40_000, 0)
    moved = scores + moved_scores(scores, np.array([0.9, 0.1]), released=np.array([0.5, 0.5]))
    p = softmax(moved, axis=1)[:, 1]
    near = (p > 0.2) & (p < 0.4)
    assert y[near].mean() == pytest.approx(p[near].mean(), abs=0.03)


def test_without_released_shares_the_mean_probability_becomes_the_stated_share() -> None:
    scores, _ = scores_of(0.5, 2000, 0)
    correction = moved_scores(scores, np.array([0.8, 0.2]))
    assert softmax(scores + correction, axis=1).mean(axis=0) == pytest.approx([0.8, 0.2], abs=1e-6)


def test_estimated_shares_are_near_the_truth_where_only_shares_differ() -> None:
    scores, y = scores_of(0.15, 20_000, 1)
    shares = estimated_shares(scores, np.array([0.5, 0.5]))
    assert shares[1] == pytest.approx(y.mean(), abs=0.01)


def test_estimated_shares_have_the_largest_likelihood() -> None:
    scores, _ = scores_of(0.3, 500, 2)
    p = expit(scores[:, 1] - scores[:, 0])

    def likelihood(share: float) -> float:
        return float(np.log((1 - p) * (1 - share) / 0.5 + p * share / 0.5).sum())

    best = max(np.linspace(0.01, 0.99, 981), key=likelihood)
    assert estimated_shares(scores, np.array([0.5, 0.5]))[1] == pytest.approx(best, abs=0.002)
