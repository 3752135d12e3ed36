"""A law of every estimator: weights of rows are taken, or refused in one clear line, and nothing is charged."""

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import has_fit_parameter

from tacit import Budget, Ledger, PrivateAdditiveClassifier, PrivateNearestMean
from tacit.adoption.tables.adopted_classifier import AdoptedClassifier
from tacit.adoption.tables.adopted_regressor import AdoptedRegressor
from tacit.adoption.tables.target_transfer import TargetTransfer
from tacit.errors import InputError
from tacit.models.scikit_learn import BaseEstimator
from tacit.public_names import PUBLIC_NAMES, load

ESTIMATORS = {
    name: value for name in sorted(PUBLIC_NAMES) if isinstance(value := load(name), type) and hasattr(value, "fit")
}
INNER: list[type] = [AdoptedClassifier, AdoptedRegressor, TargetTransfer]
# Sums of bounded rows, of which each can be a share: tests/models/test_row_weights.py.
TAKING = {"PrivateLinearRegression", "PrivateLogisticRegression", "PrivateNearestMean"}
REFUSING = [*(each for name, each in ESTIMATORS.items() if name not in TAKING), *INNER]
X, Y = np.linspace(0, 1, 40).reshape(20, 2), np.arange(20) % 2
WEIGHTS = np.ones(20)


@pytest.mark.parametrize("estimator", REFUSING, ids=lambda each: each.__name__)
def test_an_estimator_that_takes_no_weights_says_why(estimator: Any) -> None:
    blank = estimator.__new__(estimator)  # refused before any parameter is looked at
    with pytest.raises(InputError, match=f"sample_weight must be left out: {estimator.__name__} counts every row once"):
        blank.fit(X, Y, sample_weight=WEIGHTS)
    # scikit-learn asks the signature whether an estimator takes weights.
    assert not has_fit_parameter(blank, "sample_weight")
    assert list(inspect.signature(estimator.fit).parameters)[:3] == ["self", "X", "y"]


@pytest.mark.parametrize("name", sorted(TAKING))
def test_an_estimator_that_takes_weights_hides_them_from_boosters(name: str) -> None:
    assert not has_fit_parameter(ESTIMATORS[name], "sample_weight")
    assert list(inspect.signature(ESTIMATORS[name].fit).parameters) == ["self", "X", "y", "persons"]


def test_the_law_covers_the_estimators_that_there_are() -> None:
    assert len(ESTIMATORS) >= 20
    assert {"PrivateNearestMean", "AveragedTransfer", "AffineHull"} <= set(ESTIMATORS)


def test_a_refused_weight_charges_nothing(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.ledger", Budget(5, 1e-5, unit="record"))
    model = PrivateAdditiveClassifier(1.0, bounds=(0, 1), ledger=ledger)
    with pytest.raises(InputError, match="sample_weight"):
        model.fit(X, Y, sample_weight=WEIGHTS)  # type: ignore[call-arg]  # refused on purpose
    assert ledger.lines() == ()
    pipeline = make_pipeline(FunctionTransformer(), model)
    with pytest.raises(InputError, match="sample_weight"):
        pipeline.fit(X, Y, privateadditiveclassifier__sample_weight=WEIGHTS)
    assert ledger.lines() == ()


def test_no_weights_are_no_weights() -> None:
    model = PrivateNearestMean(1.0, bounds=(0, 1), random_state=0)
    plain = model.fit(X, Y).predict(X)
    assert (model.fit(X, Y, sample_weight=None).predict(X) == plain).all()


def test_a_score_may_weigh_rows() -> None:
    model = PrivateNearestMean(50.0, bounds=(0, 1), random_state=0).fit(X, Y)
    right = model.predict(X) == Y
    assert model.score(X, Y, sample_weight=np.arange(20)) == pytest.approx(np.average(right, weights=np.arange(20)))


def test_boosting_by_weights_is_refused_by_scikit_learn_itself() -> None:
    with pytest.raises(ValueError, match="sample_weight"):
        AdaBoostClassifier(PrivateNearestMean(1.0, bounds=(0, 1))).fit(X, Y)


def test_a_subclass_is_wrapped_once_and_inherits_the_refusal() -> None:
    class First(BaseEstimator):
        def fit(self, X: Any, y: Any) -> "First":
            return self

    class Second(First):
        pass

    class Third(First):
        def fit(self, X: Any, y: Any) -> "Third":
            super().fit(X, y)
            return self

    assert Second.fit is First.fit
    assert isinstance(Third().fit(X, Y), Third)

    class Fourth(First):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Fourth":
            return self

    assert isinstance(Fourth().fit(X, Y, sample_weight=WEIGHTS), Fourth)
    for each in (First, Second, Third):
        with pytest.raises(InputError, match=each.__name__):
            each().fit(X, Y, sample_weight=WEIGHTS)  # type: ignore[call-arg]
