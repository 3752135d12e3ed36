"""The curvature that shortened gradients leave, against differences of shortened residuals of invented rows."""

import numpy as np
import pytest
from scipy.special import expit
from tests.models.additive.tables import COLUMNS

from tacit.arrays import FloatArray
from tacit.models.additive.clipped_curvature import _invented_rows, clipped_loss
from tacit.models.additive.features import LevelFeatureTable, table_features

SHARES = np.array([0.8, 0.2])


def features() -> LevelFeatureTable:
    random = np.random.default_rng(5)
    return table_features(COLUMNS, [random.integers(1, 100, one.size).astype(float) for one in COLUMNS])


def tables(columns: LevelFeatureTable, n_scores: int) -> tuple[FloatArray, FloatArray]:
    random = np.random.default_rng(1)
    return columns.matrix @ random.normal(0, 2, (columns.matrix.shape[1], n_scores)), np.full(n_scores, -1.0)


def shortened(scores: FloatArray, chances: FloatArray, limits: FloatArray) -> float:
    """Return the mean of shortened residuals of rows that are of the second class with these ``chances``."""
    p = expit(scores)
    return float(((1 - chances) * np.minimum(p, limits) - chances * np.minimum(1 - p, limits)).mean())


@pytest.mark.parametrize("clip", [0.1, 0.3, 0.7])
def test_the_curvature_of_two_classes_is_the_slope_of_their_shortened_residuals(clip: float) -> None:
    columns = features()
    values = tables(columns, 1)
    scores, norms = _invented_rows(columns, values)
    moves = np.linspace(-10, 10, 20_001)
    offset = moves[np.searchsorted([expit(scores[:, 0] + move).mean() for move in moves[::20]], SHARES[1]) * 20]
    chances = expit(scores[:, 0] + offset)
    # Limits stand still: differences over a step in which a hundred rows reach theirs.
    high, low = (shortened(scores[:, 0] + move, chances, clip / norms) for move in (0.05, -0.05))
    found = clipped_loss(columns, values, SHARES, clip=clip).curvatures
    assert found.shape == (1,)
    assert found[0] == pytest.approx((high - low) / 0.1, rel=0.05)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_long_gradients_leave_the_curvature_of_the_loss_and_short_ones_less(n_classes: int) -> None:
    columns, n_scores = features(), 1 if n_classes == 2 else n_classes
    values = tables(columns, n_scores)
    shares = np.full(n_classes, 1 / n_classes)
    scores, _ = _invented_rows(columns, values)
    p = expit(scores) if n_scores == 1 else np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    whole, half, none = (clipped_loss(columns, values, shares, clip=clip).curvatures for clip in (100.0, 0.3, 1e-9))
    np.testing.assert_allclose(whole, (p * (1 - p)).mean(axis=0), rtol=5e-3)
    assert (half < 0.9 * whole).all()
    assert (none < 2e-3 * whole).all()


@pytest.mark.parametrize("clip", [0.1, 0.3, 100.0])
def test_the_squares_are_those_of_shortened_residuals(clip: float) -> None:
    columns = features()
    values = tables(columns, 1)
    scores, norms = _invented_rows(columns, values)
    p = expit(scores[:, 0])
    # Shares that the scores have already: classes are drawn from the scores as they are.
    found = clipped_loss(columns, values, np.array([1 - p.mean(), p.mean()]), clip=clip).squares
    drawn = np.random.default_rng(0).random((200, len(p))) < p
    residuals = np.minimum(np.abs(p - drawn), clip / norms)
    assert found[0] == pytest.approx((residuals**2).mean(), rel=0.01)
