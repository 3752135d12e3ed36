import numpy as np
import pytest

from tacit.adoption.pictures.weighting import (
    PENALTY,
    centred,
    fitted_weights,
    gated_weights,
    negative_log_likelihood,
    probabilities,
)


def opinion(codes: np.ndarray, strength: float, seed: int, n_classes: int = 4) -> np.ndarray:
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(len(codes), n_classes))
    scores[np.arange(len(codes)), codes] += strength
    return centred(scores)


@pytest.fixture
def codes() -> np.ndarray:
    return np.arange(120) % 4


def test_the_loss_equals_a_loop(codes: np.ndarray) -> None:
    opinions = [opinion(codes, 1.0, 0), opinion(codes, 2.0, 1)]
    weights = np.array([0.7, 1.3])
    total = PENALTY * (0.7**2 + 1.3**2)
    for row, code in enumerate(codes):
        powers = np.exp(0.7 * opinions[0][row] + 1.3 * opinions[1][row])
        total -= np.log(powers[code] / powers.sum())
    assert negative_log_likelihood(weights, opinions, codes) == pytest.approx(total)


def test_fitted_weights_are_a_minimum(codes: np.ndarray) -> None:
    opinions = [opinion(codes, 1.0, 0), opinion(codes, 2.0, 1)]
    weights = fitted_weights(opinions, codes)
    least = negative_log_likelihood(weights, opinions, codes)
    for step in ([0.05, 0], [-0.05, 0], [0, 0.05], [0, -0.05]):
        assert negative_log_likelihood(weights + step, opinions, codes) >= least


def test_an_opinion_that_knows_passes_and_noise_does_not(codes: np.ndarray) -> None:
    own = [opinion(codes, 1.0, 0)]
    weights = gated_weights(own, [opinion(codes, 3.0, 1), opinion(codes, 0.0, 2)], codes)
    assert weights[1] > 0.5
    assert weights[2] == 0.0


def test_noise_passes_seldom(codes: np.ndarray) -> None:
    own = [opinion(codes, 2.0, 0)]
    passed = [gated_weights(own, [opinion(codes, 0.0, seed)], codes)[1] > 0 for seed in range(1, 60)]
    assert sum(passed) <= 6


def test_an_opinion_against_the_truth_is_dropped(codes: np.ndarray) -> None:
    own = [opinion(codes, 1.0, 0)]
    assert gated_weights(own, [-opinion(codes, 3.0, 1)], codes)[1] == 0.0


def test_probabilities_sum_to_one_even_for_huge_scores() -> None:
    assert np.allclose(probabilities(np.array([[1e4, 0.0], [-1e4, 3.0]])).sum(axis=1), 1.0)
