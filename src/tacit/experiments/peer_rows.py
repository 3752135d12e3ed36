"""Rows that other private makers of fabricated tables invent, run in an environment of their own."""

import json
from typing import Any

import numpy as np
import polars as pl

from tacit.data.rows.encoding import Encoded, decode, encode
from tacit.data.schemas.columns import Categorical, Numeric
from tacit.data.schemas.schema import Schema
from tacit.experiments.kept_answers import kept_answer
from tacit.experiments.mixed_tables import OwnerSplit

PEER_SCRIPT = "peer_rows.py"
# What a missing category is called on the way.
MISSING = "(missing)"


def peer_rows(
    method: str, table: OwnerSplit, *, epsilon: float, delta: float, seed: int, limit: float
) -> tuple[Encoded | None, float] | None:
    """Return as many rows as the owner has, invented by a peer, and its processor seconds; None without the peer.

    A peer that needs more than ``limit`` processor seconds is stopped and has no rows.
    """
    facts = {"epsilon": epsilon, "delta": delta, "seed": seed, "limit": limit}
    settings = {name: np.array(value) for name, value in facts.items()}
    answer = kept_answer(PEER_SCRIPT, method, {**peer_columns(table.owner, table.schema), **settings})
    if answer is None:
        return None
    if answer["columns"] is None:
        return None, float(answer["seconds"])
    columns = [_column(name, cells) for name, cells in answer["columns"].items()]
    return encode(pl.DataFrame(columns), table.schema), float(answer["seconds"])


def peer_columns(rows: Encoded, schema: Schema) -> dict[str, Any]:
    """Return a table as arrays of texts and numbers, and its public domain as JSON."""
    table = decode(rows.X, schema, y=None if schema.label is None else rows.y)
    domain: dict[str, Any] = {}
    arrays: dict[str, Any] = {}
    for column in [*schema.features, *([] if schema.label is None else [schema.label])]:
        cells = table[column.name]
        if isinstance(column, Numeric):
            domain[column.name] = {"lower": column.low, "upper": column.high, "integer": column.integer}
            arrays[f"column:{column.name}"] = cells.cast(pl.Float64).fill_null(np.nan).to_numpy()
            continue
        names = list(column.categories if isinstance(column, Categorical) else column.classes)
        missing = [MISSING] if isinstance(column, Categorical) and column.flagged else []
        domain[column.name] = {"categories": names + missing}
        arrays[f"column:{column.name}"] = np.array(cells.fill_null(MISSING).to_list(), dtype=np.str_)
    return {**arrays, "domain": np.array(json.dumps(domain))}


def _column(name: str, cells: list[Any]) -> pl.Series:
    if any(isinstance(cell, str) for cell in cells):
        return pl.Series(name, [None if cell == MISSING else cell for cell in cells], dtype=pl.String)
    return pl.Series(name, cells, dtype=pl.Float64)
