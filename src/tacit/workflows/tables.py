"""What every workflow reads: schemas, tables and ledgers, as files or as objects, and which rows of a person count.

The owner is told which promises protect little, and what a person with several rows loses.
"""

import math
import os
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit import checks
from tacit.arrays import BoolArray
from tacit.data.reading.table_source import NO_LABELS, TableSource
from tacit.data.reading.tables import is_database
from tacit.data.rows.contribution import kept_rows
from tacit.data.rows.encoding import Encoded, LabelPresence, columns_to_read, encode, encode_source, open_for
from tacit.data.rows.facts import RowFacts
from tacit.data.rows.stream import ArrayRows, RowStream, SourceRows
from tacit.data.rows.workers import ALONE, Workers
from tacit.data.schemas.bad_records import BadRecords
from tacit.data.schemas.columns import Numeric
from tacit.data.schemas.file import read_schema
from tacit.data.schemas.identifiers import RepeatingColumn, count_names
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.files.regular import FilePath
from tacit.privacy import accounting
from tacit.privacy.account import Plan, plan_event
from tacit.privacy.budget import Budget, Unit, cautions, clipping_cautions
from tacit.privacy.events import ApproximateEvent, Event
from tacit.privacy.ledger import Ledger, LedgerLike, as_ledger
from tacit.privacy.ledger_records import TableIdentity
from tacit.privacy.spending import digits
from tacit.releases.kind import choice_key, require_rows_per_person

# A path, a database with its query, "-" for standard input, a data frame, or rows that are encoded already.
Table = FilePath | pl.DataFrame | Any
# Told at each stage what is being done.
Progress = Callable[[str], None]


def no_progress(stage: str) -> None:
    """Show nothing."""


def input_paths(*inputs: object) -> list[Path]:
    """Return the files among ``inputs``, which an output must not replace: paths, and the file of a ledger."""
    paths = [source.path if isinstance(source, Ledger) else source for source in inputs]
    return [Path(path) for path in paths if isinstance(path, str | os.PathLike) and not is_database(path)]


def table_identity(schema: Schema, name: str) -> TableIdentity:
    """Return what tells the table of ``schema`` from others: the names of its columns, and its owner's ``name`` for it.

    Bounds and other rules may change from release to release; the rows stay those of the same people.
    """
    label = () if schema.label is None else (schema.label.name,)
    return TableIdentity({"columns": sorted([*(column.name for column in schema.features), *label])}, name)


def ledger_of(ledger: LedgerLike, schema: Schema) -> Ledger | None:
    """Return the ledger, opened for releases of the table of ``schema``: the wrong table is then noticed."""
    book = as_ledger(ledger)
    return None if book is None else book.for_table(table_identity(schema, book.name))


def as_schema(schema: Schema | FilePath, bad_records: BadRecords | str | None = None) -> Schema:
    """Return the schema, read from its file if a path is given; ``bad_records`` gives every cell a rule."""
    rules = schema if isinstance(schema, Schema) else read_schema(schema)
    return rules if bad_records is None else rules.with_bad_records(bad_records)


def encoded_rows(
    table: Table, schema: Schema, *, labels: LabelPresence = "required", progress: Progress = no_progress
) -> Encoded:
    """Return the table as numbers in [0, 1]; rows that are encoded already stay as they are."""
    if isinstance(table, Encoded):
        return table
    return encode_source(opened(table, schema, progress=progress), schema, labels=labels)


def frame_of(table: Table, schema: Schema, *, progress: Progress = no_progress) -> tuple[pl.DataFrame, str]:
    """Return the table whole, read from wherever it lies, and what error messages call it."""
    source = opened(table, schema, progress=progress)
    return source.read(columns_to_read(schema)), source.name


def opened(table: Table, schema: Schema, *, progress: Progress = no_progress) -> TableSource:
    """Return the table as a source of batches, and say what is found about how its files are written."""
    source = open_for(table, schema)
    progress(f"reading {source.name}{source.notes and f' ({source.notes})'}")
    return source


def labelled_rows(table: Table, schema: Schema, *, progress: Progress = no_progress) -> Encoded:
    """Return the labelled rows, and warn how many were left out; whether all classes are there does not matter."""
    return labelled(encoded_rows(table, schema, labels="column", progress=progress))[0]


def labelled(rows: Encoded) -> tuple[Encoded, BoolArray]:
    """Return the labelled rows and which these are; warn how many were left out.

    One row more or less in the table is at most one row more or less among the labelled ones.
    """
    has_label = rows.has_outcome
    if has_label.all():
        return rows, has_label
    if not has_label.any():
        raise InputError(NO_LABELS)
    warnings.warn(_left_out_words(int((~has_label).sum())), stacklevel=4)
    return rows.where(has_label), has_label


@dataclass(frozen=True)
class Contribution:
    """What one epsilon protects, and the most rows of one person that are read: None where they are not bounded.

    ``key`` chooses which rows of a person are read; see ``choice_key``.
    """

    unit: Unit
    rows: int | None = None
    key: bytes = b""


def with_person(schema: Schema, person: str | None) -> Schema:
    """Return the schema with the column ``person`` of kind "person", if one is given."""
    return schema if person is None else schema.with_person(person)


def chosen_unit(schema: Schema, unit: Unit | str | None) -> Unit:
    """Return ``unit``, or a person where ``schema`` names the column, or else a record."""
    usual = Unit.RECORD if schema.person is None else Unit.PERSON
    return usual if unit is None else checks.one_of("unit", unit, list(Unit))


def contribution(
    schema: Schema, *, unit: Unit | str | None, rows: int | None, ledger: Ledger | None, random_state: int | None
) -> Contribution:
    """Return what is protected, the bound on one person's rows if that is a person, and which of them are read."""
    chosen = chosen_unit(schema, unit)
    if chosen is Unit.PERSON:
        if schema.person is None:
            raise InputError(
                "person must name the column that says whose row it is with unit 'person': give --person COLUMN, or "
                'declare the column with kind = "person" in the schema.'
            )
        rows = schema.person.rows if rows is None else rows
    return Contribution(chosen, require_rows_per_person(chosen, rows), choice_key(ledger, random_state))


def whole_row_schema(schema: Schema, *tables: Table | None) -> Schema:
    """Return the schema by which rows are fabricated: a number to predict is a column like any other.

    Rows that were encoded before, without that number among their columns, keep ``schema``.
    """
    return schema if any(isinstance(table, Encoded) for table in tables) else schema.with_target_as_number()


def private_rows(
    table: Table,
    schema: Schema,
    kept: Contribution,
    *,
    streams: bool = False,
    label_free: bool = False,
    workers: Workers = ALONE,
    progress: Progress = no_progress,
) -> RowStream:
    """Return the labelled rows, bounded per person if that is the unit.

    With ``label_free`` all rows are of one class where the schema has neither a label nor a number to predict.

    With ``streams`` they are read batch by batch as often as they are summed, unless a person's rows must be seen
    together; otherwise the table is read whole.
    """
    if streams and not kept.rows and not isinstance(table, Encoded):
        source = opened(table, schema, progress=progress).split(workers.pieces)
        one_class = label_free and not _has_outcome(schema)
        return SourceRows(
            source, schema, map_parts=workers.map_parts, hold_parts=workers.hold_parts, one_class=one_class
        )
    if workers is not ALONE:
        raise InputError(
            "workers read tables whose release is made of sums over rows: methods moments, additive and marginals, "
            "per record or entry. Leave --workers and --dask out."
        )
    rows, facts = rows_in_memory(table, schema, kept, label_free=label_free, progress=progress)
    return ArrayRows(rows.X, rows.outcomes, facts)


def _has_outcome(schema: Schema) -> bool:
    return schema.label is not None or schema.target is not None


def _of_one_class(rows: Encoded) -> Encoded:
    return replace(rows, y=np.zeros_like(rows.y))


def rows_in_memory(
    table: Table,
    schema: Schema,
    kept: Contribution,
    *,
    label_free: bool = False,
    progress: Progress = no_progress,
) -> tuple[Encoded, RowFacts]:
    """Return the labelled rows as a matrix, bounded per person if that is the unit, and what their owner is told.

    ``label_free`` as in `private_rows`.
    """
    one_class = label_free and not _has_outcome(schema)
    if isinstance(table, Encoded):
        rows, names = labelled(_of_one_class(table) if one_class else table)[0], {}
        if rows.persons is not None and schema.person is not None:
            names = count_names(pl.DataFrame({schema.person.name: rows.persons}), schema)
    else:
        frame, source = frame_of(table, schema, progress=progress)
        encoded = encode(frame, schema, labels="optional" if one_class else "column", source=source)
        rows, has_label = labelled(_of_one_class(encoded) if one_class else encoded)
        names = count_names(frame.filter(has_label), schema)
    if kept.rows:
        rows, names = _kept(rows, kept), {}
    return rows, RowFacts(len(rows.y), 0, _at_bounds(rows, schema), names)


def _at_bounds(rows: Encoded, schema: Schema) -> dict[str, tuple[int, int]]:
    numbers = [column.name for column in schema.features if isinstance(column, Numeric)]
    values = {name: rows.X[:, schema.positions[name].start] for name in numbers}
    return {name: (int((column == 0).sum()), int((column == 1).sum())) for name, column in values.items()}


def _kept(rows: Encoded, kept: Contribution) -> Encoded:
    """Return at most the bound of each person's rows, chosen by the key; warn how many rows were left out."""
    if rows.persons is None:
        raise InputError(
            "table must have the column that says whose row it is, to bound a person's rows. Check its name in the "
            "schema or in --person."
        )
    named = rows.persons != ""
    if not named.all():
        # Rows that are nobody's are not read at all, so that they can tell nothing of whoever they belong to.
        n_without = int((~named).sum())
        warnings.warn(f"{n_without:,} row{'s' * (n_without > 1)} without a person left out.", stacklevel=4)
        return _kept(rows.where(named), kept)
    stay = kept_rows(rows.persons, rows_per_person=kept.rows or 1, key=kept.key)
    if not stay.all():
        words = f"{int((~stay).sum()):,} of {len(stay):,} rows left out: at most {kept.rows} of each person are read."
        warnings.warn(words, stacklevel=4)
    return rows.where(stay)


def warn_of_rows(plan: Plan, facts: RowFacts) -> None:
    """Warn of what an owner should know, for their eyes alone.

    Rows left out, what a person with several rows loses by ``plan``, promises that protect little, clipped columns.
    """
    if facts.n_left_out:
        warnings.warn(_left_out_words(facts.n_left_out), stacklevel=4)
    warn_of_repeating(plan.budget, facts.repeating, event=plan_event(plan.steps, plan.budget))
    for sentence in (*cautions(plan.budget, n_rows=facts.n_rows), *clipping_cautions(facts.clipped)):
        warnings.warn(sentence, stacklevel=4)


def _left_out_words(count: int) -> str:
    return f"{count:,} row{'s' * (count > 1)} without a label left out."


def warn_of_repeating(budget: Budget, columns: Iterable[RepeatingColumn], *, event: Event | None = None) -> None:
    """Warn what one person with several rows loses by a promise per record, for each column that may name persons.

    ``event`` is what the promise is kept by; None: nothing better is known than the promise.
    """
    if budget.unit is not Unit.RECORD:
        return
    for column in columns:
        known = ApproximateEvent(budget.epsilon, budget.delta) if event is None else event
        warnings.warn(_loss_words(budget, known, column), stacklevel=3)


def _loss_words(budget: Budget, event: Event, column: RepeatingColumn) -> str:
    lost = accounting.epsilon(accounting.at_group(event, column.most_rows), delta=budget.delta)
    figure = f"epsilon {digits(lost, up=True)}" if math.isfinite(lost) else "more than any epsilon says"
    naming = "names persons" if column.declared else "repeats like an identifier"
    whose = "" if column.declared else "If it names persons, "
    return (
        f"column {column.name!r} {naming}: {column.most_rows:,} rows have the same value in it, and epsilon "
        f"{budget.epsilon:g} protects one record. {whose}{'that' if whose else 'That'} person loses {figure} at "
        f"delta {budget.delta:g}. To protect persons: --person {column.name} --rows-per-person K."
    )
