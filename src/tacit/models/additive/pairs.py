"""Pairs of columns whose cells together add to a score what neither column adds alone: interactions."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.models.additive.features import (
    CORRELATION_LENGTH,
    LevelFeatureTable,
    bins_of,
    category_kernel,
    frequent_bins,
    principal_features,
    shares_of,
)
from tacit.models.additive.levels import ColumnLevels
from tacit.models.additive.rows import RowBatch, RowLayout
from tacit.records import record

# Cells of one column of a pair, and the directions that are learned of them: the smoothest, or the most frequent.
N_CELLS, RANK = 6, 3
# Missing values of a number have a cell of their own from this share of rows on.
OWN_CELL = 0.02
# The variance of one pair's features beside that of all columns together, which is 1.
PAIR_VARIANCE = 0.04


@record
class CoarseColumn:
    """A column in few cells, with features that are centred and have a mean squared norm of 1 over rows."""

    cells: NDArray[np.intp]
    """[m]: the cell of each level."""
    values: FloatArray
    """[b, d]: features of each cell; d is 0 for a column that does not vary."""
    shares: FloatArray
    """[b]: noisy shares of rows."""


@record
class LevelPair:
    """Two columns of a table in cells."""

    columns: tuple[int, int]
    """Their places in the table."""
    cells: tuple[NDArray[np.intp], NDArray[np.intp]]
    """The cell of each level of either column."""

    @property
    def shape(self) -> tuple[int, int]:
        """How many cells either column has."""
        first, second = (int(cells.max()) + 1 for cells in self.cells)
        return first, second

    @property
    def size(self) -> int:
        """The number of joint cells."""
        return self.shape[0] * self.shape[1]

    def joint_cells(self, codes: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
        """Return the joint cell [N] of rows with level ``codes`` [N, q]; -1 where one of both levels is unknown."""
        first, second = (codes[:, place].astype(np.intp) for place in self.columns)
        joint = self.cells[0][first] * self.shape[1] + self.cells[1][second]
        return np.where((first < 0) | (second < 0), -1, joint)


@record
class PairCurve:
    """What the joint cells of two columns add to a row's scores."""

    pair: LevelPair
    values: FloatArray
    deviations: FloatArray
    """[cells, K]: of each joint cell, for each of K scores, and the standard deviation of the noise in it."""
    shares: FloatArray
    """Of each joint cell: the share of rows if the columns were independent."""

    def scores(self, codes: NDArray[np.integer[Any]]) -> tuple[FloatArray, FloatArray]:
        """Return what the pair adds to rows with ``codes`` [N, q], and the noise's variance; unknown levels add 0."""
        joint = self.pair.joint_cells(codes)[:, None]
        values = np.where(joint < 0, 0.0, self.values[joint[:, 0]])
        return values, np.where(joint < 0, 0.0, self.deviations[joint[:, 0]] ** 2)

    @property
    def energy(self) -> float:
        """The variance of what the pair adds, under its shares, summed over the scores."""
        return float((self.shares @ self.values**2).sum())


def coarse_column(levels: ColumnLevels, counts: FloatArray) -> CoarseColumn:
    """Return a column in at most ``N_CELLS`` cells, and one for missing numbers, from noisy ``counts`` of its levels.

    Features follow the same kernels as those of whole columns; of their principal axes the first ones are kept.
    """
    cells, kernel, shares = (_number_cells if levels.is_number else _category_cells)(counts)
    features = principal_features(kernel, shares)
    kept = np.argsort(-features.variances, kind="stable")[:RANK]
    total = float(features.variances[kept].sum())
    values = features.values[:, kept if total > 0 else []]
    return CoarseColumn(cells, values / np.sqrt(max(total, 1e-12)), shares)


def pair_features(first: CoarseColumn, second: CoarseColumn) -> FloatArray:
    """Return features [cells, d] of the joint cells: products, which are centred if the columns are independent."""
    return np.asarray(np.kron(first.values, second.values), dtype=np.float64)


def level_pair(columns: Sequence[CoarseColumn], first: int, second: int) -> LevelPair:
    """Return the pair of two columns, by their places."""
    return LevelPair((first, second), (columns[first].cells, columns[second].cells))


def with_joint_cells(layout: RowLayout, pairs: Sequence[LevelPair], batch: RowBatch) -> RowBatch:
    """Return a batch whose rows also have the joint cells of ``pairs``, behind the levels of all columns."""
    sizes = np.cumsum([layout.size, *(pair.size for pair in pairs)])
    levels = batch.indicator.indices.reshape(len(batch), -1)
    codes = levels - layout.offsets[:-1].astype(np.int32)
    joint = [pair.joint_cells(codes) + start for pair, start in zip(pairs, sizes[:-1].tolist(), strict=True)]
    places = np.column_stack([levels, *joint]).astype(np.int32)
    return RowBatch(_indicator(places, int(sizes[-1])), batch.target)


def with_pairs(
    features: LevelFeatureTable, columns: Sequence[CoarseColumn], pairs: Sequence[LevelPair]
) -> LevelFeatureTable:
    """Return the features of a table with those of ``pairs`` behind them."""
    blocks = [np.sqrt(PAIR_VARIANCE) * pair_features(*(columns[place] for place in pair.columns)) for pair in pairs]
    shares = [pair_shares(columns, pair) for pair in pairs]
    variances = [share @ block**2 for share, block in zip(shares, blocks, strict=True)]
    ends = np.cumsum([features.matrix.shape[1], *(block.shape[1] for block in blocks)]).tolist()
    places = tuple(slice(start, end) for start, end in pairwise(ends))
    return LevelFeatureTable(
        matrix=sparse.csr_array(sparse.block_diag([features.matrix, *blocks])),
        variances=np.concatenate([features.variances, *variances]),
        columns=(*features.columns, *places),
        shares=(*features.shares, *shares),
    )


def pair_shares(columns: Sequence[CoarseColumn], pair: LevelPair) -> FloatArray:
    """Return the shares of rows in the joint cells if both columns were independent."""
    first, second = (columns[place].shares for place in pair.columns)
    return np.outer(first, second).ravel()


def pairs_to_list(tables: Sequence[PairCurve]) -> list[dict[str, Any]]:
    """Return which levels form the cells of each pair, as JSON-ready data."""
    return [
        {"columns": list(table.pair.columns), "cells": [cells.tolist() for cells in table.pair.cells]}
        for table in tables
    ]


def pair_from_dict(content: dict[str, Any], levels: Sequence[ColumnLevels]) -> LevelPair:
    """Return a pair that `pairs_to_list` wrote, of columns with these ``levels``."""
    first, second = (int(place) for place in content["columns"])
    if not 0 <= min(first, second) <= max(first, second) < len(levels):
        raise InputError(f"a pair must name two of {len(levels)} columns; got {first} and {second}.")
    cells = tuple(checks.finite_array("cells", each).astype(np.intp).reshape(-1) for each in content["cells"])
    for place, each in zip((first, second), cells, strict=True):
        if len(each) != levels[place].size or each.min() < 0:
            raise InputError(f"a pair must give each of {levels[place].size} levels of its column a cell.")
    return LevelPair((first, second), (cells[0], cells[1]))


def _number_cells(counts: FloatArray) -> tuple[NDArray[np.intp], FloatArray, FloatArray]:
    """Return cells of about equal shares, spikes alone, their kernel e^(-|u - v|/l), and their shares."""
    present = shares_of(counts[:-1])
    cells = bins_of(shares_of(np.minimum(present, 2 / N_CELLS)), N_CELLS)
    masses = np.bincount(cells, present).astype(np.float64)
    middles = np.cumsum(masses) - masses / 2
    kernel = np.exp(-np.abs(middles[:, None] - middles) / CORRELATION_LENGTH)
    missing = float(shares_of(counts)[-1])
    if missing < OWN_CELL:  # too few to say anything: they go where most rows are
        return np.append(cells, np.argmax(masses)), kernel, masses
    whole = np.zeros((len(kernel) + 1,) * 2)
    whole[:-1, :-1], whole[-1, -1] = kernel, 1.0
    return np.append(cells, len(masses)), whole, np.append(masses * (1 - missing), missing)


def _category_cells(counts: FloatArray) -> tuple[NDArray[np.intp], FloatArray, FloatArray]:
    cells = frequent_bins(counts, N_CELLS)
    shares = shares_of(np.bincount(cells, counts).astype(np.float64))
    return cells, category_kernel(shares), shares


def _indicator(places: NDArray[np.int32], size: int) -> sparse.csr_array:
    n_rows, n_ones = places.shape
    ends = np.arange(0, places.size + 1, n_ones, dtype=np.int32)
    return sparse.csr_array((np.ones(places.size), places.ravel(), ends), shape=(n_rows, size))
