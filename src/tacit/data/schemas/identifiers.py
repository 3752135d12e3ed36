"""Columns that name somebody in several rows: noticed by how their values repeat, never quoted."""

import re
from dataclasses import dataclass

import polars as pl

from tacit.data.schemas.cells import category_texts
from tacit.data.schemas.columns import Ignored, Label, Person
from tacit.data.schemas.schema import Schema
from tacit.records import record

# "patient", "patient_id", "Id", "customer number": what people call the column that says whose row it is.
_WHO = "patient|person|subject|user|customer|client|member|participant|respondent|pupil|student|employee|insured"
_NAME = re.compile(rf"(^|[ _.-])(id|identifier|({_WHO})([ _.-]?(id|no|nr|num|number|code|name|key))?)$", re.IGNORECASE)
# Fewer different values than this name groups (wards, splits) rather than persons.
FEWEST_NAMED, FEWEST_UNNAMED = 5, 50
# On average so many rows for each value, at least: a few equal free texts are no persons.
LEAST_ROWS = 1.02
# Different values of a column that are counted, at most: beyond, a part of them that says as much.
MOST_NAMES = 1 << 18


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
    if not _may_name(series):
        return False
    texts = category_texts(series, ()).drop_nulls()
    different = texts.n_unique()
    least = FEWEST_NAMED if is_identifier_name(series.name) else FEWEST_UNNAMED
    return different >= least and len(texts) >= LEAST_ROWS * different


@record
class NameCounts:
    """How often each value of a column occurs; of very many values, those whose hash ends in ``level`` zero bits."""

    counts: pl.DataFrame
    """Columns ``value`` and ``count``."""
    n_cells: int
    """Cells that are not missing."""
    declared: bool = False
    level: int = 0

    def __add__(self, other: "NameCounts") -> "NameCounts":
        level = max(self.level, other.level)
        both = pl.concat([self.counts, other.counts]).group_by("value").agg(pl.col("count").sum())
        return NameCounts(both, self.n_cells + other.n_cells, self.declared, level).thinned()

    def thinned(self) -> "NameCounts":
        """Return the counts of every second value, as often as it takes to keep at most `MOST_NAMES` of them."""
        counts, level = self.counts, self.level
        while True:
            if level:
                counts = counts.filter(pl.col("value").hash(seed=0) % 2**level == 0)
            if counts.height <= MOST_NAMES:
                return NameCounts(counts, self.n_cells, self.declared, level)
            level += 1

    def repeating(self, name: str) -> RepeatingColumn | None:
        """Return the column if it is declared to name persons, or repeats as if it did."""
        different = self.counts.height * 2**self.level
        least = FEWEST_NAMED if is_identifier_name(name) else FEWEST_UNNAMED
        if not self.declared and not (different >= least and self.n_cells >= LEAST_ROWS * different):
            return None
        most = int(self.counts["count"].max() or 0) if self.counts.height else 0  # type: ignore[arg-type]
        return RepeatingColumn(name, most, self.declared)


def count_names(table: pl.DataFrame, schema: Schema) -> dict[str, NameCounts]:
    """Return how values repeat in the columns of ``table`` that may name persons.

    The schema's column of kind 'person'; columns that it ignores or does not list; and features whose name says so.
    """
    rules = {column.name: column for column in schema.columns}
    name_counts = {}
    for name in table.columns:
        rule = rules.get(name, Ignored(name))
        declared = isinstance(rule, Person)
        candidate = isinstance(rule, Ignored) or (is_identifier_name(name) and not isinstance(rule, Label))
        if declared or (candidate and _may_name(table[name])):
            texts = category_texts(table[name], schema.missing_values).drop_nulls()
            counts = texts.alias("value").value_counts(name="count")
            name_counts[name] = NameCounts(counts, len(texts), declared).thinned()
    return name_counts


def _may_name(series: pl.Series) -> bool:
    return not (series.dtype.is_nested() or series.dtype == pl.Binary or series.dtype.is_float())
