"""Which pairs of columns say more together than apart: one noisy query, asked in the middle of a descent."""

from collections.abc import Sequence
from functools import partial
from itertools import combinations

import numpy as np
from scipy import sparse

from tacit.arrays import FloatArray
from tacit.models.additive.descent import Ask, LevelTables, clipped_gradient
from tacit.models.additive.losses import Residuals
from tacit.models.additive.pairs import (
    CoarseColumn,
    LevelPair,
    level_pair,
    pair_features,
    pair_shares,
    with_joint_cells,
)
from tacit.models.additive.rows import Batches, RowLayout
from tacit.numerics.exact_sums import IntegerSum
from tacit.records import record

# Columns whose pairs are asked about: those that move scores most. Fewer pairs share the noise.
MOST_COLUMNS = 12
MOST_PAIRS = 16
# A pair is taken if its gradient stands out of the noise by so many standard deviations.
SMALLEST_Z = 2.5


@record
class SelectionNoise:
    """How the query is asked, and what moves its answer without any interaction."""

    clip: float
    """The longest part of one row."""
    draws: int
    """How many answers are averaged."""
    sigma: float
    """Standard deviation of the noise in one answer."""
    scatter: FloatArray
    """[K]: Variance of the query for a feature of variance 1, from the rows' own scatter around their scores."""

    def variances(self, of_features: FloatArray) -> FloatArray:
        """Return the variances [d, K] of the mean answer, without interactions, by the variances of features [d]."""
        return self.sigma**2 / self.draws + of_features[:, None] * self.scatter


def choose_pairs(
    batches: Batches,
    layout: RowLayout,
    columns: Sequence[CoarseColumn],
    tables: LevelTables,
    residuals: Residuals,
    *,
    energies: FloatArray,
    ask: Ask,
    noise: SelectionNoise,
) -> tuple[LevelPair, ...]:
    """Return the pairs whose joint cells explain residuals best, the strongest first, at most ``MOST_PAIRS``.

    Asked are the pairs of the columns whose curves have the largest ``energies`` [q].

    The query is the gradient of the loss by the features of every candidate pair, at the scores that ``tables`` [L, K]
    give; each row's part is shortened as in a step of descent, so its sensitivity is 1. Everything else is read off
    the noisy answer.
    """
    pairs = candidate_pairs(columns, energies)
    if not pairs:
        return ()
    query = pair_query(batches, layout, columns, tables, residuals, pairs=pairs, clip=noise.clip)
    z = pair_significance(ask(query, noise.draws), columns, pairs, noise)
    order = np.argsort(-z, kind="stable")[:MOST_PAIRS]
    return tuple(pairs[place] for place in order if z[place] > SMALLEST_Z)


def candidate_pairs(columns: Sequence[CoarseColumn], energies: FloatArray) -> list[LevelPair]:
    """Return all pairs of the columns that vary and move scores most."""
    varying = [place for place in np.argsort(-energies, kind="stable") if columns[place].values.shape[1]]
    places = sorted(int(place) for place in varying[:MOST_COLUMNS])
    return [level_pair(columns, first, second) for first, second in combinations(places, 2)]


def pair_query(
    batches: Batches,
    layout: RowLayout,
    columns: Sequence[CoarseColumn],
    tables: LevelTables,
    residuals: Residuals,
    *,
    pairs: Sequence[LevelPair],
    clip: float,
) -> IntegerSum:
    """Return the gradient by the features of ``pairs`` in units of ``clip``: its sensitivity is 1 in 2-norm."""
    curves, intercept = tables
    # A mean squared norm of 1 over all pairs together.
    blocks = [_features(columns, pair) / np.sqrt(len(pairs)) for pair in pairs]
    own = sparse.block_diag(blocks)
    matrix = sparse.csr_array(sparse.vstack([sparse.csr_array((len(curves), own.shape[1])), own]))
    padded = np.vstack([curves, np.zeros((own.shape[0], curves.shape[1]))])
    paired = batches.viewed(partial(with_joint_cells, layout, pairs))
    return clipped_gradient(paired, matrix, (padded, intercept), residuals, clip)


def pair_significance(
    answer: FloatArray, columns: Sequence[CoarseColumn], pairs: Sequence[LevelPair], noise: SelectionNoise
) -> FloatArray:
    """Return how far each pair's squared gradient lies above that of ``noise``, in standard deviations of the latter.

    Squares are weighed by their features' variances: smooth and frequent directions hold most of what can be learned.
    """
    start, z = 0, []
    for pair in pairs:
        weights = pair_shares(columns, pair) @ _features(columns, pair) ** 2
        part = answer[start : start + len(weights)]
        start += len(weights)
        expected = noise.variances(weights / len(pairs))
        deviation = np.sqrt(2 * (weights[:, None] ** 2 * expected**2).sum())
        z.append(float((weights[:, None] * (part**2 - expected)).sum() / deviation))
    return np.array(z)


def _features(columns: Sequence[CoarseColumn], pair: LevelPair) -> FloatArray:
    first, second = pair.columns
    return pair_features(columns[first], columns[second])
