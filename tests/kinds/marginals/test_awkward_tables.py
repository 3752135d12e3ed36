"""Rows of tables that are awkward: dates, codes, constants, spikes, constraints, rare classes, few rows."""

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.rows.encoding import encode
from tacit.data.schemas.coded_columns import Date, Pattern
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema

FIRST_DAY = np.datetime64("2018-01-01")
CONSTRAINTS = ("admitted <= left", "low <= high", "pregnant = yes implies sex = female")
SCHEMA = Schema(
    (
        Date("admitted", ("2018-01-01", "2025-01-01")),
        Date("left", ("2018-01-01", "2025-01-01")),
        Pattern("ward", pattern=r"[A-C]-\d{2}"),
        Categorical("sex", ("female", "male")),
        Categorical("pregnant", ("yes", "no")),
        Categorical("country", ("one",)),
        Numeric("deaths", (0, 5), integer=True),
        Numeric("amount", (0, 1e6)),
        Numeric("low", (30, 150), integer=True),
        Numeric("high", (30, 250), integer=True),
        Categorical("code", tuple(f"c{code}" for code in range(200))),
        Numeric("marker", (-6, 6), missing="flag"),
        Label("outcome", ("a", "b", "c", "d")),
    ),
    constraints=CONSTRAINTS,
)


def patients(n_rows: int, seed: int = 0) -> pl.DataFrame:
    """Return rows that keep the constraints; one column is constant, one nearly, one class has 1 % of the rows."""
    rng = np.random.default_rng(seed)
    admitted = rng.integers(0, 2000, n_rows)
    sex = rng.choice(["female", "male"], n_rows)
    low = rng.integers(50, 90, n_rows)
    letters, numbers = rng.choice(list("ABC"), n_rows, p=[0.7, 0.2, 0.1]), rng.integers(0, 100, n_rows)
    return pl.DataFrame(
        {
            "admitted": [str(FIRST_DAY + int(day)) for day in admitted],
            "left": [str(FIRST_DAY + int(day)) for day in admitted + rng.integers(0, 60, n_rows)],
            "ward": [f"{letter}-{number:02d}" for letter, number in zip(letters, numbers, strict=True)],
            "sex": sex,
            "pregnant": np.where((sex == "female") & (rng.random(n_rows) < 0.1), "yes", "no"),
            "country": ["one"] * n_rows,
            "deaths": (rng.random(n_rows) < 0.01).astype(int),
            "amount": np.where(rng.random(n_rows) < 0.5, 0, rng.lognormal(6, 1, n_rows)).clip(0, 1e6).round(2),
            "low": low,
            "high": low + rng.integers(0, 60, n_rows),
            "code": [f"c{min(int(code), 200) - 1}" for code in rng.zipf(1.6, n_rows)],
            "marker": pl.Series(np.where(rng.random(n_rows) < 0.4, np.nan, rng.normal(size=n_rows))).fill_nan(None),
            "outcome": rng.choice(list("abcd"), n_rows, p=[0.9, 0.06, 0.03, 0.01]),
        }
    )


def fabricated(n_rows: int, *, epsilon: float, seed: int = 0, rows: int | None = 400) -> pl.DataFrame:
    return tacit.fabricate(patients(n_rows), SCHEMA, epsilon=epsilon, rows=rows, random_state=seed).table()


@pytest.mark.filterwarnings("ignore:column:UserWarning", "ignore:the table has:UserWarning")
@pytest.mark.parametrize("n_rows", [1, 50, 500])
@pytest.mark.parametrize("epsilon", [0.05, 1.0])
def test_rows_of_few_are_valid_and_keep_every_constraint(n_rows: int, epsilon: float) -> None:
    made = fabricated(n_rows, epsilon=epsilon, seed=n_rows)
    assert made.height == 400
    encode(made, SCHEMA)  # raises if a cell is not allowed
    assert (made["admitted"] <= made["left"]).all()
    assert (made["low"] <= made["high"]).all()
    assert made.filter((pl.col("pregnant") == "yes") & (pl.col("sex") == "male")).is_empty()
    assert made["ward"].str.contains(r"^[A-C]-\d{2}$").all()
    assert made["country"].unique().to_list() == ["one"]


@pytest.fixture(scope="module")
def made() -> pl.DataFrame:
    return fabricated(8000, epsilon=3.0, rows=8000)


def test_dates_codes_and_rare_classes_have_their_shares(made: pl.DataFrame) -> None:
    real = patients(8000)
    letters = pl.col("ward").str.slice(0, 1)
    for letter in "ABC":
        share = real.select((letters == letter).mean()).item()
        assert made.select((letters == letter).mean()).item() == pytest.approx(share, abs=0.02)
    medians = [frame["admitted"].cast(pl.String).str.to_date().to_physical().median() for frame in (real, made)]
    assert medians[0] == pytest.approx(medians[1], abs=60)
    for name in "abcd":
        assert (made["outcome"] == name).mean() == pytest.approx((real["outcome"] == name).mean(), abs=0.01)


def test_missing_cells_and_spikes_have_their_shares(made: pl.DataFrame) -> None:
    assert made["marker"].null_count() / made.height == pytest.approx(0.4, abs=0.02)
    assert (made["amount"] == 0).mean() == pytest.approx(0.5, abs=0.03)


def test_a_skewed_number_keeps_its_quantiles_in_wide_bounds(made: pl.DataFrame) -> None:
    real = patients(8000)
    for quantile in (0.6, 0.75, 0.9):
        there, here = (frame["amount"].quantile(quantile) for frame in (real, made))
        assert here == pytest.approx(there, rel=0.25)
