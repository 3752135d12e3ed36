"""The additive classifier as scikit-learn uses it."""

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from tacit import PrivateAdditiveClassifier, Schema
from tacit.data.schemas.columns import Categorical, Numeric
from tacit.errors import InputError
from tacit.models.additive.model import AdditiveClassifier
from tacit.models.additive.release import read_additive

SCHEMA = Schema((Numeric("age", (0, 100)), Categorical("city", ("Oslo", "Rome"))))


def people(n_rows: int, seed: int = 0) -> tuple[pl.DataFrame, NDArray[np.str_]]:
    random = np.random.default_rng(seed)
    age, city = random.uniform(0, 100, n_rows), random.choice(["Oslo", "Rome"], n_rows)
    ill = (np.abs(age - 50) + 20 * (city == "Rome") + random.normal(0, 8, n_rows)) > 35
    return pl.DataFrame({"age": age, "city": city}), np.where(ill, "ill", "well")


def test_a_mixed_frame_is_learned_though_no_line_separates_it() -> None:
    model = PrivateAdditiveClassifier(1.0, schema=SCHEMA, classes=["ill", "well"], random_state=0)
    model.fit(*people(4000))
    frame, labels = people(2000, 1)
    assert model.score(frame, labels) > 0.85
    chances = model.predict_proba(frame)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_allclose(model.decision_function(frame), np.log(chances[:, 1] / chances[:, 0]), atol=1e-6)


def test_real_measurements_are_learned() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    bounds = np.zeros(30), np.array([40, 50, 300, 4000, *([1] * 6), *([10] * 10), 50, 60, 300, 5000, *([2] * 6)])
    train, test, labels, truth = train_test_split(X, y, random_state=0)
    model = PrivateAdditiveClassifier(3.0, bounds=bounds, random_state=0).fit(train, labels)
    assert model.score(test, truth) > 0.85


def test_missing_numbers_are_allowed_and_tell() -> None:
    random = np.random.default_rng(0)
    X, y = random.random((2000, 2)), random.integers(0, 2, 2000)
    X[(y == 1) & (random.random(2000) < 0.8), 0] = np.nan
    model = PrivateAdditiveClassifier(2.0, bounds=(0, 1), random_state=0).fit(X, y)
    assert model.predict_proba([[np.nan, 0.5]])[0, 1] > 0.8
    assert model.predict_proba([[0.5, 0.5]])[0, 1] < 0.4


def test_the_release_holds_the_model() -> None:
    frame, labels = people(500)
    model = PrivateAdditiveClassifier(1.0, schema=SCHEMA, random_state=0).fit(frame, labels)
    again = read_additive(model.release())
    assert isinstance(again, AdditiveClassifier)
    assert again.classes == ("ill", "well")
    assert "read from the labels" in model.card_.to_text()


def test_the_plan_is_what_a_fit_charges() -> None:
    model = PrivateAdditiveClassifier(1.0, bounds=(0, 1), random_state=0)
    planned = model.plan(2, n_classes=3)
    model.fit(np.random.default_rng(0).random((60, 2)), np.arange(60) % 3)
    assert [part.what for part in model.card_.parts] == [step.what for step in planned]


def test_no_public_facts_are_refused() -> None:
    with pytest.raises(InputError, match="bounds or schema"):
        PrivateAdditiveClassifier(1.0).fit(np.zeros((4, 1)), [0, 1, 0, 1])
