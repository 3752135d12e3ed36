"""Public mixed tables with a label, each as the rows that an owner has and rows held out for tests."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import polars as pl
from sklearn.utils import check_random_state

from tacit.data.public.datasets import load_adult, load_bank
from tacit.data.public.schemas import flights_schema
from tacit.data.public.sources import FOLDER_VARIABLE, Get, locate
from tacit.data.reading.table_source import read_table
from tacit.data.rows.encoding import Encoded, encode
from tacit.data.schemas.columns import Categorical, Column, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import MissingDataError
from tacit.records import record

# Rows held out where a set has no split of its own.
HELD_OUT_SHARE = 1 / 3
SEED = 0


@record
class OwnerSplit:
    """The owner's rows, rows held out, and their schema."""

    owner: Encoded
    held_out: Encoded
    schema: Schema


def adult() -> OwnerSplit:
    """Return Adult by its own split."""
    train, test = load_adult("train"), load_adult("test")
    return OwnerSplit(train.encode(), test.encode(), train.schema)


def bank() -> OwnerSplit:
    """Return Bank Marketing, a third of it held out."""
    loaded = load_bank()
    return _split(loaded.table, loaded.schema)


def diamonds() -> OwnerSplit:
    """Return 53940 diamonds with the quality of the cut as the label, a third held out."""
    columns: tuple[Column, ...] = (
        Numeric("carat", (0, 6)),
        Categorical("color", tuple("DEFGHIJ")),
        Categorical("clarity", ("I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF")),
        Numeric("depth", (40, 80)),
        Numeric("table", (40, 100)),
        Numeric("price", (0, 20_000), integer=True),
        Numeric("x", (0, 12)),
        Numeric("y", (0, 12)),
        Numeric("z", (0, 8)),
        Label("cut", ("Fair", "Good", "Very Good", "Premium", "Ideal")),
    )
    return _split(read_table(locate("tables/diamonds.csv.gz", _not_fetched)), Schema(columns))


def flights() -> OwnerSplit:
    """Return New York's departures of 2013 with weather and plane, late or not, a third held out."""
    table = read_table(locate("tables/flights.parquet", _not_fetched))

    def category(name: str) -> Categorical:
        # The rows are public: their categories may be read from them.
        return Categorical(name, tuple(sorted(table[name].drop_nulls().unique().to_list())))

    # Wider bounds than the set's own schema, as the recorded figures were measured with.
    wider = {"wind_speed": (0, 60), "built": (1950, 2015), "engines": (0, 4)}
    features = [
        category(column.name)
        if isinstance(column, Categorical)
        else replace(column, bounds=wider.get(column.name, column.bounds))
        for column in flights_schema().features
    ]
    columns = (category("origin"), *features, Label("late", ("on time", "late")))
    return _split(table, Schema(columns, extra_columns="ignore"))


TABLES: Mapping[str, Callable[[], OwnerSplit]] = {
    "Adult": adult,
    "Bank": bank,
    "diamonds": diamonds,
    "flights": flights,
}


def _split(table: pl.DataFrame, schema: Schema) -> OwnerSplit:
    rows = encode(table, schema)
    order = check_random_state(SEED).permutation(len(rows.y))
    held = np.zeros(len(rows.y), dtype=bool)
    held[order[len(order) - int(HELD_OUT_SHARE * len(order)) :]] = True
    return OwnerSplit(rows.where(~held), rows.where(held), schema)


def _not_fetched(get: Get) -> Mapping[str, bytes]:  # noqa: ARG001 - the signature of a fetch
    raise MissingDataError(f"this table is read from the folder {FOLDER_VARIABLE} alone; set it to one that holds it.")
