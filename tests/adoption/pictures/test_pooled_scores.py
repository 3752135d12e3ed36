import numpy as np
import pytest
from scipy.special import softmax

from tacit.adoption.pictures.pooled_scores import JOINED_ONLY, PARTS, PRIOR, joined_part, pool_weights, pooled

OWN = np.random.RandomState(0).normal(size=(30, 3))
JOINED = OWN + np.random.RandomState(1).normal(size=(30, 3))
CODES = np.random.RandomState(2).randint(3, size=30)


def test_weights_are_the_posterior_of_the_three_hypotheses() -> None:
    likelihoods = []
    for part in PARTS:
        shares = softmax((1 - part) * OWN + part * JOINED, axis=1)
        likelihoods.append(np.prod([shares[row, code] for row, code in enumerate(CODES)]))
    expected = PRIOR * likelihoods / (PRIOR * likelihoods).sum()
    assert pool_weights(OWN, JOINED, CODES) == pytest.approx(expected)


def test_pooled_scores_are_logs_of_weighted_probabilities() -> None:
    weights = np.array([0.2, 0.3, 0.5])
    expected = sum(
        weight * softmax((1 - part) * OWN + part * JOINED, axis=1) for weight, part in zip(weights, PARTS, strict=True)
    )
    assert np.exp(pooled(weights, OWN, JOINED)) == pytest.approx(expected)
    assert joined_part(weights) == pytest.approx(0.65)


def test_scores_that_the_labels_refute_hardly_count() -> None:
    right = 6 * np.eye(3)[CODES]
    assert joined_part(pool_weights(right, -right, CODES)) < 1e-6
    assert joined_part(pool_weights(-right, right, CODES)) > 1 - 1e-6


def test_equal_scores_keep_the_prior_and_their_own_probabilities() -> None:
    weights = pool_weights(OWN, OWN, CODES)
    assert weights == pytest.approx(PRIOR)
    assert np.exp(pooled(weights, OWN, OWN)) == pytest.approx(softmax(OWN, axis=1))
    assert np.exp(pooled(JOINED_ONLY, OWN, JOINED)) == pytest.approx(softmax(JOINED, axis=1))


def test_without_labels_the_prior_stays() -> None:
    nothing = np.zeros((0, 3))
    assert pool_weights(nothing, nothing, np.zeros(0, dtype=int)) == pytest.approx(PRIOR)
