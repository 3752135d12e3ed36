"""Counts of one, two or more columns from a released model, with the intervals that its noise leaves."""

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from tacit.arrays import FloatArray
from tacit.data.schemas.conditions import Condition
from tacit.errors import InputError
from tacit.models.marginals.conditioning import Rules, conditioned
from tacit.models.marginals.levels import Levels
from tacit.models.marginals.mixture import Mixture
from tacit.models.marginals.model import MarginalModel
from tacit.models.marginals.tables import ColumnTable
from tacit.records import record

# Half width of an interval in standard deviations: 95 of 100 hold the true count.
DEVIATIONS = 1.959964
# A table of more cells is of no use on a page.
MOST_CELLS = 10_000


# Names of a cell, its count, and its interval.
CountLine = tuple[tuple[str, ...], float, tuple[float, float] | None]


@record
class CountTable:
    """A table of counts."""

    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    """Names of the cells of each column."""
    counts: FloatArray
    """[cells of the first, cells of the second, ...]: estimated numbers of rows; noise may take them below 0."""
    half_width: float | None
    """Of a 95 % interval around each count; None: the mixture's estimate, whose error is not known."""

    def lines(self) -> Iterator[CountLine]:
        """Yield the names of each cell, its count, and the interval, which does not go below 0."""
        for place in itertools.product(*(range(len(cells)) for cells in self.cells)):
            names = tuple(cells[index] for cells, index in zip(self.cells, place, strict=True))
            count, half = float(self.counts[place]), self.half_width
            yield names, count, None if half is None else (max(count - half, 0.0), max(count + half, 0.0))


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
    with_label = label in names
    tables, cells, sigma = _conditioned(model, places, where) if where else _counted(model, places)
    if not with_label:
        # A sum over C classes has C times the variance.
        sigma = None if sigma is None else sigma * math.sqrt(model.layout.n_classes)
        tables = tables.sum(axis=0)
    else:
        tables = np.moveaxis(tables, 0, names.index(str(label)))
        cells.insert(names.index(str(label)), _label_names(model))
    half_width = None if sigma is None else DEVIATIONS * sigma
    return CountTable(tuple(names), tuple(cells), tables, half_width)


def _place(model: MarginalModel, name: str) -> int:
    if name not in model.layout.names:
        column_names = ", ".join(
            [*model.layout.names, *([] if model.layout.label is None else [model.layout.label.name])]
        )
        raise InputError(f"column {name!r} is not in the release; it has {column_names}.")
    return model.layout.names.index(name)


def _label_names(model: MarginalModel) -> tuple[str, ...]:
    return () if model.layout.label is None else model.layout.label.names


Counted = tuple[FloatArray, list[tuple[str, ...]], float | None]


def _counted(model: MarginalModel, places: list[int]) -> Counted:
    """Return counts by class [C, ...], the names of the cells, and the noise of a count."""
    measured = model.measurement
    if not places:
        # The class counts of every table were made the same: the best of them has the fewest cells.
        fewest = min(len(table.ranges) for table in measured.columns)
        return model.coarse.class_counts, [], measured.cell_sigma * math.sqrt(fewest)
    columns = [model.layout.columns[place] for place in places]
    tables = [measured.columns[place] for place in places]
    if len(places) == 1:
        return tables[0].counts, [fine_names(tables[0], columns[0])], measured.cell_sigma
    cells = [coarse_names(table, column) for table, column in zip(tables, columns, strict=True)]
    for pair in measured.pairs:
        if set(pair.columns) == set(places) and len(places) == 2:
            swapped = pair.columns[0] != places[0]
            return pair.counts.transpose(0, 2, 1) if swapped else pair.counts, cells, measured.pair_sigma
    return _estimated(model, places, model.mixture), cells, None


def _conditioned(model: MarginalModel, places: list[int], where: Sequence[Condition]) -> Counted:
    """Return the counts of rows that meet conditions, as the mixture given these estimates them."""
    tables = model.measurement.columns
    mixture, share = conditioned(model.mixture, tables, Rules(model.layout, tuple(where)))
    cells = [coarse_names(tables[place], model.layout.columns[place]) for place in places]
    return share * _estimated(model, places, mixture), cells, None


def _estimated(model: MarginalModel, places: list[int], mixture: Mixture) -> FloatArray:
    """Return a mixture's counts by class [C, ...] of the coarse cells of several columns."""
    sizes = [int(model.offsets[place + 1] - model.offsets[place]) for place in places]
    if math.prod(sizes) * model.layout.n_classes > MOST_CELLS:
        raise InputError(f"a table of {math.prod(sizes):,} cells is too large; ask for fewer columns.")
    joint = mixture.weights  # [K, C]
    for place in places:
        shares = mixture.shares[:, model.offsets[place] : model.offsets[place + 1]].astype(np.float64)
        joint = joint[..., None] * shares[(slice(None), *(None,) * (joint.ndim - 1))]
    counts: FloatArray = joint.sum(axis=0) * float(model.coarse.class_counts.sum())
    return counts


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
