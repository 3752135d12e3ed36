"""Which method fabricates a table, and what it takes."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.models.marginals.conftest import SCHEMA, people

import tacit
from tacit.data.public.schemas import image_schema
from tacit.data.schemas.columns import Categorical, Ignored, Label, Numeric, Target
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, TacitError
from tacit.kinds.fabricated_rows.rows import sidecar_release
from tacit.privacy.budget import Unit
from tacit.workflows.fabricate import usual_method
from tacit.workflows.invented_rows import drawn_rows

LABEL = Label("y", ("a", "b"))


@pytest.mark.parametrize(
    ("schema", "unit", "method"),
    [
        (SCHEMA, Unit.RECORD, "marginals"),
        (SCHEMA, Unit.PERSON, "marginals"),
        (SCHEMA, Unit.ENTRY, "moments"),
        (Schema((Numeric("x", (0, 1)), LABEL)), Unit.RECORD, "moments"),
        (Schema((Numeric("x", (0, 1)), Categorical("c", ("a", "b")), LABEL)), Unit.RECORD, "marginals"),
        (Schema((Numeric("x", (0, 9), integer=True), LABEL)), Unit.RECORD, "marginals"),
        (Schema((*(Categorical(f"c{j}", ("a", "b")) for j in range(201)), LABEL)), Unit.RECORD, "moments"),
        (image_schema((4, 4), ("0", "1")), Unit.RECORD, "moments"),
    ],
)
def test_mixed_tables_of_records_are_made_from_tables_and_others_from_moments(
    schema: Schema, unit: Unit, method: str
) -> None:
    assert usual_method(schema, unit) == method


def test_rows_of_every_method_have_the_same_form() -> None:
    for method in ("marginals", "moments"):
        made = tacit.fabricate(people(300), SCHEMA, epsilon=1, method=method, rows=40, random_state=0)
        assert made.method == method
        assert made.X.shape == (40, len(SCHEMA.encoded_names))
        assert made.table().height == len(made.y) == 40
        assert made.release().arrays["X"].shape == made.X.shape
        assert sidecar_release(made, np.bincount(made.y), "0" * 64).settings["rows"] == 40


def test_the_number_of_rows_is_noisy_unless_it_is_given() -> None:
    made = tacit.fabricate(people(500), SCHEMA, epsilon=3, random_state=1)
    assert abs(len(made.y) - 500) < 150


def test_what_a_method_does_not_take_is_refused() -> None:
    with pytest.raises(InputError, match="hull"):
        tacit.fabricate(people(50), SCHEMA, epsilon=1, accounting="paper")
    with pytest.raises(InputError, match="hull"):
        tacit.fabricate(people(50), SCHEMA, epsilon=1, method="marginals", accounting="paper")
    with pytest.raises(InputError, match="method"):
        tacit.fabricate(people(50), SCHEMA, epsilon=1, method="magic")
    with pytest.raises(InputError, match="rows"):
        tacit.fabricate(people(50), SCHEMA, epsilon=1, rows=0)
    with pytest.raises(InputError, match="unit must be"):
        tacit.fabricate(people(50), SCHEMA, epsilon=1, unit="entry", method="marginals")


def test_a_release_gives_the_same_rows_again_with_a_seed() -> None:
    release = tacit.release(people(300), SCHEMA, epsilon=1, method="marginals", random_state=0)
    first, second, other = (drawn_rows(release, rows=30, random_state=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.places, second.places)
    assert not np.array_equal(first.places, other.places)
    with pytest.raises(InputError, match="at most"):
        drawn_rows(release, rows=10**8)


def test_a_number_to_predict_is_a_column_of_the_rows(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    ward = random.choice(["a", "b"], 3000)
    table = pl.DataFrame({"ward": ward, "cost": np.where(ward == "a", 20.0, 80.0) + random.normal(0, 5, 3000)})
    schema = Schema((Categorical("ward", ("a", "b")), Target("cost", (0, 100))))
    rows = tacit.fabricate(table, schema, epsilon=8.0, random_state=0, output=tmp_path / "rows.csv").table()
    assert rows.columns == ["ward", "cost"]
    means = dict(rows.group_by("ward").agg(pl.col("cost").mean()).iter_rows())
    assert means["a"] == pytest.approx(20, abs=4)
    assert means["b"] == pytest.approx(80, abs=4)
    assert "cost" in tacit.compare(table, tmp_path / "rows.csv", schema).names
    made = tacit.release(table, schema, epsilon=8.0, method="marginals", random_state=0, output=tmp_path / "a.tacit")
    assert tacit.fabricate_from(made, rows=5).table().columns == ["ward", "cost"]


@pytest.mark.parametrize("held", ["file", "encoded", "person"])
def test_a_table_without_a_label_is_fabricated(tmp_path: Path, held: str) -> None:
    table = people(2000).drop("outcome").with_columns(name=pl.int_range(2000).cast(pl.String))
    schema = Schema((*SCHEMA.columns[:-1], Ignored("name")))
    path = tmp_path / "people.csv"
    table.write_csv(path)
    person: dict[str, Any] = {"person": "name", "rows_per_person": 1} if held == "person" else {}
    rows = tacit.fabricate(
        tacit.encode(table, schema) if held == "encoded" else path, schema, epsilon=8.0, random_state=0, **person
    )
    assert rows.table().columns == list(schema.positions)
    gain = rows.table()["gain"]
    assert (gain == 0).mean() == pytest.approx(0.8, abs=0.05)
    if held == "file":
        comparison = tacit.compare(path, rows.table(), schema)
        assert comparison.variations[1] < 0.1
        assert comparison.learned == {}
        with pytest.raises(TacitError, match="label"):
            tacit.fabricate(path, schema, epsilon=8.0, method="moments")
