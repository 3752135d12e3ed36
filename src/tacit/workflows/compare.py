"""Compare a fabricated table with the private one it stands for, as users of synthetic data judge it."""

import warnings
from pathlib import Path

from tacit.arrays import UNLABELLED
from tacit.audit.table_comparison import TableComparison, compare_tables
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.files.atomic import require_output, write_text
from tacit.files.regular import FilePath
from tacit.pages.compare import compare_page
from tacit.workflows.tables import Progress, Table, as_schema, encoded_rows, input_paths, no_progress, whole_row_schema

# Fewer rows say nothing about two tables.
LEAST_ROWS = 10


def compare(
    real: Table,
    fabricated: Table,
    schema: Schema | FilePath,
    *,
    holdout: Table | None = None,
    report: FilePath | None = None,
    force: bool = False,
    progress: Progress = no_progress,
) -> TableComparison:
    """Return how a fabricated table compares with the private one, and write a page about it if ``report`` is given.

    For the owner: every figure, and the page, is computed from private rows without noise. Nothing is charged because
    nothing may leave.

    Parameters
    ----------
    real : path, DataFrame or Encoded
        The private rows that the table was made of; rows without a label are left out.
    fabricated : path, DataFrame or Encoded
        Made by any tool, with the columns of the schema.
    schema : Schema or path
    holdout : path, DataFrame, Encoded or None
        Real rows that the table was not made of: learners are tested on them, and closeness is measured by them.
    report : path or None
        An HTML page.
    """
    rules = whole_row_schema(as_schema(schema), real, fabricated, holdout)
    if report is not None:
        require_output(Path(report), force=force, inputs=input_paths(real, fabricated, schema, holdout))
    tables = [_rows(table, rules, progress) for table in (real, fabricated, holdout) if table is not None]
    progress("comparing")
    comparison = compare_tables(tables[0], tables[1], rules, tables[2] if holdout is not None else None)
    if report is not None:
        write_text(Path(report), compare_page(comparison, tables[0], tables[1], rules))
    return comparison


def _rows(table: Table, schema: Schema, progress: Progress) -> Encoded:
    rows = encoded_rows(table, schema, labels="optional", progress=progress)
    if schema.label is not None:
        labelled = rows.y != UNLABELLED
        if not labelled.all():
            warnings.warn(f"{int((~labelled).sum()):,} rows without a label left out.", stacklevel=3)
        rows = rows.where(labelled)
    if len(rows.y) < LEAST_ROWS:
        raise InputError(f"each table must have at least {LEAST_ROWS} labelled rows; got {len(rows.y)}.")
    return rows
