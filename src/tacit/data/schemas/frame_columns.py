"""Columns of a schema from the names and types of a data frame and what is publicly known of them; no cell is read."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from tacit.data.schemas.columns import Categorical, Column, Ignored, Label, Numeric, Target
from tacit.errors import SchemaError

# (low, high) of numbers, or a list of categories.
PublicFact = tuple[float, float] | Sequence[str]


def frame_columns(
    frame: pl.DataFrame, *, label: str | None, bounds: Mapping[str, PublicFact], missing: bool
) -> tuple[Column, ...]:
    """Return a column for each of ``frame``; those without a fact in ``bounds`` are ignored.

    ``missing``: whether cells may be missing; numbers then get a flag and categories one more category.
    """
    unknown = [name for name in (*bounds, *([] if label is None else [label])) if name not in frame.columns]
    if unknown:
        raise SchemaError(f"{unknown[0]!r} is no column of the data frame; it has {frame.columns[:20]}.")
    if label is not None and label not in bounds:
        raise SchemaError(
            f"bounds must state the classes of the label {label!r}, or (low, high) if it is a number: they are public, "
            "and not read from the rows. For a first draft use tacit.suggest_schema."
        )
    return tuple(
        _column(series, bounds[series.name], is_label=series.name == label, missing=missing)
        if series.name in bounds
        else Ignored(series.name)
        for series in frame
    )


def _column(series: pl.Series, fact: PublicFact, *, is_label: bool, missing: bool) -> Column:
    name = series.name
    values: list[Any] = list(fact)
    if not _is_range(values):
        texts = tuple(str(value) for value in values)
        return Label(name, texts) if is_label else Categorical(name, texts, missing="category" if missing else "error")
    if not (series.dtype.is_numeric() or series.dtype in {pl.Boolean, pl.Null}):
        raise SchemaError(f"column {name!r} holds {series.dtype} and has bounds of numbers; give its categories.")
    range_ = (float(values[0]), float(values[1]))
    whole = series.dtype.is_integer()
    if is_label:
        return Target(name, range_)
    return Numeric(name, range_, integer=whole, missing="flag" if missing else "error")


def _is_range(values: list[Any]) -> bool:
    return len(values) == 2 and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
