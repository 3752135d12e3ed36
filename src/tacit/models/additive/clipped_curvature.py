"""How curved a loss of classes still is where gradients are shortened, read off the finished curves alone."""

import numpy as np

from tacit.arrays import FloatArray
from tacit.models.additive.descent import CONSTANT, LevelTables
from tacit.models.additive.features import LevelFeatureTable
from tacit.models.additive.losses import class_residuals, probabilities
from tacit.numerics.class_offsets import offsets_for_shares
from tacit.numerics.public_random import public_random
from tacit.records import record

# Rows drawn from the noisy shares.
INVENTED_ROWS = 4096
# Where every gradient is shortened the loss is a cone: its curvature is taken for this part of what it was.
LEAST_PART = 1e-3


@record
class ClippedLoss:
    """What shortening leaves of a loss of classes, on average over rows."""

    curvatures: FloatArray
    """[K]: along each score."""
    squares: FloatArray
    """[K]: of the shortened residuals; without shortening p(1 - p), as the curvatures."""


def clipped_loss(features: LevelFeatureTable, tables: LevelTables, shares: FloatArray, *, clip: float) -> ClippedLoss:
    """Return what gradients of norm ``clip`` leave of the loss at the scores that ``tables`` give.

    A row of probabilities p and class y has the residuals r = p - e_y and the curvatures p(1 - p). Shortened to the
    norm l = ``clip``/|x|, residuals no longer change along themselves, and by l/|r| of before in the C - 2 of C - 1
    directions that are left. Rows are invented: columns drawn independently from their noisy shares, classes from the
    scores moved to the noisy ``shares`` [C] of the classes. All of it is post-processing.
    """
    scores, norms = _invented_rows(features, tables)
    p = probabilities(scores)
    logits = np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores
    chances = probabilities(logits + offsets_for_shares(logits, shares))  # [M, C]: of each class
    curvatures, squares, n_classes = np.zeros_like(p), np.zeros_like(p), len(shares)
    for label, chance in enumerate(chances.T):
        residuals = class_residuals(scores, np.full(len(scores), label))
        lengths = np.maximum(np.linalg.norm(residuals, axis=1), 1e-300) * norms
        factors = np.minimum(1.0, clip / lengths)
        bent = np.where(factors < 1, np.maximum(factors * (n_classes - 2) / (n_classes - 1), LEAST_PART), 1.0)
        curvatures += (chance * bent)[:, None] * p * (1 - p)
        squares += (chance * factors**2)[:, None] * residuals**2
    return ClippedLoss(curvatures.mean(axis=0), squares.mean(axis=0))


def _invented_rows(features: LevelFeatureTable, tables: LevelTables) -> tuple[FloatArray, FloatArray]:
    """Return scores [M, K] and norms [M] of the features of rows whose columns are independent."""
    public, (values, intercept) = public_random(0), tables  # nobody's rows: any seed will do
    squares = np.asarray(features.matrix.multiply(features.matrix).sum(axis=1)).reshape(-1, 1)
    table, start = np.hstack([values, squares]), 0
    sums = np.tile(np.append(intercept, CONSTANT**2), (INVENTED_ROWS, 1))
    for shares in features.shares:
        levels = np.searchsorted(np.cumsum(shares)[:-1], public.uniform(size=INVENTED_ROWS))
        sums += table[start + levels]
        start += len(shares)
    return sums[:, :-1], np.sqrt(sums[:, -1])
