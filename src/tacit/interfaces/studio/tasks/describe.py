"""Describe a table to its owner: columns with types, missing cells and histograms, first rows, and a drafted schema."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tacit.data.reading.table_source import open_table
from tacit.data.schemas.cells import category_texts, numeric_cells
from tacit.data.schemas.columns import Column, Ignored, Numeric
from tacit.data.schemas.draft import HEADING, MANY_TEXTS, USUAL_BLANKS, draft_schema
from tacit.data.schemas.file import format_schema, read_schema
from tacit.files.atomic import OWNER_ONLY, write_text
from tacit.interfaces.studio.folder import schema_name
from tacit.interfaces.studio.table_description import description_path, signature
from tacit.interfaces.studio.worker import Order

BINS = 24
MOST_BARS = 16
FIRST_ROWS = 12
LONGEST_CELL = 60
# Rows of which a histogram is drawn: more would look the same.
MOST_DRAWN = 200_000


@dataclass(frozen=True)
class _Histogram:
    bars: list[int]
    first: str
    last: str


def run(order: Order) -> dict[str, Any]:
    """Read the table called ``table`` and write its description; draft a schema if it has none."""
    name = order.arguments["table"]
    path = order.folder.existing(name)
    source = open_table(path)
    order.progress(f"reading {name}{source.notes and f' ({source.notes})'}")
    frame = source.read()
    order.progress(f"looking at {frame.width:,} columns of {frame.height:,} rows")
    schema_path = order.folder.file(schema_name(name))
    if not schema_path.exists():
        drafted = draft_schema(frame, label=order.arguments.get("label") or None)
        text = format_schema(drafted.schema, heading=HEADING, comments=drafted.remarks)
        write_text(schema_path, text)
        columns = {column.name: column for column in drafted.schema.columns}
        remarks = dict(drafted.remarks)
    else:
        columns = {column.name: column for column in read_schema(schema_path).columns}
        remarks = {}
    described = [_described(frame[each], columns.get(each, Ignored(each))) for each in frame.columns]
    content = {
        "signature": signature(path),
        "rows": frame.height,
        "notes": source.notes,
        "columns": described,
        "remarks": remarks,
        "first": _first_rows(frame),
    }
    target = description_path(order.folder, name)
    target.parent.mkdir(mode=0o700, exist_ok=True)
    write_text(target, json.dumps(content), mode=OWNER_ONLY)
    return {"table": name, "rows": frame.height, "columns": frame.width}


def _first_rows(frame: pl.DataFrame) -> list[list[str]]:
    return [[_shown(cell) for cell in row] for row in frame.head(FIRST_ROWS).rows()]


def _shown(cell: Any) -> str:
    text = "" if cell is None else str(cell)
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def _described(series: pl.Series, column: Column) -> dict[str, Any]:
    if series.dtype.is_nested() or series.dtype == pl.Binary:
        return {"name": series.name, "type": str(series.dtype), "missing": series.null_count(), "bars": []}
    number = column if isinstance(column, Numeric) else Numeric(series.name, (0, 1))
    cells = numeric_cells(series, number, missing_values=USUAL_BLANKS)
    if cells.malformed.any() or cells.missing.all():
        texts = category_texts(series, USUAL_BLANKS)
        kind, missing, drawn = "text", int(texts.null_count()), _text_bars(texts)
    else:
        values = cells.values[~cells.missing]
        whole = "whole number" if bool((values % 1 == 0).all()) else "number"
        kind = whole if number.notation is None else column.kind
        missing, drawn = int(cells.missing.sum()), _number_bars(values, number)
    facts = {"name": series.name, "type": kind, "missing": missing}
    return {**facts, "bars": drawn.bars, "first": drawn.first, "last": drawn.last}


def _number_bars(values: Any, column: Numeric) -> _Histogram:
    drawn = values[:: max(1, len(values) // MOST_DRAWN)]
    counts, edges = np.histogram(drawn, bins=BINS)
    return _Histogram(counts.tolist(), _shown(column.shown(edges[0])), _shown(column.shown(edges[-1])))


def _text_bars(texts: pl.Series) -> _Histogram:
    """Return how often the commonest texts occur; nothing of texts that are nearly all different."""
    counts = (
        texts.drop_nulls()
        .alias("text")
        .value_counts(sort=True, name="rows")
        .sort("rows", "text", descending=[True, False])
    )
    if counts.height > MANY_TEXTS:
        return _Histogram([], "", "")
    names, sizes = counts.get_column("text").to_list(), counts.get_column("rows").to_list()
    return (
        _Histogram(sizes[:MOST_BARS], *(_shown(name) for name in (names[0], names[-1])))
        if names
        else _Histogram([], "", "")
    )
