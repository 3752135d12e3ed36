"""Classes of tables, on invented rows."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import polars as pl
import pytest

from tacit.data.public.datasets import TableSet
from tacit.experiments import table_runs
from tacit.experiments.results import ResultRow
from tacit.experiments.table_runs import BOOSTING, LINEAR, TACIT
from tacit.experiments.tables import tables_classify

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


@pytest.fixture(autouse=True)
def small(shrink: Callable[..., None], invented: Callable[..., TableSet]) -> None:
    adult, bank = invented("adult", 500), invented("bank", 400)
    airports = pl.when(pl.int_range(pl.len()) < 250).then(pl.lit("JFK")).otherwise(pl.lit("LGA"))
    schema = replace(bank.schema, extra_columns="ignore")
    flights = TableSet("flights", bank.table.with_columns(origin=airports), schema)
    shrink(tables_classify, load_adult=lambda: adult, load_bank=lambda: bank, load_flights=lambda _: flights, RUNS=2)
    shrink(table_runs, EPSILONS=(1.0, 5.0), kept_answer=lambda *_: None)


def test_every_table_has_releases_and_open_models(checked: Checked) -> None:
    rows = checked(tables_classify.rows())
    settings = {(row.setting, row.method) for row in rows}
    for name in ("adult", "bank", "flights"):
        assert (name, LINEAR) in settings
        assert (name, BOOSTING) in settings
        assert {(f"{name}, epsilon 1", TACIT), (f"{name}, epsilon 5", TACIT)} <= settings
    assert {row.metric for row in rows} == {"ROC AUC without labels", "CPU seconds"}
    flights = [row for row in rows if row.setting == "flights"]
    assert {row.runs for row in flights} == {1}
