"""Tables of other owners, adopted with few labels: on invented rows."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tacit.data.public.datasets import TableSet
from tacit.data.public.downloads import HEART_CENTRES
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import adoption_tables

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]
OWN = {"logistic regression", "support vectors", "boosting"}


def placed(data: TableSet, column: str, names: tuple[str, ...]) -> TableSet:
    """Return the table with a column that says where each row is from."""
    places = pl.Series(column, np.array(names)[np.arange(data.table.height) % len(names)])
    return TableSet(data.name, data.table.with_columns(places), replace(data.schema, extra_columns="ignore"))


@pytest.fixture(autouse=True)
def small(shrink: Callable[..., None], invented: Callable[..., TableSet]) -> None:
    adult, bank = invented("adult", 1800), invented("bank", 1800)
    hearts = {name: invented("heart", 130, seed=place) for place, name in enumerate(HEART_CENTRES)}
    regions = ("midwest", "noreast", "other", "west")
    shrink(
        adoption_tables,
        DRAWS=1,
        LABELS=(0, 20),
        load_adult=lambda: adult,
        load_bank=lambda: bank,
        load_flights=lambda _: placed(bank, "origin", ("EWR", "JFK", "LGA")),
        load_vietnam_health=lambda: placed(adult, "commune", ("1", "2", "3", "4", "5", "6")),
        load_doctor_visits=lambda: placed(bank, "region", regions),
        load_heart_centres=lambda: hearts,
        HEART_CENTRES=("cleveland", "va"),
    )


def test_every_situation_is_shown_beside_learners_of_the_same_labels(checked: Checked) -> None:
    rows = checked(adoption_tables.rows())
    methods = {(row.setting, row.method) for row in rows}
    for name in ("adult", "bank", "flights: LGA", "vietnam_health", "doctor_visits: west", "heart: va to cleveland"):
        found = {method for setting, method in methods if setting == f"{name}, 20 labels"}
        assert found >= OWN | {"majority", "release alone", "target only", "adopted"}
    assert {row.metric for row in rows} == {"ROC AUC", "accuracy", "log-loss"}
    without = {method for setting, method in methods if setting == "adult, 0 labels"}
    assert not OWN & without
    areas = {(row.setting, row.method): row.mean for row in rows if row.metric == "ROC AUC"}
    assert areas["adult, 20 labels", "adopted"] > areas["adult, 20 labels", "logistic regression"]
    assert areas["adult, 0 labels", "adopted"] == areas["adult, 0 labels", "release alone"]


def test_no_row_is_both_learned_from_and_judged() -> None:
    (situation,) = adoption_tables._flights(0)
    n_owned = sum(len(owner.X) for owner in situation.owners)
    assert len(situation.owners) == 2
    assert n_owned + len(situation.receiver.X) == 1800
