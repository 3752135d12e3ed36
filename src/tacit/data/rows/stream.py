"""Rows to sum over, as often as a release has to: in memory, or read again from their source at every pass."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import itemgetter
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Rows
from tacit.data.reading.table_source import BATCH_ROWS, TablePart, TableSource
from tacit.data.rows.encoded_columns import EncodedColumns
from tacit.data.rows.encoding import Place, columns_to_read, encode_columns
from tacit.data.rows.facts import RowFacts, row_facts
from tacit.data.rows.held import HeldParts, HoldParts, LocalParts, hold_here
from tacit.data.schemas.schema import Schema
from tacit.numerics.exact_sums import require_countable
from tacit.records import record

Totals = tuple[NDArray[Any], ...]
Partial = Callable[[EncodedColumns], Totals]
BatchResult = TypeVar("BatchResult")
Item = TypeVar("Item")
# How the parts of a table are worked on: one after the other, by processes, or by a cluster. Results keep their order.
MapParts = Callable[[Callable[[TablePart], BatchResult], Sequence[TablePart]], Iterable[BatchResult]]


class RowStream(Protocol):
    """The labelled rows of a private table."""

    @property
    def facts(self) -> RowFacts:
        """What the owner is told about the rows; every cell has then been read and checked."""
        ...

    def sums(self, partial_sums: Partial) -> Totals:
        """Return the sums of what ``partial_sums`` gives for batches of rows: one pass."""
        ...

    def held(self, function: Callable[[EncodedColumns], list[Any]]) -> HeldParts:
        """Hold what ``function`` makes of the batches of each part of the table: one pass."""
        ...

    def batches(self) -> Iterator[EncodedColumns]:
        """Yield all rows, in order."""
        ...


@record
class ArrayRows:
    """Rows in memory: encoded ``X`` [N, p] with class codes or numbers ``y`` [N]."""

    X: Rows
    y: NDArray[Any]
    known: RowFacts | None = None
    size: int = BATCH_ROWS

    @property
    def facts(self) -> RowFacts:
        """What is known of the rows; at least how many they are."""
        return RowFacts(len(self.X)) if self.known is None else self.known

    def sums(self, partial_sums: Partial) -> Totals:
        """Return the sums of all rows."""
        return reduce(added, map(partial_sums, self.batches()))

    def held(self, function: Callable[[EncodedColumns], list[Any]]) -> HeldParts:
        """Hold what ``function`` makes of all batches."""
        return LocalParts([[result for batch in self.batches() for result in function(batch)]])

    def batches(self) -> Iterator[EncodedColumns]:
        """Yield slices of the matrix."""
        for start in range(0, max(len(self.X), 1), self.size):
            yield EncodedColumns.of_matrix(self.X[start : start + self.size], self.y[start : start + self.size])


def one_by_one(function: Callable[[TablePart], BatchResult], parts: Sequence[TablePart]) -> Iterable[BatchResult]:
    """Work on the parts in this process, one after the other."""
    return map(function, parts)


@dataclass(eq=False)
class SourceRows:
    """The labelled rows of a source, read and encoded anew at every pass; memory holds a few batches."""

    source: TableSource
    schema: Schema
    size: int = BATCH_ROWS
    """Rows of a batch; it changes no result."""
    map_parts: MapParts[Any] = one_by_one
    """How parts are worked on; only what a pass returns travels, never rows."""
    hold_parts: HoldParts = hold_here
    """How what is made of parts is held where it is made."""
    one_class: bool = False
    """Whether all rows are of one class, since the schema has no label."""
    _facts: RowFacts | None = None

    @property
    def facts(self) -> RowFacts:
        """What the first pass found; a pass of its own if there was none."""
        if self._facts is None:
            self.sums(_nothing)
        return self._facts or RowFacts()

    def sums(self, partial_sums: Partial) -> Totals:
        """Return the sums over all parts; whole numbers give the same in any order and division."""
        total, facts = None, RowFacts()
        function = partial(_summed, self._rules, partial_sums, self._facts is None)
        for more_facts, more in self.map_parts(function, self.source.parts):
            facts = facts + more_facts
            if more is not None:
                total = more if total is None else added(total, more)
        self._note(facts)
        return total or ()

    def held(self, function: Callable[[EncodedColumns], list[Any]]) -> HeldParts:
        """Hold what ``function`` makes of the batches of each part, where the part is read."""
        parts = self.hold_parts(partial(_gathered, self._rules, function, self._facts is None), self.source.parts)
        self._note(reduce(RowFacts.__add__, parts.map(itemgetter(0))))
        return parts.then(itemgetter(1))

    def batches(self) -> Iterator[EncodedColumns]:
        """Yield all rows in order, in this process."""
        for part in self.source.parts:
            for rows, _ in _encoded(self._rules, part):
                yield rows.where(rows.has_outcome)

    @property
    def _rules(self) -> "_Rules":
        return _Rules(self.source.name, self.schema, self.size, self.one_class)

    def _note(self, facts: RowFacts) -> None:
        if self._facts is None:
            # Before anything is charged: the first pass has read every cell.
            self.source.require_rows(facts.n_rows, n_unlabelled=facts.n_left_out)
            require_countable(facts.n_rows)
            self._facts = facts


@record
class _Rules:
    """How parts of a table are read: what messages call it, its schema, the rows of a batch, whether it has a label."""

    source: str
    schema: Schema
    size: int
    one_class: bool


def added(first: Totals, second: Totals) -> Totals:
    """Return the sums of two lists of arrays."""
    return tuple(one + other for one, other in zip(first, second, strict=True))


def _nothing(_: EncodedColumns) -> Totals:
    return ()


def _encoded(rules: _Rules, part: TablePart) -> Iterator[tuple[EncodedColumns, Any]]:
    n_before = part.first_row
    for frame in part.batches(columns_to_read(rules.schema), rules.size):
        place = Place(part.name, n_before)
        n_before += frame.height
        if frame.height and rules.one_class:
            rows = encode_columns(frame, rules.schema, labels="optional", place=place)
            yield replace(rows, y=np.zeros_like(rows.y)), frame
        elif frame.height:
            yield encode_columns(frame, rules.schema, labels="column", place=place), frame


def _worked(rules: _Rules, part: TablePart, *, look: bool) -> Iterator[tuple[RowFacts, EncodedColumns]]:
    for rows, frame in _encoded(rules, part):
        known = rows.has_outcome
        labelled = rows.where(known)
        facts = row_facts(labelled, frame if known.all() else frame.filter(known), rules.schema) if look else RowFacts()
        yield facts.with_left_out(len(rows) - len(labelled)), labelled


def _summed(rules: _Rules, partial_sums: Partial, look: bool, part: TablePart) -> tuple[RowFacts, Totals | None]:
    facts, total = RowFacts(), None
    for more_facts, rows in _worked(rules, part, look=look):
        facts, more = facts + more_facts, partial_sums(rows)
        total = more if total is None else added(total, more)
    return facts, total


def _gathered(
    rules: _Rules, function: Callable[[EncodedColumns], list[Any]], look: bool, part: TablePart
) -> tuple[RowFacts, list[Any]]:
    facts, results = RowFacts(), []
    for more_facts, rows in _worked(rules, part, look=look):
        facts = facts + more_facts
        results.extend(function(rows))
    return facts, results
