from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.models.marginals.conftest import SCHEMA, measured, people

from tacit.data.rows.encoding import encode
from tacit.data.schemas.conditions import parse_condition
from tacit.errors import InputError
from tacit.models.marginals.conditioning import Rules, column_values, conditioned
from tacit.models.marginals.model import MarginalModel, fitted_model


def rows(model: MarginalModel, *texts: str, count: int = 2000) -> pl.DataFrame:
    where = [parse_condition(text, SCHEMA.columns) for text in texts]
    return model.layout.table(*model.places(count, random_state=0, where=where))


@pytest.mark.parametrize("text", ["age = 60-70", "age >= 61", "gain > 100"])
def test_all_rows_meet_a_condition_on_a_number(model: MarginalModel, text: str) -> None:
    made = rows(model, text)
    assert made.height == 2000
    name = text.split(maxsplit=1)[0]
    condition = parse_condition(text, SCHEMA.columns)
    assert condition.holds(made[name].to_numpy().astype(float)).all()


def test_conditions_on_categories_classes_and_missing_cells_are_met_together(model: MarginalModel) -> None:
    made = rows(model, "grade = b|c", "outcome = ill", "dose = missing", count=300)
    assert set(made["grade"].unique()) <= {"b", "c"}
    assert made["outcome"].unique().to_list() == ["ill"]
    assert made["dose"].null_count() == 300


def test_the_rest_of_a_row_follows_the_condition(model: MarginalModel) -> None:
    real = people(6000).filter(pl.col("age") >= 60)["outcome"].value_counts(normalize=True)
    made = rows(model, "age >= 60")["outcome"].value_counts(normalize=True)
    joined = real.join(made, on="outcome")
    assert np.abs((joined["proportion"] - joined["proportion_right"]).to_numpy()).max() < 0.08


def test_impossible_conditions_are_refused(model: MarginalModel) -> None:
    with pytest.raises(InputError, match=r"no cell of the release meets|too rare"):
        rows(model, "age > 200")


def test_a_conditioned_mixture_is_a_mixture(model: MarginalModel) -> None:
    where = (parse_condition("age = 30-40", SCHEMA.columns),)
    mixture, share = conditioned(model.mixture, model.measurement.columns, Rules(model.layout, where))
    assert 0 < share < 1
    assert mixture.weights.sum() == pytest.approx(1)
    assert np.allclose(np.add.reduceat(mixture.shares, model.offsets[:-1], axis=1), 1, atol=1e-4)


def test_stated_constraints_are_kept_by_every_row() -> None:
    """Neither holds in the private rows: the owner's statement counts."""
    schema = replace(
        SCHEMA, constraints=("work = farm implies grade = a|b|c", "points <= age", "age > 50 implies gain = 0")
    )
    table = encode(people(2000), SCHEMA)
    model = fitted_model(measured(table.X, table.y, schema), random_state=0)
    made = model.layout.table(*model.places(1500, random_state=1))
    assert made.height == 1500
    assert set(made.filter(pl.col("work") == "farm")["grade"].unique()) <= {"a", "b", "c"}
    assert (made["points"] <= made["age"]).all()
    assert (made.filter(pl.col("age") > 50)["gain"] == 0).all()
    assert made.filter(pl.col("work") == "farm").height > 50


def test_values_of_rows_are_their_numbers_codes_and_classes(model: MarginalModel) -> None:
    table = people(20)
    encoded = encode(table, SCHEMA)
    codes = model.layout.row_codes(encoded.X)
    values = column_values(model.layout, codes + 0.5, encoded.y)
    assert values("age").tolist() == table["age"].to_list()
    assert np.array_equal(np.isnan(values("dose")), table["dose"].is_null().to_numpy())
    assert np.array_equal(np.isnan(values("work")), table["work"].is_null().to_numpy())
    assert np.array_equal(values("outcome"), encoded.y)
