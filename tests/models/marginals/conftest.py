"""A small mixed table, its measurement and model, which the tests of this family share."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.arrays import Rows
from tacit.data.rows.encoding import encode
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.models.marginals.counting import BatchCounts
from tacit.models.marginals.layout import Layout, encoded_batches
from tacit.models.marginals.measuring import Measurement, Survey, measure
from tacit.models.marginals.model import MarginalModel, fitted_model
from tacit.models.marginals.planning import plan_stages
from tacit.privacy.account import Account
from tacit.privacy.budget import Budget

import polars as pl  # isort: skip

SCHEMA = Schema(
    (
        Numeric("age", (17, 90), integer=True),
        Numeric("gain", (0, 9999), integer=True),
        Numeric("dose", (0, 2), missing="flag"),
        Categorical("work", ("farm", "office", "none"), missing="category"),
        Categorical("grade", tuple("abcdefgh")),
        Numeric("points", (1, 8), integer=True),
        Label("outcome", ("well", "ill", "worse")),
    )
)


CHURN = Schema(
    (
        Categorical("line", ("no", "yes")),
        *(Categorical(name, ("no", "no line", "yes")) for name in ("backup", "support", "films")),
        *(Categorical(f"other{place}", ("a", "b")) for place in range(14)),
        Label("leaves", ("no", "yes")),
    )
)


def churn_like(n_rows: int, seed: int) -> pl.DataFrame:
    """Return rows of few and many services, in which those without a line have none of three extras."""
    rng = np.random.default_rng(seed)
    line = rng.random(n_rows) < 0.75
    leaves = rng.random(n_rows) < np.where(line, 0.4, 0.15)
    columns = {"line": np.where(line, "yes", "no"), "leaves": np.where(leaves, "yes", "no")}
    for name in ("backup", "support", "films"):
        columns[name] = np.where(line, np.where(rng.random(n_rows) < 0.5, "yes", "no"), "no line")
    for place in range(14):
        columns[f"other{place}"] = np.where(rng.random(n_rows) < 0.5, "a", "b")
    return pl.DataFrame(columns)


def people(n_rows: int, seed: int = 0) -> pl.DataFrame:
    """Return rows in which points follow the grade, gain is mostly 0, dose is missing for those without work."""
    rng = np.random.default_rng(seed)
    outcome = rng.choice(3, n_rows, p=[0.5, 0.35, 0.15])
    age = np.clip(rng.normal(35 + 12 * outcome, 10), 17, 90).round()
    work = np.where(rng.random(n_rows) < 0.1, 3, rng.choice(3, n_rows, p=[0.3, 0.6, 0.1]))
    grade = np.clip(rng.binomial(7, 0.3 + 0.2 * outcome), 0, 7)
    gain = np.where(rng.random(n_rows) < 0.8, 0, rng.exponential(1500, n_rows).clip(0, 9999)).round()
    dose = np.where(work == 2, np.nan, np.clip(age / 60 + rng.normal(0, 0.1, n_rows), 0, 2).round(2))
    return pl.DataFrame(
        {
            "age": age.astype(int),
            "gain": gain.astype(int),
            "dose": pl.Series(dose).fill_nan(None),
            "work": pl.Series([("farm", "office", "none", None)[code] for code in work]),
            "grade": [tuple("abcdefgh")[code] for code in grade],
            "points": grade + 1,
            "outcome": [("well", "ill", "worse")[code] for code in outcome],
        }
    )


def measured(X: Rows, y: NDArray[np.int64], schema: Schema, *, epsilon: float = 4.0, seed: int = 0) -> Measurement:
    """Return the noisy tables of encoded rows."""
    layout, budget = Layout.of(schema), Budget(epsilon, 1e-6, unit="record")
    stages = plan_stages(layout, budget)
    account = Account.open(stages.steps, budget=budget, random_state=seed)
    return measure(Survey(BatchCounts(encoded_batches(X, y, schema), layout), layout, stages, account))


@pytest.fixture(scope="session")
def measurement() -> Measurement:
    rows = encode(people(6000), SCHEMA)
    return measured(rows.X, rows.y, SCHEMA)


@pytest.fixture(scope="session")
def model(measurement: Measurement) -> MarginalModel:
    return fitted_model(measurement, random_state=0)
