"""What a release of tables draws: trees of levels, label by cell, label by pair of cells, and numbers by category."""

import math
from dataclasses import dataclass

from tacit.models.marginals.layout import Layout
from tacit.models.marginals.levels import Levels
from tacit.privacy.account import Step
from tacit.privacy.accounting import calibrate
from tacit.privacy.budget import Budget, Relation
from tacit.privacy.events import Event, SequentialEvent
from tacit.privacy.mechanisms import Gaussian

# Shares of squared signal over noise: trees and counts of single columns, label by cell, label by pair of cells.
# Chosen, with the size of coarse cells and the mixture's pull, on other splits of Bank and Adult than those reported.
TREE_SHARE, CELL_SHARE, PAIR_SHARE = 0.08, 0.20, 0.72
# A share beside those for at most two numbers by category, where the schema has a number of more levels than coarse
# cells can tell apart, and a category of more than these.
LINK_SHARE, LEAST_CATEGORIES, LEAST_NUMBERS, MOST_LINKS = 0.03, 9, 24, 2
# Numbers with at most so many levels have a tree of one, two or three depths; others four.
DEPTH_LEVELS = (128, 2500, 21_000)
# With more pairs than this their noise drowns them: the pairs to count are chosen by released tables.
MOST_PAIRS = 600
ADJACENCY = "one row more or less; the number of rows is protected too"


def tree_widths(column: Levels) -> list[int]:
    """Return how many levels a node spans at each depth of the tree of a number; the last is 1.

    Widths are 1, 2 or 5 times a power of ten, so that edges are round numbers as spikes are.
    """
    if not column.ordered:
        return [1]
    depths = 1 + sum(column.count > limit for limit in DEPTH_LEVELS)
    branching = column.count ** (1 / depths)
    return [_round_width(column.count / branching**depth) for depth in range(1, depths)] + [1]


def _round_width(width: float) -> int:
    if width <= 1:
        return 1
    power = 10 ** math.floor(math.log10(width))
    return int(min((factor * power for factor in (1, 2, 5, 10)), key=lambda each: abs(math.log(each / width))))


@dataclass(frozen=True)
class Stages:
    """The planned queries in the order in which they are drawn."""

    trees: tuple[Step, ...]
    """One for each depth; the first has the row count and all levels of categories too."""
    cells: Step
    """Label by fine cell of every column."""
    pairs: Step | None
    """Label by pair of coarse cells; None with one column."""
    n_pairs: int
    links: Step | None = None
    """Numbers by category; None if the schema has no category or number of many levels."""
    n_links: int = 0

    @property
    def steps(self) -> tuple[Step, ...]:
        """All of them."""
        return (*self.trees, self.cells, *(step for step in (self.pairs, self.links) if step is not None))


def link_leaders(layout: Layout) -> list[int]:
    """Return the categories on which a number may hang."""
    return [j for j, column in enumerate(layout.columns) if not column.ordered and column.count > LEAST_CATEGORIES]


def link_followers(layout: Layout) -> list[int]:
    """Return the numbers that may hang on a category."""
    return [j for j, column in enumerate(layout.columns) if column.ordered and column.count > LEAST_NUMBERS]


def plan_stages(layout: Layout, budget: Budget) -> Stages:
    """Return the queries whose noise keeps ``budget`` together; nothing is charged.

    Inequality: one row more adds 1 to exactly one count of each table that it enters: of m tables together, sqrt(m)
    in 2-norm. Trees: the row count, each category and each depth of each number's tree are one table each. Links:
    ``n_links`` tables of one category and one number, whichever they are; one that is asked k times counts as k. Pairs
    likewise: of few rows as many tables of single columns are asked instead, each several times.
    """
    q = len(layout.columns)
    touched = _touched(layout)
    n_pairs = min(q * (q - 1) // 2, MOST_PAIRS)
    n_links = min(len(link_followers(layout)), MOST_LINKS) if link_leaders(layout) else 0
    sizes = [sum(touched), q, *(size for size in (n_pairs, n_links) if size)]
    shares = [TREE_SHARE, CELL_SHARE, PAIR_SHARE, LINK_SHARE][: len(sizes)]

    def mechanisms(level: float) -> list[Gaussian]:
        sigmas = [level * math.sqrt(size * sum(shares) / share) for size, share in zip(sizes, shares, strict=True)]
        trees = [_gaussian(sigmas[0], count) for count in touched]
        return trees + [_gaussian(sigma, size) for sigma, size in zip(sigmas[1:], sizes[1:], strict=True)]

    def events(level: float) -> Event:
        return SequentialEvent(tuple(each.event for each in mechanisms(level)))

    drawn = mechanisms(calibrate(events, budget))
    trees = tuple(
        _tree_step(mechanism, depth, count)
        for depth, (mechanism, count) in enumerate(zip(drawn, touched, strict=False))
    )
    cells = _step(drawn[len(trees)], "counts of each class in cells of each column", q, "one cell of each column")
    pairs = links = None
    if n_pairs:
        what = "counts of each class in pairs of cells of two columns; of few rows, in cells of each column again"
        pairs = _step(drawn[len(trees) + 1], what, n_pairs, "one count of each of these tables")
    if n_links:
        what = "counts of a number's levels for each level of the category that it hangs on most"
        links = _step(drawn[-1], what, n_links, "one count of each of these tables")
    return Stages(trees, cells, pairs, n_pairs, links, n_links)


def _gaussian(sigma: float, count: int) -> Gaussian:
    # The root is rounded up: the bound must not lie below the true one.
    return Gaussian(sigma, math.nextafter(math.sqrt(count), math.inf), count)


def _touched(layout: Layout) -> list[int]:
    """Return how many counts of each depth of the trees one row enters."""
    depths = [len(tree_widths(column)) for column in layout.columns]
    deeper = [sum(each > depth for each in depths) for depth in range(1, max(depths))]
    return [1 + len(layout.columns), *deeper]


def _tree_step(mechanism: Gaussian, depth: int, count: int) -> Step:
    what = "the row count, counts of categories, and of ranges of each number"
    if depth:
        what = f"counts of finer ranges of numbers, depth {depth + 1}"
    return _step(mechanism, what, count, "one count of each of these tables")


def _step(mechanism: Gaussian, what: str, count: int, where: str) -> Step:
    because = f"one row more adds 1 to {where}, {count} in all: sqrt({count}) in 2-norm"
    return Step(mechanism, what, because, relation=Relation.ADD_REMOVE)
