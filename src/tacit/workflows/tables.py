"""What every workflow reads: schemas and tables, as files or as objects, and words about progress."""

import os
import warnings
from collections.abc import Callable
from pathlib import Path

import polars as pl

from tacit.arrays import BoolArray
from tacit.data.bad_records import BadRecords
from tacit.data.encoding import Encoded, LabelPresence, encode, encode_file, read_file
from tacit.data.schema import Schema
from tacit.data.schema_file import read_schema
from tacit.files.regular import FilePath
from tacit.privacy.ledger import Ledger, LedgerLike, as_ledger
from tacit.privacy.table_identity import TableIdentity

Table = FilePath | pl.DataFrame | Encoded
# Told at each stage what is being done.
Progress = Callable[[str], None]


def no_progress(stage: str) -> None:
    """Show nothing."""


def input_paths(*inputs: object) -> list[Path]:
    """Return the files among ``inputs``, which an output must not replace: paths, and the file of a ledger."""
    paths = [source.path if isinstance(source, Ledger) else source for source in inputs]
    return [Path(path) for path in paths if isinstance(path, str | os.PathLike)]


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
    if isinstance(table, pl.DataFrame):
        return encode(table, schema, labels=labels)
    progress(f"reading {Path(table).name}")
    return encode_file(table, schema, labels=labels)


def frame_of(
    table: FilePath | pl.DataFrame, schema: Schema, *, progress: Progress = no_progress
) -> tuple[pl.DataFrame, str]:
    """Return the table, read from its file if a path is given, and what error messages call it."""
    if isinstance(table, pl.DataFrame):
        return table, "table"
    progress(f"reading {Path(table).name}")
    return read_file(table, schema), Path(table).name


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
    n_without = int((~has_label).sum())
    warnings.warn(f"{n_without:,} row{'s' * (n_without > 1)} without a label left out.", stacklevel=4)
    return rows.where(has_label), has_label
