"""Levels of a receiver's encoded rows: which of its columns mean the same as the columns of an additive release."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Rows
from tacit.data.schemas.columns import Categorical, Feature, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.additive.levels import ColumnLevels

UNKNOWN = -1


@dataclass(frozen=True)
class NumberSource:
    """A number of the receiver's: the position of its encoded column, its bounds, where missing cells are marked."""

    position: int
    low: float
    high: float
    """The receiver's bounds, by which the column was encoded."""
    missing: int | None = None
    """The position of the encoded column that marks a missing cell."""

    def codes(self, X: Rows, level: ColumnLevels) -> NDArray[np.intp]:
        """Return the levels of rows ``X`` [N, p]; values beyond the owner's bounds are moved to them."""
        values = self.low + X[:, self.position].astype(np.float64) * (self.high - self.low)
        if self.missing is not None:
            values[X[:, self.missing] > 0.5] = np.nan
        return level.codes(values)


@dataclass(frozen=True)
class CategorySource:
    """Categories of the receiver's: the position of the first, and the owner's level of each, UNKNOWN without one."""

    position: int
    levels: tuple[int, ...]

    def codes(self, X: Rows, level: ColumnLevels) -> NDArray[np.intp]:  # noqa: ARG002 - categories are matched by name
        """Return the levels of rows ``X`` [N, p]; UNKNOWN for a category that the owner does not list."""
        places = np.argmax(X[:, self.position : self.position + len(self.levels)], axis=1)
        levels: NDArray[np.intp] = np.asarray(self.levels, dtype=np.intp)[places]
        return levels


ColumnSource = NumberSource | CategorySource | None


def column_sources(ours: Schema, theirs: Schema) -> tuple[ColumnSource, ...]:
    """Return, for each of the owner's features, what the receiver has of it: by name and kind, None if nothing."""
    by_name = {column.name: column for column in ours.features}
    return tuple(_source(by_name.get(column.name), column, ours) for column in theirs.features)


def source_codes(X: Rows, sources: Sequence[ColumnSource], levels: Sequence[ColumnLevels]) -> NDArray[np.intp]:
    """Return the owner's level [N, q] of each cell of the receiver's rows, UNKNOWN where it has none."""
    codes = np.full((len(X), len(levels)), UNKNOWN, np.intp)
    for place, (source, level) in enumerate(zip(sources, levels, strict=True)):
        if source is not None:
            codes[:, place] = source.codes(X, level)
    return codes


def sources_to_list(sources: Sequence[ColumnSource]) -> list[dict[str, Any] | None]:
    """Return the sources as JSON-ready data."""
    return [None if source is None else _to_dict(source) for source in sources]


def sources_from_list(content: Sequence[dict[str, Any] | None]) -> tuple[ColumnSource, ...]:
    """Return the sources that `sources_to_list` wrote."""
    return tuple(None if one is None else _from_dict(one) for one in content)


def _source(ours: Feature | None, theirs: Feature, schema: Schema) -> ColumnSource:
    if ours is None or type(ours) is not type(theirs):
        return None
    start = schema.positions[ours.name].start
    if isinstance(ours, Numeric):
        return NumberSource(start, ours.low, ours.high, start + 1 if ours.flagged else None)
    if not isinstance(theirs, Categorical):
        raise InputError(f"column {ours.name!r} must be of one kind in both schemas.")
    # None stands for a missing cell: no category is called that.
    names: list[str | None] = [*theirs.categories, *([None] if theirs.flagged else [])]
    own: list[str | None] = [*ours.categories, *([None] if ours.flagged else [])]
    levels = tuple(names.index(name) if name in names else UNKNOWN for name in own)
    return CategorySource(start, levels) if max(levels) > UNKNOWN else None


def _to_dict(source: NumberSource | CategorySource) -> dict[str, Any]:
    if isinstance(source, NumberSource):
        return {"position": source.position, "bounds": [source.low, source.high], "missing": source.missing}
    return {"position": source.position, "levels": list(source.levels)}


def _from_dict(one: dict[str, Any]) -> ColumnSource:
    position = int(one["position"])
    if "levels" in one:
        return CategorySource(position, tuple(int(level) for level in one["levels"]))
    low, high = map(float, one["bounds"])
    return NumberSource(position, low, high, None if one["missing"] is None else int(one["missing"]))
