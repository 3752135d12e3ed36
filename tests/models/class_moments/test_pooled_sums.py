"""Class sums of several owners as one."""

import numpy as np
import pytest

from tacit.models.class_moments.features import count_weight
from tacit.models.class_moments.pooled_sums import LEAST_COUNT, pooled_sums, safe_counts

COUNTS = [np.array([400.0, 900.0]), np.array([100.0, 300.0]), np.array([50.0, 20.0])]
SIGMAS = [5.0, 20.0, 1.0]
SUMS = [np.random.default_rng(place).normal(0, 30, (2, 7)) for place in range(3)]


def test_owners_alike_add_up() -> None:
    pooled = pooled_sums([SUMS[0]] * 4, [COUNTS[0]] * 4, [5.0] * 4)
    np.testing.assert_allclose(pooled.sums, 4 * SUMS[0])
    np.testing.assert_allclose(pooled.counts, 4 * COUNTS[0])
    assert pooled.sigma == pytest.approx(2 * 5.0)
    assert pooled.shares.tolist() == [0.25] * 4


def test_one_owner_stays_as_it_is() -> None:
    pooled = pooled_sums(SUMS[:1], COUNTS[:1], SIGMAS[:1])
    np.testing.assert_allclose(pooled.sums, SUMS[0])
    assert pooled.sigma == pytest.approx(SIGMAS[0])


def test_means_are_weighed_by_their_precision() -> None:
    pooled = pooled_sums(SUMS, COUNTS, SIGMAS)
    for code in range(2):
        rows = [safe_counts(*each)[code] for each in zip(COUNTS, SIGMAS, strict=True)]
        weights = [1 / (sigma**2 / n**2 + 1 / (7 * n)) for n, sigma in zip(rows, SIGMAS, strict=True)]
        means = [sums[code] / n for sums, n in zip(SUMS, rows, strict=True)]
        expected = sum(w * m for w, m in zip(weights, means, strict=True)) / sum(weights)
        np.testing.assert_allclose(pooled.sums[code] / pooled.counts[code], expected)
    assert pooled.shares.sum() == pytest.approx(1)


def test_the_noise_of_the_pool_is_what_it_states() -> None:
    random = np.random.default_rng(0)
    counts = [np.full(5, 500.0), np.full(5, 2000.0)]
    noisy = [
        pooled_sums([random.normal(0, 3, (5, 50)), random.normal(0, 9, (5, 50))], counts, [3.0, 9.0]).sums
        for _ in range(40)
    ]
    stated = pooled_sums([np.zeros((5, 50))] * 2, counts, [3.0, 9.0]).sigma
    assert np.std(noisy) == pytest.approx(stated, rel=0.03)


def test_a_pool_is_less_noisy_than_its_best_owner() -> None:
    pooled = pooled_sums(SUMS, COUNTS, SIGMAS)
    best = min(sigma / counts.sum() for sigma, counts in zip(SIGMAS, COUNTS, strict=True))
    assert pooled.sigma / pooled.counts.sum() < best


def test_counts_that_noise_made_small_or_negative_are_raised_to_their_noise() -> None:
    counts = safe_counts(np.array([-50.0, 1.0, 1e4]), 8.0)
    least = LEAST_COUNT * 8.0 / count_weight(1.0)
    assert counts.tolist() == [least, least, 1e4]
