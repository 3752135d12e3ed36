"""The additive regressor as scikit-learn uses it."""

import numpy as np
import polars as pl
import pytest

from tacit import PrivateAdditiveRegressor, Schema
from tacit.arrays import FloatArray
from tacit.data.schemas.columns import Categorical, Numeric
from tacit.errors import InputError
from tacit.models.additive.model import AdditiveRegression
from tacit.models.additive.release import read_additive


def curve(n_rows: int, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (n_rows, 3))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] ** 2 + random.normal(0, 0.3, n_rows)


def test_a_curved_target_is_learned_with_an_honest_spread() -> None:
    model = PrivateAdditiveRegressor(1.0, bounds=(-1, 1), target_bounds=(-3, 4), random_state=0).fit(*curve(8000))
    X, y = curve(4000, 1)
    assert model.score(X, y) > 0.75
    errors = (y - model.predict(X)) / model.predict_spread(X)
    assert 0.5 < np.sqrt((errors**2).mean()) < 1.2


def test_loose_bounds_of_the_target_cost_little() -> None:
    X, y = curve(4000, 1)
    scores = [
        PrivateAdditiveRegressor(1.0, bounds=(-1, 1), target_bounds=bounds, random_state=0)
        .fit(*curve(8000))
        .score(X, y)
        for bounds in ((-3, 4), (-100, 1000))
    ]
    assert scores[1] > scores[0] - 0.05


def test_a_target_beyond_its_bounds_is_moved_to_them() -> None:
    X, y = curve(3000)
    y[0] = 1e12
    model = PrivateAdditiveRegressor(1.0, bounds=(-1, 1), target_bounds=(-3, 4), random_state=0).fit(X, y)
    assert model.predict(X).max() <= 4


def test_a_frame_with_a_schema_is_learned_and_released() -> None:
    schema = Schema((Numeric("size", (0, 10)), Categorical("cut", ("fair", "good"))))
    random = np.random.default_rng(0)
    frame = pl.DataFrame({"size": random.uniform(0, 10, 3000), "cut": random.choice(["fair", "good"], 3000)})
    price = 10 * frame["size"].to_numpy() + 30 * (frame["cut"] == "good").to_numpy()
    model = PrivateAdditiveRegressor(1.0, schema=schema, target_bounds=(0, 200), random_state=0).fit(frame, price)
    assert model.score(frame, price) > 0.8
    again = read_additive(model.release())
    assert isinstance(again, AdditiveRegression)
    assert again.bounds == (0.0, 200.0)
    assert len(model.plan(2)) == 2


def test_a_target_without_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="could not convert"):
        PrivateAdditiveRegressor(1.0, bounds=(0, 1), target_bounds=(0, 1)).fit(np.zeros((2, 1)), ["a", "b"])


def test_broken_bounds_of_the_target_are_refused() -> None:
    with pytest.raises(InputError):
        PrivateAdditiveRegressor(1.0, bounds=(0, 1), target_bounds=(1, 0)).fit(*curve(20))
