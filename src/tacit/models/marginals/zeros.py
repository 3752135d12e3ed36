"""Structural zeros: pairs of cells that no row has, told from released tables alone."""

import math

import numpy as np

from tacit.arrays import BoolArray, FloatArray
from tacit.models.marginals.counting import ColumnPair
from tacit.models.marginals.measuring import Measurement
from tacit.models.marginals.tables import CoarseCounts, PairTable, offsets_of
from tacit.records import record

# A cell is a zero if its count is below so many deviations, and this and as much again times 3 is below what
# independent columns would have.
ZERO_DEVIATIONS, ZERO_RATIO = 2.0, 3.0
# Cells of a dependent pair: those above so many deviations; all others are zeros if hardly any row lies outside.
SUPPORT_DEVIATIONS = 2.5
# A cell whose rows all lie in few others: what may be outside, with so many deviations, over what independence expects.
EXCLUSIVE_DEVIATIONS, MOST_EXCLUSIVE = 1.5, 0.15
# Rows outside are at most this share, or so many deviations of the noise of the rows inside.
OUTSIDE_SHARE, OUTSIDE_DEVIATIONS = 0.01, 3.0
# Shares for a dependent pair: of cells inside, of rows in columns without a cell inside, of noise, of rows outside over
# those that independence expects there, and of rows that independence expects outside.
MOST_INSIDE, MOST_UNDECIDED, MOST_NOISE, MOST_OUTSIDE, LEAST_EXPECTED = 0.4, 0.1, 0.03, 0.05, 0.3


@record
class PairZeros:
    """The forbidden pairs of coarse cells [a, b] of columns i < j."""

    columns: ColumnPair
    forbidden: BoolArray


def structural_zeros(measurement: Measurement, coarse: CoarseCounts) -> list[PairZeros]:
    """Return the pairs of columns that have forbidden cells. Rare true combinations may be among them."""
    offsets = offsets_of(measurement.columns)
    sigma = measurement.pair_sigma * math.sqrt(len(coarse.class_counts))
    margins = coarse.counts.sum(axis=0)
    zeros = []
    for table in measurement.pairs:
        first, second = (margins[offsets[j] : offsets[j + 1]] for j in table.columns)
        forbidden = _forbidden(table, first, second, sigma)
        if forbidden.any():
            zeros.append(PairZeros(table.columns, forbidden))
    return zeros


def _forbidden(table: PairTable, first: FloatArray, second: FloatArray, sigma: float) -> BoolArray:
    counts = table.counts.sum(axis=0)
    expected = np.outer(first, second) / max(float(first.sum()), 1.0)
    most = ZERO_DEVIATIONS * sigma
    zeros: BoolArray = (counts < most) & ((np.maximum(counts, 0) + most) * ZERO_RATIO < expected)
    support = dependent_support(counts, first, second, sigma)
    if support is not None:
        zeros = zeros | ~support
    zeros = zeros | exclusive_zeros(counts, first, second, sigma) | exclusive_zeros(counts.T, second, first, sigma).T
    # Every cell keeps a partner: a row that has it must be able to exist.
    zeros[zeros.all(axis=1)] = False
    zeros[:, zeros.all(axis=0)] = False
    return zeros


def dependent_support(counts: FloatArray, first: FloatArray, second: FloatArray, sigma: float) -> BoolArray | None:
    """Return the cells [a, b] in which nearly all rows of a dependent pair lie; None if the pair is not dependent."""
    inside = counts > SUPPORT_DEVIATIONS * sigma
    n_rows = float(first.sum())
    noise = sigma * math.sqrt(inside.sum())
    rows, columns = inside.any(axis=1), inside.any(axis=0)
    held = counts * inside
    outside = max((first - held.sum(axis=1))[rows].sum(), (second - held.sum(axis=0))[columns].sum())
    undecided = max(first[~rows].sum(), second[~columns].sum())
    inside = _with_undecided(inside, counts)
    expected = float((np.outer(first, second) / max(n_rows, 1.0))[~inside].sum())
    dependent = (
        inside.sum() < MOST_INSIDE * counts.size
        and undecided < MOST_UNDECIDED * n_rows
        and noise < MOST_NOISE * n_rows
        and outside < max(OUTSIDE_SHARE * n_rows, OUTSIDE_DEVIATIONS * noise)
        and outside + noise < MOST_OUTSIDE * expected
        and expected > LEAST_EXPECTED * n_rows
    )
    return inside if dependent else None


def exclusive_zeros(counts: FloatArray, first: FloatArray, second: FloatArray, sigma: float) -> BoolArray:
    """Return the cells [a, b] that are empty because all rows of a first cell lie in few of the second ones.

    What a first cell holds outside its visible cells is its own count less theirs, which has the noise of the visible
    ones alone: less than that of any sum of the others.
    """
    inside = counts > SUPPORT_DEVIATIONS * sigma
    noise = sigma * np.sqrt(inside.sum(axis=1))
    outside = first - (counts * inside).sum(axis=1)
    expected = ((~inside) * np.outer(first, second)).sum(axis=1) / max(float(first.sum()), 1.0)
    limit = np.maximum(outside, 0) + EXCLUSIVE_DEVIATIONS * noise
    exclusive = inside.any(axis=1) & (outside < 2 * noise) & (limit < MOST_EXCLUSIVE * expected)
    zeros: BoolArray = exclusive[:, None] & ~inside
    return zeros


def _with_undecided(inside: BoolArray, counts: FloatArray) -> BoolArray:
    """Return the support with the cells of rows and columns that have none: with each other, and their largest."""
    rows, columns = np.logical_not(inside.any(axis=1)), np.logical_not(inside.any(axis=0))
    wider: BoolArray = inside | (rows[:, None] & columns[None])
    wider[rows, counts[rows].argmax(axis=1)] = True
    wider[counts[:, columns].argmax(axis=0), columns] = True
    return wider
