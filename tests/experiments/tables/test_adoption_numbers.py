"""Numbers adopted from other owners, measured small."""

from collections.abc import Callable, Iterable

import numpy as np
import polars as pl
import pytest

from tacit.data.public.datasets import TableSet
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.experiments.number_tables import with_target
from tacit.experiments.results import ADOPTED, RELEASE_ALONE, TARGET_ONLY, ResultRow
from tacit.experiments.table_runs import random_owner
from tacit.experiments.tables import adoption_numbers

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def made_up() -> TableSet:
    random = np.random.default_rng(0)
    x = random.uniform(size=6000)
    table = pl.DataFrame(
        {"x": x, "y": np.clip(x + random.normal(0, 0.2, 6000), -1, 2), "kind": random.choice(["a", "b"], 6000)}
    )
    return TableSet("made up", table, Schema((Numeric("x", (0, 1)), Numeric("y", (-1, 2)), Label("kind", ("a", "b")))))


def test_a_number_becomes_the_target_and_the_label_a_category() -> None:
    schema = with_target(made_up(), "y").schema
    assert schema.target is not None
    assert schema.target.name == "y"
    assert schema.target.bounds == (-1, 2)
    assert [type(column) for column in schema.features] == [Numeric, Categorical]


def test_every_way_to_learn_is_measured_and_adopting_helps(
    shrink: Callable[..., None], checked: Checked, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = with_target(made_up(), "y")
    shrink(adoption_numbers, SEEDS=1, VALUES=(0, 20), MOST_ROWS=1000)
    for name in ("_delays", "_pharmacy_visits", "_hours"):
        monkeypatch.setattr(adoption_numbers, name, lambda _seed: [])
    situation = adoption_numbers._split("made up", data, [random_owner(6000, 1)], 1)
    monkeypatch.setattr(adoption_numbers, "_diamonds", lambda _seed: situation)
    rows = {
        (row.setting, row.method): row.mean
        for row in checked(adoption_numbers.rows())
        if row.metric == adoption_numbers.R_SQUARED
    }
    none, some = "made up, 0 values", "made up, 20 values"
    assert rows[none, ADOPTED] == rows[none, RELEASE_ALONE]
    assert rows[none, RELEASE_ALONE] > 0.9 * rows[none, adoption_numbers.OPEN] > 0.5
    assert rows[some, ADOPTED] > rows[none, RELEASE_ALONE] - 0.02
    assert rows[some, "mean of the values"] < 0.01
    assert (none, "mean of the values") not in rows
    assert rows[none, TARGET_ONLY] <= 0


def test_owners_keep_no_more_rows_than_are_used() -> None:
    (situation,) = adoption_numbers._split("made up", with_target(made_up(), "y"), [random_owner(6000, 1)], 1)
    assert len(situation.owners[0].X) + len(situation.receiver.X) == 6000
