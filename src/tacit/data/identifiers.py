"""Columns that name somebody in several rows: noticed by how their values repeat, never quoted."""

import re
from dataclasses import dataclass

import polars as pl

from tacit.data.cells import category_texts
from tacit.data.columns import Ignored, Label, Person
from tacit.data.schema import Schema

# "patient", "patient_id", "Id", "customer number": what people call the column that says whose row it is.
_WHO = "patient|person|subject|user|customer|client|member|participant|respondent|pupil|student|employee|insured"
_NAME = re.compile(rf"(^|[ _.-])(id|identifier|({_WHO})([ _.-]?(id|no|nr|num|number|code|name|key))?)$", re.IGNORECASE)
# Fewer different values than this name groups (wards, splits) rather than persons.
FEWEST_NAMED, FEWEST_UNNAMED = 5, 50
# On average so many rows for each value, at least: a few equal free texts are no persons.
LEAST_ROWS = 1.02


@dataclass(frozen=True)
class RepeatingColumn:
    """A column whose values repeat like an identifier, and the number of rows of its most frequent value.

    ``most_rows`` is an exact fact about private rows: for the owner alone. ``declared``: the schema says that it names
    persons.
    """

    name: str
    most_rows: int
    declared: bool = False


def is_identifier_name(name: str) -> bool:
    """Whether a column called ``name`` probably says whose row it is."""
    return bool(_NAME.search(name))


def repeats_like_identifier(series: pl.Series) -> bool:
    """Whether the cells of ``series`` name many things, some of them in several rows."""
    if series.dtype.is_nested() or series.dtype == pl.Binary or series.dtype.is_float():
        return False
    texts = category_texts(series, ()).drop_nulls()
    different = texts.n_unique()
    least = FEWEST_NAMED if is_identifier_name(series.name) else FEWEST_UNNAMED
    return different >= least and len(texts) >= LEAST_ROWS * different


def repeating_columns(table: pl.DataFrame, schema: Schema) -> list[RepeatingColumn]:
    """Return the columns of ``table`` that may name persons with several rows.

    The schema's column of kind 'person'; columns that it ignores or does not list; and features whose name says so.
    """
    rules = {column.name: column for column in schema.columns}
    found = []
    for name in table.columns:
        rule = rules.get(name, Ignored(name))
        declared = isinstance(rule, Person)
        candidate = isinstance(rule, Ignored) or (is_identifier_name(name) and not isinstance(rule, Label))
        if declared or (candidate and repeats_like_identifier(table[name])):
            found.append(RepeatingColumn(name, _most_rows(table[name], schema), declared))
    return [column for column in found if column.most_rows > 1]


def _most_rows(series: pl.Series, schema: Schema) -> int:
    texts = category_texts(series, schema.missing_values).drop_nulls()
    return int(texts.value_counts()["count"].max() or 0) if len(texts) else 0  # type: ignore[arg-type]
