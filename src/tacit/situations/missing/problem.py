"""A column with blanks as a learning problem: its known cells are the labels, the other columns the features."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.arrays import UNLABELLED, BoolArray, IntArray
from tacit.data.rows.encoding import encode
from tacit.data.schemas.cells import category_cells
from tacit.data.schemas.columns import Categorical, Column, Label
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, SchemaError
from tacit.records import record


@record
class InferenceProblem:
    """The problem to predict the missing cells of one column from the other columns."""

    column: str
    """The column with blanks."""
    rules: Schema
    """The table's schema with this column as its label and its former label, if any, as a feature."""
    X: NDArray[np.floating[Any]]
    """[rows, encoded columns]: all other columns, in [0, 1]."""
    y: IntArray
    """[rows]: codes of the column's categories; −1 where the cell is missing."""

    @property
    def missing(self) -> BoolArray:
        """Which rows leave the column blank."""
        blank: BoolArray = self.y == UNLABELLED
        return blank


def inference_problem(table: pl.DataFrame, schema: Schema, column: str, *, source: str = "table") -> InferenceProblem:
    """Return the problem to predict the blank cells of ``column``; raise InputError if they cannot be predicted.

    Any column with a closed list may be inferred. If it is not the schema's label, the label serves as a feature where
    it is present. ``source`` is what error messages call the table.
    """
    target = _target(schema, column)
    if column not in table.columns:
        raise SchemaError(f"{source}: the table lacks {column!r}, the column to infer. Add it, blank where unknown.")
    label = schema.label if schema.label != target else None
    if label is not None and label.name in table.columns:
        table = table.with_columns(_merged(table[label.name], label, schema))
    rules = _schema_with_label(schema, target, present=set(table.columns))
    encoded = encode(table, rules, source=source)
    _check_known(encoded.y, target, source)
    return InferenceProblem(column, rules, encoded.X, encoded.y)


def _target(schema: Schema, column: str) -> Categorical | Label:
    """Return the rule of the column to infer, which must have a closed list."""
    target = next((rule for rule in schema.columns if rule.name == column), None)
    if isinstance(target, Categorical | Label):
        return target
    able = ", ".join(repr(rule.name) for rule in schema.columns if isinstance(rule, Categorical | Label)) or "none"
    if target is None:
        raise InputError(f"column must be a column of the schema with a closed list ({able}); got {column!r}.")
    raise InputError(
        f"column {column!r} is {target.kind}: only a column with a closed list can be inferred, here {able}. "
        'Numbers can be cut into ranges first, and the new column given kind = "categorical".'
    )


def _schema_with_label(schema: Schema, target: Categorical | Label, *, present: set[str]) -> Schema:
    """Return the schema in which ``target`` is the label, and the former label a feature if the table has it."""
    columns = [_with_new_role(rule, target) for rule in schema.columns]
    kept = [rule for rule in columns if rule.name in present or rule.name != getattr(schema.label, "name", None)]
    if not any(isinstance(rule, Categorical) or rule.kind == "numeric" for rule in kept):
        raise InputError(f"column {target.name!r} cannot be inferred: the schema has no other column to infer it from.")
    return replace(schema, columns=tuple(kept))


def _with_new_role(rule: Column, target: Categorical | Label) -> Column:
    if rule == target:
        return target if isinstance(target, Label) else _as_label(target)
    if isinstance(rule, Label):
        return Categorical(rule.name, rule.classes, "category", rule.unknown, rule.missing_values)
    return rule


def _as_label(rule: Categorical) -> Label:
    if len(rule.categories) < 2:
        raise InputError(f"column {rule.name!r} has one category only: there is nothing to infer.")
    return Label(rule.name, rule.categories, unknown=rule.unknown, missing_values=rule.missing_values)


def _merged(series: pl.Series, label: Label, schema: Schema) -> pl.Series:
    """Return the label's cells as class names, since a feature merges no texts; unknown texts stay as they are."""
    codes = category_cells(series, label, missing_values=schema.missing_values).codes
    names = pl.Series(label.classes, dtype=pl.String).gather(np.maximum(codes, 0))
    return names.zip_with(pl.Series(codes >= 0), series.cast(pl.String)).alias(label.name)


def _check_known(y: IntArray, target: Categorical | Label, source: str) -> None:
    """Raise InputError for a column without blanks, and for one with too few known cells to hold some out."""
    where = f"{source}: column {target.name!r}"
    if not (y == UNLABELLED).any():
        raise InputError(f"{where} has no missing cell: there is nothing to infer.")
    counts = np.bincount(y[y != UNLABELLED], minlength=1)
    if counts.sum() == 0:
        raise InputError(f"{where} is missing in every row: fill in some rows of each category to learn from.")
    if (counts > 0).sum() < 2:
        raise InputError(f"{where} holds one category only: with no example of another there is nothing to tell apart.")
    if (counts > 1).sum() < 2:
        raise InputError(
            f"{where} must be known for two rows or more of two categories at least, so that some can be held out; "
            f"it is known for {counts.sum()}. Fill in more."
        )
