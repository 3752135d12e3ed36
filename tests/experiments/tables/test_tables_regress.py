"""Numbers of tables, on invented rows."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tacit.data.public.datasets import TableSet
from tacit.data.public.schemas import diamonds_schema
from tacit.data.schemas.columns import Categorical
from tacit.experiments import number_tables, table_runs
from tacit.experiments.results import ResultRow
from tacit.experiments.table_runs import TACIT
from tacit.experiments.tables import tables_regress

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def invented_diamonds(n_rows: int) -> TableSet:
    random, schema = np.random.default_rng(0), diamonds_schema()
    cells: dict[str, np.ndarray] = {}
    for column in schema.features:
        if isinstance(column, Categorical):
            cells[column.name] = random.choice(column.categories, n_rows)
        else:
            cells[column.name] = random.uniform(column.low, column.high, n_rows)
    cells["price"] = 3000 * cells["carat"] + random.normal(0, 500, n_rows)
    airports = np.where(np.arange(n_rows) < 0.7 * n_rows, "JFK", "LGA")
    return TableSet("diamonds", pl.DataFrame(cells | {"origin": airports}), schema)


@pytest.fixture(autouse=True)
def small(shrink: Callable[..., None], invented: Callable[..., TableSet]) -> None:
    adult, stones = invented("adult", 500), invented_diamonds(500)
    kept = TableSet("diamonds", stones.table.drop("origin"), stones.schema)
    loose = TableSet("delays", stones.table, replace(stones.schema, extra_columns="ignore"))
    shrink(tables_regress, load_diamonds=lambda: kept, load_flights=lambda _: loose, RUNS=2)
    shrink(number_tables, load_adult=lambda: adult)
    shrink(table_runs, EPSILONS=(5.0,), kept_answer=lambda *_: None)


def test_every_table_has_releases_and_open_models(checked: Checked) -> None:
    rows = checked(tables_regress.rows())
    means = {(row.setting, row.method, row.metric): row.mean for row in rows}
    assert means["diamonds, epsilon 5", TACIT, "R squared without labels"] > 0.6
    for name in ("adult hours", "diamonds", "flights delay"):
        assert (f"{name}, epsilon 5", TACIT, "R squared without labels") in means


def test_hours_are_the_target_and_income_a_category() -> None:
    schema = number_tables.hours_of_adult().schema
    assert schema.target is not None
    assert schema.target.name == "hours-per-week"
    assert schema.label is None
    assert "income = >50K" in schema.encoded_names
