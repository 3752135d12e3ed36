"""How alike two tables are in one, two and three columns at once, and which combinations only one of them has."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray, IntArray
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.levels import Levels
from tacit.records import record

# Numbers are compared in so many parts of equally many original rows; a value that fills a part alone is one.
PARTS = 10
# Sets of columns that are compared, at most: a random choice with a fixed seed of more.
MOST_SETS = 400
SEED = 0
# A pair of cells that no original row has counts as impossible if independence expects so many rows in it.
LEAST_EXPECTED = 5.0

JointCells = NDArray[np.int64]  # [N, columns]


@record
class CellRule:
    """The cells of every column, the label last, by which two tables are compared.

    Attributes
    ----------
    names : tuple of str
    edges : tuple of arrays
        First level of each cell of a column.
    sizes : array of int
        How many cells each column has.
    """

    names: tuple[str, ...]
    edges: tuple[IntArray, ...]

    @property
    def sizes(self) -> IntArray:
        """How many cells each column has."""
        return np.array([len(edges) for edges in self.edges], dtype=np.int64)

    def cells(self, codes: NDArray[np.integer], y: IntArray | None) -> JointCells:
        """Return the cells [N, columns] of rows with level codes [N, q] and class codes [N]."""
        columns = [codes[:, j] for j in range(codes.shape[1])] + ([] if y is None else [y])
        coded = [
            np.searchsorted(edges, column, side="right") - 1 for edges, column in zip(self.edges, columns, strict=True)
        ]
        return np.stack(coded, axis=1)


def cell_rule(codes: NDArray[np.integer], layout: Layout) -> CellRule:
    """Return the cells for tables of ``layout``: categories, and parts of numbers by the original rows' quantiles."""
    edges = [_edges(codes[:, j], column) for j, column in enumerate(layout.columns)]
    names = list(layout.names)
    if layout.label is not None:
        edges.append(np.arange(layout.label.count))
        names.append(layout.label.name)
    return CellRule(tuple(names), tuple(edges))


def _edges(codes: NDArray[np.integer], column: Levels) -> IntArray:
    if not column.ordered or column.count <= PARTS:
        return np.arange(column.size)
    numbers = codes[codes < column.count]
    if not len(numbers):
        return np.arange(0, column.size, column.count)
    cuts, times = np.unique(
        np.quantile(numbers, np.linspace(0, 1, PARTS + 1)[1:-1], method="nearest"), return_counts=True
    )
    # A repeated quantile is a value that fills a part: it becomes a cell of its own.
    spikes = cuts[times > 1]
    edges = np.unique(np.concatenate([[0], cuts + 1, spikes]))
    edges = edges[edges < column.count]
    return np.append(edges, column.count) if column.missing else edges


def variation(first: JointCells, second: JointCells, sizes: IntArray, columns: Sequence[int]) -> float:
    """Return the total variation distance of two tables in the joint cells of some columns."""
    size = math.prod(int(sizes[j]) for j in columns)
    shares = []
    for cells in (first, second):
        flat = np.zeros(len(cells), dtype=np.int64)
        for j in columns:
            flat = flat * sizes[j] + cells[:, j]
        shares.append(np.bincount(flat, minlength=size) / len(cells))
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def mean_variation(first: JointCells, second: JointCells, sizes: IntArray, count: int) -> float:
    """Return the mean total variation distance over all sets of ``count`` columns, or over a fixed choice of many."""
    sets = list(itertools.combinations(range(len(sizes)), count))
    if len(sets) > MOST_SETS:
        chosen = check_random_state(SEED).choice(len(sets), MOST_SETS, replace=False)
        sets = [sets[place] for place in chosen]
    return float(np.mean([variation(first, second, sizes, columns) for columns in sets])) if sets else 0.0


def pair_variations(first: JointCells, second: JointCells, sizes: IntArray) -> FloatArray:
    """Return the distance of every pair of columns [d, d], and of each column on the diagonal."""
    d = len(sizes)
    variations = np.zeros((d, d))
    for i in range(d):
        for j in range(i, d):
            variations[i, j] = variations[j, i] = variation(first, second, sizes, (i,) if i == j else (i, j))
    return variations


@dataclass(frozen=True)
class ImpossiblePair:
    """Two columns with combinations that no original row has, and the share of the other table's rows that have one."""

    columns: tuple[str, str]
    share: float


def impossible_rows(original: JointCells, other: JointCells, rule: CellRule) -> tuple[float, list[ImpossiblePair]]:
    """Return the share of other rows with a combination of two columns that looks impossible, and the worst pairs.

    Impossible is a pair of cells that no original row has although independent columns would give it LEAST_EXPECTED.
    """
    impossible = np.zeros(len(other), dtype=bool)
    pairs = []
    for i, j in itertools.combinations(range(len(rule.names)), 2):
        a, b = int(rule.sizes[i]), int(rule.sizes[j])
        counts = np.bincount(original[:, i] * b + original[:, j], minlength=a * b).reshape(a, b)
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(len(original), 1)
        forbidden = (counts == 0) & (expected >= LEAST_EXPECTED)
        hit = forbidden[other[:, i], other[:, j]]
        impossible |= hit
        if hit.any():
            pairs.append(ImpossiblePair((rule.names[i], rule.names[j]), float(hit.mean())))
    return float(impossible.mean()), sorted(pairs, key=lambda pair: -pair.share)
