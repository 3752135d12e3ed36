"""Label-free class scores against formulas written out."""

import numpy as np
import pytest

from tacit.models.class_moments.discriminants import RIDGE
from tacit.models.class_moments.features import ScaledColumns
from tacit.models.class_moments.frames import ColumnFrame
from tacit.models.class_moments.picture_scores import FLOORS, balancing_weights, mean_margin, picture_scores

rng = np.random.default_rng(0)
P, C, N = 6, 3, 3000
CODES = np.arange(N) % C
MEANS = np.full((C, P), 0.5) + 0.25 * np.array([[1, 0, 0, 1, 0, 0], [0, 1, 0, 0, 1, 0], [0, 0, 1, 0, 0, 1]])
X = MEANS[CODES] + 0.1 * rng.standard_normal((N, P))
FEATURES = ScaledColumns(P)


def frame(scale: float = 1.0) -> ColumnFrame:
    return ColumnFrame(np.arange(P), np.full(P, scale), np.zeros(P), np.arange(P), f"scale {scale:g}")


def sums(codes: np.ndarray = CODES, noise: float = 0.0) -> dict[str, np.ndarray]:
    phi = FEATURES(X).astype(np.float64)
    exact = np.stack([phi[code == codes].sum(axis=0) for code in range(C)])
    return {"sums": exact + noise * rng.standard_normal(exact.shape), "counts": np.bincount(codes).astype(float)}


def test_scores_equal_the_formula_and_are_zero_at_the_mean_row() -> None:
    arrays, sigma = sums(), 100.0
    found = picture_scores(arrays, X, sigma=sigma, frames=[frame()], features=FEATURES).scores
    phi = FEATURES(X).astype(np.float64)
    means = arrays["sums"] / arrays["counts"][:, None]
    expected, margins = [], []
    for floor in FLOORS:
        S = np.cov(phi.T, bias=True) + max(floor, RIDGE * sigma / N) * np.eye(P)
        W = np.linalg.inv(S) @ (means - means.mean(axis=0)).T
        expected.append((phi - phi.mean(axis=0)) @ W)
        margins.append(mean_margin(expected[-1]))
    assert found(X) == pytest.approx(expected[int(np.argmax(margins))], abs=1e-3)
    assert np.abs(found(X).mean(axis=0)).max() < 1e-4
    assert (found(X).argmax(axis=1) == CODES).mean() > 0.9


def test_noisier_sums_are_read_with_a_stronger_ridge() -> None:
    sizes = [
        np.abs(picture_scores(sums(), X, sigma=sigma, frames=[frame()], features=FEATURES).scores.W).max()
        for sigma in (1e3, 1e5, 1e7)
    ]
    assert sizes[0] > sizes[1] > sizes[2]


def test_the_frame_of_largest_margin_is_chosen_without_labels() -> None:
    """Frames that put other columns in the place of ours lose to the one that does not."""
    crossed = np.array([0, 1, 2, 4, 5, 3])
    right, wrong = frame(), ColumnFrame(crossed, np.ones(P), np.zeros(P), np.arange(P), "crossed")
    for frames in ([wrong, right], [right, wrong]):
        found = picture_scores(sums(), X, sigma=1.0, frames=frames, features=FEATURES)
        assert found.scores.frame is right


def test_halves_use_other_features_and_agree_where_there_is_signal() -> None:
    found = picture_scores(sums(), X, sigma=1.0, frames=[frame()], features=FEATURES)
    first, second = found.halves
    assert not (first.W.any(axis=1) & second.W.any(axis=1)).any()
    assert (first(X).argmax(axis=1) == second(X).argmax(axis=1)).mean() > 0.6
    agreed = []
    for seed in range(20):
        noise = np.random.default_rng(seed).standard_normal((C, P))
        arrays = {"sums": 1e4 * noise, "counts": np.full(C, N / C)}
        halves = picture_scores(arrays, X, sigma=1e4, frames=[frame()], features=FEATURES).halves
        agreed.append((halves[0](X).argmax(axis=1) == halves[1](X).argmax(axis=1)).mean())
    assert np.mean(agreed) < 0.5


def test_uneven_classes_are_balanced() -> None:
    """A class of one row in thirty is found nearly as well as if all classes were alike."""
    kept = np.flatnonzero((CODES != 0) | (np.arange(N) % 30 == 0))
    found = picture_scores(sums(), X[kept], sigma=1.0, frames=[frame()], features=FEATURES).scores
    assert (found(X[kept]).argmax(axis=1) == CODES[kept]).mean() > 0.97
    balanced = balancing_weights(np.eye(3)[CODES[kept]])
    assert balanced is not None
    assert np.bincount(CODES[kept], balanced)[1] == pytest.approx(np.bincount(CODES[kept], balanced)[2])
    assert balancing_weights(np.eye(3)[CODES]) is None


def test_a_count_lost_in_noise_does_not_make_its_class_the_best_of_all_rows() -> None:
    arrays = sums() | {"counts": np.array([1000.0, 1000.0, -3.0])}
    noisy = arrays | {"sums": 300.0 * np.random.default_rng(1).standard_normal((C, P))}
    found = picture_scores(noisy, X, sigma=300.0, frames=[frame()], features=FEATURES)
    sizes = np.linalg.norm(found.scores.W, axis=0)
    assert sizes.max() < 20 * sizes.min()


def test_a_margin_is_the_lead_of_the_best_class() -> None:
    scores = np.array([[3.0, 1.0, -4.0], [0.0, 5.0, 1.0]])
    contrasts = scores - scores.mean(axis=1, keepdims=True)
    assert mean_margin(scores) == pytest.approx((2.0 + 4.0) / 2 / contrasts.std())
    assert mean_margin(np.zeros((4, 3))) == 0.0
