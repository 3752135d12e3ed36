"""A first schema for a data frame of any library: for its owner to go through, as ``tacit schema draft`` writes one."""

from typing import Any

from tacit.data.reading.frames import polars_frame
from tacit.data.schemas.draft import draft_schema
from tacit.data.schemas.schema import Schema


def suggest_schema(table: Any, *, label: str | None = None) -> Schema:
    """Return a first schema for the data frame ``table``, with ``label`` as the column to predict.

    Bounds and categories are read from the rows, and the schema says so (``bounds_from_data``): no private release
    accepts it. Replace them by public ones; `Schema.from_frame` takes these from the start.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": range(17, 89), "ill": ["yes", "no"] * 36})
    >>> schema = suggest_schema(frame, label="ill")
    >>> schema.features[0].bounds, schema.classes, schema.bounds_from_data
    ((15.0, 90.0), ('no', 'yes'), True)
    """
    return draft_schema(polars_frame(table), label=label).schema
