"""Discriminants of released class moments against formulas written out."""

import json

import numpy as np
import pytest

from tacit.models.class_moments.discriminants import (
    LEAST_SIGNAL,
    LinearDiscriminant,
    MomentFamily,
    QuadraticDiscriminant,
    stored_discriminant,
)
from tacit.models.class_moments.features import ScaledColumns
from tacit.models.class_moments.frames import ColumnFrame

rng = np.random.default_rng(0)
P, C, N = 4, 3, 3000
CODES = np.arange(N) % C
MEANS = np.array([[0.2, 0.5, 0.5, 0.5], [0.8, 0.5, 0.3, 0.5], [0.5, 0.9, 0.5, 0.5]])
X = MEANS[CODES] + 0.1 * rng.standard_normal((N, P)) * [1.0, 1.0, 0.5, 2.0]
FRAME = ColumnFrame(np.arange(P), np.ones(P), np.zeros(P), np.arange(P), "all columns")
FEATURES = ScaledColumns(P)


def moments(noise: float = 0.0) -> dict[str, np.ndarray]:
    return {
        "means": np.stack([X[code == CODES].mean(axis=0) for code in range(C)]),
        "covariances": np.stack([np.cov(X[code == CODES].T, bias=True) for code in range(C)]).astype(np.float32),
        "counts": np.bincount(CODES).astype(float),
        "noise": np.full(C, noise),
    }


def test_columns_that_are_not_shared_take_no_part() -> None:
    some = np.array([3, 0])
    frame = ColumnFrame(np.array([0, 1]), np.ones(2), np.zeros(2), some)
    family = MomentFamily.in_frame(moments(), frame, frame(X[:, some]))
    assert np.array_equal(family.means, moments()["means"][:, some])
    assert family.covariances[1] == pytest.approx(moments()["covariances"][1][np.ix_(some, some)])


def test_without_noise_the_quadratic_discriminant_is_gaussian() -> None:
    family = MomentFamily.in_frame(moments(), FRAME, FRAME(X))
    scores = family.discriminant(P, 1e-6)(X[:50])
    for code in range(C):
        mean, S = moments()["means"][code], moments()["covariances"][code].astype(float)
        gaps = X[:50] - mean
        expected = -0.5 * np.einsum("ij,jk,ik->i", gaps, np.linalg.inv(S), gaps) - 0.5 * np.linalg.slogdet(S)[1]
        assert scores[:, code] == pytest.approx(expected, rel=1e-3, abs=1e-2)


def test_much_noise_leaves_the_pooled_covariance_and_shrinks_the_means() -> None:
    plain, noisy = (
        MomentFamily.in_frame(moments(noise), FRAME, FRAME(X)).discriminant(P, 1e-6) for noise in (0.0, 1e4)
    )
    assert np.ptp(noisy.whitening, axis=0).max() < 1e-9 < np.ptp(plain.whitening, axis=0).max()
    assert np.ptp(noisy.means, axis=0).max() < 0.05 * np.ptp(plain.means, axis=0).max()
    assert 0 < LEAST_SIGNAL < 1


def test_fewer_directions_and_a_floor_of_the_variances() -> None:
    family = MomentFamily.in_frame(moments(), FRAME, FRAME(X))
    two = family.discriminant(2, 10.0)
    assert two.basis.shape == (P, 2)
    floor = 10.0 * family.values[:2].mean()
    assert (np.linalg.norm(two.whitening, axis=1) ** 2).max() <= (1 + 1e-9) / floor
    assert family.discriminant(99, 0.1).basis.shape == (P, P)


@pytest.mark.parametrize("form", ["linear", "quadratic"])
def test_the_parts_of_a_file_give_the_discriminant_back(form: str) -> None:
    scores: LinearDiscriminant | QuadraticDiscriminant
    if form == "linear":
        scores = LinearDiscriminant(FRAME, FEATURES, rng.standard_normal((P, C)), np.arange(3.0))
    else:
        scores = MomentFamily.in_frame(moments(), FRAME, FRAME(X)).discriminant(3, 0.1)
    arrays, settings = scores.to_parts()
    again = stored_discriminant(arrays, json.loads(json.dumps(settings)))
    assert type(again) is type(scores)
    assert np.array_equal(again(X[:20]), scores(X[:20]))
