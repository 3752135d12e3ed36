import numpy as np
import polars as pl
import pytest
from tests.models.marginals.conftest import SCHEMA, measured, people

from tacit.data.rows.encoding import encode
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.models.marginals.model import MarginalModel, fitted_model


def table(model: MarginalModel, count: int = 6000, seed: int = 1) -> pl.DataFrame:
    return model.layout.table(*model.places(count, random_state=seed))


def shares(frame: pl.DataFrame, *names: str) -> dict[tuple[object, ...], float]:
    counted = frame.group_by(list(names)).len()
    return {tuple(row[:-1]): row[-1] / frame.height for row in counted.rows()}


def variation(first: dict[tuple[object, ...], float], second: dict[tuple[object, ...], float]) -> float:
    return sum(abs(first.get(key, 0) - second.get(key, 0)) for key in first.keys() | second.keys()) / 2


def test_rows_are_valid_and_as_many_as_asked_for(model: MarginalModel) -> None:
    for count in (1, 7, 3001):
        rows = table(model, count)
        assert rows.height == count
        encode(rows, SCHEMA)  # raises if a cell is not allowed
        assert rows["age"].is_between(17, 90).all()


def test_rows_have_the_shares_of_one_and_two_columns(model: MarginalModel) -> None:
    real, made = people(6000), table(model)
    for names in (("work",), ("grade",), ("outcome",), ("grade", "outcome"), ("work", "outcome"), ("points", "grade")):
        assert variation(shares(real, *names), shares(made, *names)) < 0.05, names


def test_spikes_and_missing_cells_are_kept(model: MarginalModel) -> None:
    real, made = people(6000), table(model)
    assert (made["gain"] == 0).mean() == pytest.approx((real["gain"] == 0).mean(), abs=0.02)
    assert made["dose"].null_count() == pytest.approx(real["dose"].null_count(), abs=150)
    # Doses are missing for those without work: with others in few rows at most.
    odd = made.filter(pl.col("dose").is_null() & (pl.col("work").fill_null("?") != "none")).height
    assert odd <= 30


def test_numbers_that_depend_on_each_other_are_correlated_in_the_rows(model: MarginalModel) -> None:
    correlation = pl.corr("age", "dose")
    real, made = people(6000).select(correlation).item(), table(model).drop_nulls().select(correlation).item()
    assert real > 0.85
    assert made > 0.75


def test_points_never_contradict_grades_by_much(model: MarginalModel) -> None:
    made = table(model)
    wrong = made.filter(
        pl.col("grade").replace_strict({g: n + 1 for n, g in enumerate("abcdefgh")}) != pl.col("points")
    )
    assert wrong.height < 60


def test_equal_seeds_give_equal_rows(model: MarginalModel) -> None:
    assert table(model, 500).equals(table(model, 500))
    assert not table(model, 500).equals(table(model, 500, seed=2))


def test_the_noisy_number_of_rows_is_near_the_true_one(model: MarginalModel) -> None:
    assert abs(model.n_rows - 6000) < 100


@pytest.mark.parametrize("n_rows", [1, 5, 60])
def test_few_rows_give_a_model(n_rows: int) -> None:
    rows = encode(people(n_rows), SCHEMA)
    small = fitted_model(measured(rows.X, rows.y, SCHEMA, epsilon=0.5), random_state=0)
    assert table(small, 50).height == 50


def test_a_table_without_a_label_is_modelled() -> None:
    schema = Schema((Numeric("x", (0, 10), integer=True), Categorical("c", ("a", "b"))))
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 2000)
    X = np.column_stack([np.where(codes == 1, 0.8, 0.2), np.eye(2)[codes]])
    model = fitted_model(measured(X, np.zeros(2000, dtype=np.int64), schema), random_state=0)
    made = table(model, 2000)
    assert made.columns == ["x", "c"]
    assert np.mean(((made["x"] == 8) == (made["c"] == "b")).to_numpy()) > 0.97


def test_one_column_is_modelled() -> None:
    schema = Schema((Categorical("c", ("a", "b")), Label("y", ("0", "1"))))
    X, y = np.eye(2)[np.arange(1000) % 2], (np.arange(1000) % 2).astype(np.int64)
    made = table(fitted_model(measured(X, y, schema), random_state=0), 1000)
    assert np.mean(((made["c"] == "b") == (made["y"] == "1")).to_numpy()) > 0.97
