"""Fine cells of each column from noisy trees of its levels: heavy nodes are divided, light neighbours are joined."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray, IntArray
from tacit.models.marginals.counting import range_counts
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.levels import Levels
from tacit.models.marginals.planning import Stages, tree_widths
from tacit.privacy.account import Account, Step
from tacit.records import record

# A node is divided if its count lies above so many standard deviations of its noise and this share of the rows.
DIVIDE_DEVIATIONS, DIVIDE_SHARE = 3.0, 0.01
# What one more cell must gain in squared error over noise; a joined cell holds at most this share of the rows.
CELL_PENALTY, JOINED_SHARE = 5.0, 0.01
# Numbers with at most so many levels keep all of them.
FEW_LEVELS = 24
LEAST_ROWS = 10.0


@record
class Cells:
    """Disjoint ranges of levels that cover a column, with noisy counts of their rows."""

    ranges: IntArray
    """[k, 2]: first level and the one past the last; that of missing cells comes last."""
    counts: FloatArray
    variances: FloatArray
    """[k]: noisy counts, and the variances of their noise."""

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.ranges)


def released_cells(
    counts: Sequence[IntArray], layout: Layout, stages: Stages, account: Account
) -> tuple[list[Cells], float]:
    """Return the fine cells of each column and the noisy number of rows, from counts of levels by class [C, levels].

    Which nodes are counted at a depth depends on what was released at the depths above alone.
    """
    levels = [each.sum(axis=0) for each in counts]
    widths = [tree_widths(column) for column in layout.columns]
    trees, n_rows = _roots(levels, layout, stages.trees[0], account)
    sigma = float(np.sqrt(trees[0].variances[0]))
    least = max(DIVIDE_DEVIATIONS * sigma, DIVIDE_SHARE * n_rows)
    for depth, step in enumerate(stages.trees[1:], start=1):
        children = [
            _children(tree, width[depth], least) if len(width) > depth else []
            for tree, width in zip(trees, widths, strict=True)
        ]
        asked = [
            range_counts(level, child)
            for level, own_children in zip(levels, children, strict=True)
            for _, child in own_children
        ]
        if not asked:
            break
        answers = iter(_released(asked, step, account))
        trees = [
            _divided(tree, {node: (child, next(answers)) for node, child in own_children}, sigma**2)
            for tree, own_children in zip(trees, children, strict=True)
        ]
    return [_joined(tree, column, n_rows) for tree, column in zip(trees, layout.columns, strict=True)], n_rows


def _roots(levels: Sequence[IntArray], layout: Layout, step: Step, account: Account) -> tuple[list[Cells], float]:
    """Return the cells of the first depth of each column, and the noisy number of rows."""
    ranges = [_first(column, tree_widths(column)[0]) for column in layout.columns]
    values = [range_counts(level, each) for level, each in zip(levels, ranges, strict=True)]
    total, *parts = _released([levels[0].sum(keepdims=True), *values], step, account)
    variance = float(getattr(step.mechanism, "sigma", 0.0)) ** 2
    trees = [Cells(each, part, np.full(len(part), variance)) for each, part in zip(ranges, parts, strict=True)]
    return trees, max(float(total[0]), LEAST_ROWS)


def _released(values: Sequence[IntArray], step: Step, account: Account) -> list[FloatArray]:
    """Return vectors of counts as one query releases them together."""
    noisy = account.release(step.mechanism, np.concatenate(values).astype(np.float64))
    return np.split(noisy, np.cumsum([len(each) for each in values])[:-1])


def _first(column: Levels, width: int) -> IntArray:
    """Return the ranges of the first depth: nodes of ``width`` levels, and that of missing cells."""
    starts = np.arange(0, column.count, width)
    ranges = np.column_stack([starts, np.minimum(starts + width, column.count)])
    return np.vstack([ranges, [[column.count, column.size]]]) if column.missing else ranges


def _children(tree: Cells, width: int, least: float) -> list[tuple[int, IntArray]]:
    """Return the nodes to divide, with the ranges of their children."""
    spans = tree.ranges[:, 1] - tree.ranges[:, 0]
    children = []
    for node in np.flatnonzero((spans > width) & (tree.counts > least)):
        first, end = tree.ranges[node]
        starts = np.arange(first, end, width)
        children.append((int(node), np.column_stack([starts, np.minimum(starts + width, end)])))
    return children


def _divided(tree: Cells, children: dict[int, tuple[IntArray, FloatArray]], variance: float) -> Cells:
    """Return the tree with its divided nodes replaced; children add up to the best estimate of their parent.

    The parent's own count and the sum of its k children are averaged by their variances v and k v'.
    """
    ranges, counts, variances = [], [], []
    for node in range(tree.size):
        if node not in children:
            ranges.append(tree.ranges[node : node + 1])
            counts.append(tree.counts[node : node + 1])
            variances.append(tree.variances[node : node + 1])
            continue
        parts, answers = children[node]
        k = len(parts)
        weights = np.array([1 / tree.variances[node], 1 / (k * variance)])
        total = float(weights @ [tree.counts[node], answers.sum()]) / weights.sum()
        ranges.append(parts)
        counts.append(answers + (total - answers.sum()) / k)
        variances.append(np.full(k, variance))
    return Cells(np.vstack(ranges), np.concatenate(counts), np.concatenate(variances))


def _joined(tree: Cells, column: Levels, n_rows: float) -> Cells:
    """Return the cells of a number with neighbours of like density joined; categories stay as they are."""
    if not column.ordered or column.count <= FEW_LEVELS:
        return tree
    k = tree.size - column.missing
    spans = (tree.ranges[:k, 1] - tree.ranges[:k, 0]).astype(np.float64)
    cuts = density_cuts(tree.counts[:k], tree.variances[:k], spans, JOINED_SHARE * n_rows)
    if column.missing:
        cuts = np.append(cuts, tree.size)
    starts, ends = cuts[:-1], cuts[1:]
    ranges = np.column_stack([tree.ranges[starts, 0], tree.ranges[ends - 1, 1]])
    return Cells(ranges, np.add.reduceat(tree.counts, starts), np.add.reduceat(tree.variances, starts))


def density_cuts(counts: FloatArray, variances: FloatArray, spans: FloatArray, most: float) -> NDArray[np.intp]:
    """Return where to cut k neighbouring ranges so that the density within each part is near constant.

    Minimises, by dynamic programming, the squared distance of the counts from parts of constant density, over their
    variances, plus CELL_PENALTY for each part; a part of several ranges holds at most ``most`` rows.
    """
    squares, products, widths = (
        _from_zero(each) for each in (counts**2 / variances, counts * spans / variances, spans**2 / variances)
    )
    totals = _from_zero(counts)
    best, previous = np.zeros(len(counts) + 1), np.zeros(len(counts) + 1, dtype=np.intp)
    for end in range(1, len(counts) + 1):
        start = np.arange(end)
        error = squares[end] - squares[:end] - (products[end] - products[:end]) ** 2 / (widths[end] - widths[:end])
        heavy = (end - start > 1) & (totals[end] - totals[:end] > most)
        cost = best[:end] + np.where(heavy, np.inf, error + CELL_PENALTY)
        previous[end] = cost.argmin()
        best[end] = cost[previous[end]]
    cuts = [len(counts)]
    while cuts[-1] > 0:
        cuts.append(int(previous[cuts[-1]]))
    return np.array(cuts[::-1], dtype=np.intp)


def _from_zero(values: FloatArray) -> FloatArray:
    return np.concatenate([[0.0], np.cumsum(values)])
