"""Counts of one, two or more columns from a released model, with the intervals that its noise leaves."""

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from tacit.arrays import BoolArray, FloatArray
from tacit.data.schemas.conditions import Condition
from tacit.errors import InputError
from tacit.models.marginals.conditioning import Rules, conditioned
from tacit.models.marginals.consistent import consistent_column, consistent_pair, with_class_counts
from tacit.models.marginals.constraint_cells import LevelCells, partly_met_levels, ruled_out_cells
from tacit.models.marginals.levels import Levels
from tacit.models.marginals.mixture import Mixture
from tacit.models.marginals.model import MarginalModel
from tacit.models.marginals.tables import ColumnTable
from tacit.records import record

# Half width of an interval in standard deviations: 95 of 100 hold the true count.
DEVIATIONS = 1.959964
# A table of more cells is of no use on a page.
MOST_CELLS = 10_000


@record
class CountLine:
    """One cell of a table of counts."""

    cells: tuple[str, ...]
    rows: float
    """The number of rows, consistent with all others."""
    interval: tuple[float, float] | None
    """Holds the true number 95 times of 100 and never goes below 0; None where it is not known."""
    noisy: float | None
    """The count with its noise, unbiased, so that it may lie below 0; None of an estimate by the mixture."""
    ruled_out: bool
    """Whether the schema's constraints allow no row here."""


@record
class CountTable:
    """A table of counts."""

    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    """Names of the cells of each column."""
    counts: FloatArray
    """[cells of the first, cells of the second, ...]: numbers of rows as the noise left them: unbiased, and possibly
    below 0."""
    consistent: FloatArray
    """The same made consistent: none below 0, 0 in cells that are ruled out, and counts of one or two columns add up to
    the same totals in every question."""
    ruled_out: BoolArray
    """Where the schema's constraints allow no row."""
    half_width: float | None
    """Of a 95 % interval around each of ``counts``; None: the mixture's estimate, whose error is not known."""

    def lines(self) -> Iterator[CountLine]:
        """Yield every cell."""
        for place in itertools.product(*(range(len(cells)) for cells in self.cells)):
            names = tuple(cells[index] for cells, index in zip(self.cells, place, strict=True))
            noisy = None if self.half_width is None else float(self.counts[place])
            rows, ruled_out = float(self.consistent[place]), bool(self.ruled_out[place])
            yield CountLine(names, rows, self._interval(place), noisy, ruled_out)

    def _interval(self, place: tuple[int, ...]) -> tuple[float, float] | None:
        """Return count ± half width, cut at 0 and widened to the consistent count: it holds the truth as often."""
        if self.half_width is None:
            return None
        if self.ruled_out[place]:
            return 0.0, 0.0
        noisy, rows = float(self.counts[place]), float(self.consistent[place])
        return max(min(noisy - self.half_width, rows), 0.0), max(noisy + self.half_width, rows)


def asked_columns(question: str) -> list[str]:
    """Return the columns of a question such as ``"sex x income"``."""
    names = [name.strip() for name in question.split(" x ")]
    if not all(names):
        raise InputError(
            f"a question must name columns, separated by ' x ', such as \"sex x income\"; got {question!r}."
        )
    return names


def answer(model: MarginalModel, question: str, where: Sequence[Condition] = ()) -> CountTable:
    """Return the counts that ``question`` asks for, among the rows that meet the conditions ``where``.

    One column, or one and the label, are counted in fine cells; two, or two and the label, in coarse cells, each
    with the noise of its table alone. Other questions, and those with conditions, are answered by the mixture, which
    states no interval.
    """
    names = asked_columns(question)
    label = None if model.layout.label is None else model.layout.label.name
    places = [_place(model, name) for name in names if name != label]
    if len(set(names)) != len(names):
        raise InputError(f"a question must name each column once; got {question!r}.")
    counted = _conditioned(model, places, where) if where else _counted(model, places)
    counts, consistent, ruled_out = counted.counts, counted.consistent, counted.ruled_out
    cells, sigma = [*counted.names], counted.sigma
    if label not in names:
        # A sum over C classes has C times the variance.
        sigma = None if sigma is None else sigma * math.sqrt(model.layout.n_classes)
        counts, consistent, ruled_out = counts.sum(axis=0), consistent.sum(axis=0), ruled_out.min(axis=0)
    else:
        axis = names.index(str(label))
        counts, consistent = np.moveaxis(counts, 0, axis), np.moveaxis(consistent, 0, axis)
        ruled_out = np.moveaxis(ruled_out, 0, axis)
        cells.insert(axis, _label_names(model))
    half_width = None if sigma is None else DEVIATIONS * sigma
    return CountTable(tuple(names), tuple(cells), counts, consistent, ruled_out, half_width)


def _place(model: MarginalModel, name: str) -> int:
    if name not in model.layout.names:
        column_names = ", ".join(
            [*model.layout.names, *([] if model.layout.label is None else [model.layout.label.name])]
        )
        raise InputError(f"column {name!r} is not in the release; it has {column_names}.")
    return model.layout.names.index(name)


def _label_names(model: MarginalModel) -> tuple[str, ...]:
    return () if model.layout.label is None else model.layout.label.names


@record
class ClassCounts:
    """Counts by class [C, ...] of the cells of some columns."""

    counts: FloatArray
    consistent: FloatArray
    ruled_out: BoolArray
    names: list[tuple[str, ...]]
    """Of the cells of each column."""
    sigma: float | None
    """Noise of one of ``counts``; None where it is not known."""


def _counted(model: MarginalModel, places: list[int]) -> ClassCounts:
    """Return the counts of all rows: of no column, of one in fine cells, or of two and more in coarse cells."""
    measured = model.measurement
    if not places:
        # The class counts of every table were made the same: the best of them has the fewest cells.
        fewest = min(len(table.ranges) for table in measured.columns)
        totals = model.coarse.class_counts
        nothing = np.zeros(len(totals), dtype=bool)
        return ClassCounts(totals, totals, nothing, [], measured.cell_sigma * math.sqrt(fewest))
    if len(places) == 1:
        return _counted_column(model, places[0])
    for pair in measured.pairs:
        if set(pair.columns) == set(places) and len(places) == 2:
            noisy = pair.counts.transpose(0, 2, 1) if pair.columns[0] != places[0] else pair.counts
            ruled_out = _ruled_out(model, _coarse_cells(model, places))
            margins = (_coarse_counts(model, places[0]), _coarse_counts(model, places[1]))
            return ClassCounts(
                noisy,
                consistent_pair(noisy, margins, ruled_out),
                ruled_out,
                _coarse_names(model, places),
                measured.pair_sigma,
            )
    return _estimated(model, places, model.mixture)


def _counted_column(model: MarginalModel, place: int) -> ClassCounts:
    column, table = model.layout.columns[place], model.measurement.columns[place]
    ruled_out = _ruled_out(model, [LevelCells.fine(column, table)])
    consistent = consistent_column(table, _coarse_counts(model, place), ruled_out)
    sigma = model.measurement.cell_sigma
    return ClassCounts(table.counts, consistent, ruled_out, [fine_names(table, column)], sigma)


def _coarse_counts(model: MarginalModel, place: int) -> FloatArray:
    return model.coarse.counts[:, model.offsets[place] : model.offsets[place + 1]]


def _coarse_names(model: MarginalModel, places: list[int]) -> list[tuple[str, ...]]:
    return [coarse_names(model.measurement.columns[place], model.layout.columns[place]) for place in places]


def _coarse_cells(model: MarginalModel, places: list[int]) -> list[LevelCells]:
    return [LevelCells.coarse(model.layout.columns[place], model.measurement.columns[place]) for place in places]


def _ruled_out(model: MarginalModel, axes: list[LevelCells], where: Sequence[Condition] = ()) -> BoolArray:
    """Return where [C, ...] no row that meets ``where`` can keep the schema's constraints."""
    layout = model.layout
    levels = {column.name: column for column in (*layout.columns, *([] if layout.label is None else [layout.label]))}
    given = [
        LevelCells(column, np.where(partly_met_levels(condition, column), 0, 1).astype(np.intp))
        for condition, column in ((condition, levels[condition.column]) for condition in where)
    ]
    constraints = layout.schema.parsed_constraints
    if layout.label is None:
        return ruled_out_cells(axes, constraints, given)[None]
    return ruled_out_cells([LevelCells.single(layout.label), *axes], constraints, given)


def _conditioned(model: MarginalModel, places: list[int], where: Sequence[Condition]) -> ClassCounts:
    """Return the counts of rows that meet conditions, as the mixture given these estimates them."""
    mixture, share = conditioned(model.mixture, model.measurement.columns, Rules(model.layout, tuple(where)))
    return _estimated(model, places, mixture, share, where)


def _estimated(
    model: MarginalModel, places: list[int], mixture: Mixture, share: float = 1.0, where: Sequence[Condition] = ()
) -> ClassCounts:
    """Return a mixture's counts by class [C, ...] of the coarse cells of several columns, for a share of all rows."""
    sizes = [int(model.offsets[place + 1] - model.offsets[place]) for place in places]
    if math.prod(sizes) * model.layout.n_classes > MOST_CELLS:
        raise InputError(f"a table of {math.prod(sizes):,} cells is too large; ask for fewer columns.")
    joint = mixture.weights  # [K, C]
    for place in places:
        shares = mixture.shares[:, model.offsets[place] : model.offsets[place + 1]].astype(np.float64)
        joint = joint[..., None] * shares[(slice(None), *(None,) * (joint.ndim - 1))]
    counts: FloatArray = share * joint.sum(axis=0) * float(model.coarse.class_counts.sum())
    cells = _coarse_cells(model, places)
    ruled_out = _ruled_out(model, cells, where)
    consistent = with_class_counts(counts * ~ruled_out, counts.reshape(len(counts), -1).sum(axis=1))
    return ClassCounts(counts, consistent, ruled_out, _coarse_names(model, places), None)


def fine_names(table: ColumnTable, column: Levels) -> tuple[str, ...]:
    """Return the names of the fine cells of a column: categories, numbers or ranges of them, or "missing"."""
    return tuple(range_name(column, int(first), int(end)) for first, end in table.ranges)


def coarse_names(table: ColumnTable, column: Levels) -> tuple[str, ...]:
    """Return the names of the coarse cells of a column; pooled categories are listed."""
    names = []
    for group in range(table.n_groups):
        ranges = table.ranges[table.groups == group]
        if column.ordered:
            names.append(range_name(column, int(ranges[0, 0]), int(ranges[-1, 1])))
        else:
            names.append(" or ".join(range_name(column, int(first), int(end)) for first, end in ranges))
    return tuple(names)


def range_name(column: Levels, first: int, end: int) -> str:
    """Return the name of the levels from ``first`` to before ``end``."""
    if first >= column.count:
        return "missing"
    if not column.ordered:
        return " or ".join(column.names[level] for level in range(first, min(end, column.count)))
    low, high = (float(column.values(np.array([place]))[0]) for place in (first, min(end, column.count) - 1e-9))
    return column.shown(low) if low == high else f"{column.shown(low)} to {column.shown(high)}"
