from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks
from sklearn.utils.validation import has_fit_parameter

from tacit import Budget, Ledger, PrivateLinearRegression, PrivateLogisticRegression, PrivateNearestMean
from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.models.row_weights import WEIGHTS_ASSUMED, row_weights, weighted_rows

RANDOM = np.random.default_rng(0)
X = RANDOM.random((60, 3))
Y = np.arange(60) % 3
# Shares that no grid changes, some of them 0.
SHARES = (np.arange(60) % 5) / 4

# Each with hardly any noise, the same at every fit, and nothing made for the number of rows.
TAKING: dict[str, Callable[..., Any]] = {
    "nearest mean": lambda **more: PrivateNearestMean(**{"epsilon": 90.0, "bounds": (0, 1), "random_state": 0, **more}),
    "linear": lambda **more: PrivateLinearRegression(
        **{"epsilon": 90.0, "bounds": (0, 1), "target_bounds": (0, 2), "random_state": 0, **more}
    ),
    "linear, pure epsilon": lambda **more: PrivateLinearRegression(
        **{"epsilon": 90.0, "bounds": (0, 1), "target_bounds": (0, 2), "delta": 0.0, "random_state": 0, **more}
    ),
    "logistic": lambda **more: PrivateLogisticRegression(
        **{"epsilon": 90.0, "bounds": (0, 1), "n_rows": 400, "random_state": 0, **more}
    ),
    "logistic, a row more or less": lambda **more: PrivateLogisticRegression(
        **{"epsilon": 90.0, "bounds": (0, 1), "relation": "add-remove", "random_state": 0, **more}
    ),
}
taking = pytest.mark.parametrize("make", TAKING.values(), ids=TAKING.keys())


def learned(model: Any) -> FloatArray:
    return np.concatenate([np.ravel(array) for array in model.release().arrays.values() if array.dtype.kind == "f"])


@taking
@pytest.mark.parametrize("labels", [Y, Y % 2], ids=["three classes", "two classes"])
def test_a_weight_of_0_is_a_row_left_out(make: Callable[..., Any], labels: FloatArray) -> None:
    there = SHARES > 0
    weighted = make().fit(X, labels, sample_weight=there)
    left_out = make().fit(X[there], labels[there])
    # Sums are exact; a solver's steps depend on the rows it is given, within its tolerance.
    tolerance = 1e-6 if isinstance(weighted, PrivateLogisticRegression) else 0.0
    assert learned(weighted) == pytest.approx(learned(left_out), rel=0, abs=tolerance)


@taking
def test_weights_of_1_are_no_weights(make: Callable[..., Any]) -> None:
    assert learned(make().fit(X, Y, sample_weight=np.ones(60))) == pytest.approx(learned(make().fit(X, Y)), abs=1e-12)


@taking
def test_a_row_twice_is_a_row_of_twice_the_weight(make: Callable[..., Any]) -> None:
    weighted = make().fit(X, Y, sample_weight=SHARES)
    times = (4 * SHARES).astype(int)
    repeated = make().fit(X.repeat(times, axis=0), Y.repeat(times), sample_weight=np.full(times.sum(), 0.25))
    assert learned(weighted) == pytest.approx(learned(repeated), abs=1e-6)


MANY = RANDOM.random((20_000, 3))
MANY_SHARES = np.where(MANY[:, 0] < 0.5, 1.0, 0.125)


def test_weighted_logistic_regression_is_that_of_scikit_learn() -> None:
    labels = np.where(MANY[:, 0] < 0.5, MANY[:, 1] > 0.5, MANY[:, 1] < 0.4)
    rows = 2 * MANY - 1
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    model = PrivateLogisticRegression(99.0, bounds=(0, 1), n_rows=20_000, regularization=0.01, random_state=0)
    oracle = LogisticRegression(C=1 / 200, fit_intercept=False, tol=1e-8).fit(rows, labels, sample_weight=MANY_SHARES)
    assert model.fit(MANY, labels, sample_weight=MANY_SHARES).coef_ == pytest.approx(oracle.coef_, abs=0.01)
    assert np.abs(model.fit(MANY, labels).coef_ - oracle.coef_).max() > 0.2  # the weights matter


def test_weighted_linear_regression_is_that_of_scikit_learn() -> None:
    targets = np.where(MANY[:, 0] < 0.5, MANY[:, 1], 1 - MANY[:, 1])
    model = PrivateLinearRegression(99.0, bounds=(0, 1), target_bounds=(0, 1), random_state=0)
    oracle = LinearRegression().fit(MANY, targets, sample_weight=MANY_SHARES).predict(X)
    assert model.fit(MANY, targets, sample_weight=MANY_SHARES).predict(X) == pytest.approx(oracle, abs=0.01)
    assert np.abs(model.fit(MANY, targets).predict(X) - oracle).max() > 0.1


def test_weighted_means_are_numpys() -> None:
    labels = np.where(MANY[:, 1] > 0.5, "a", "b")
    model = PrivateNearestMean(99.0, bounds=(0, 1), random_state=0).fit(MANY, labels, sample_weight=MANY_SHARES)
    means = [np.average(MANY[labels == c], axis=0, weights=MANY_SHARES[labels == c]) for c in "ab"]
    assert model.means_ == pytest.approx(np.array(means), abs=1e-3)
    assert model.counts_ == pytest.approx([MANY_SHARES[labels == c].sum() for c in "ab"], abs=2)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.full(60, 1.5), r"\[0, 1\]: no row may count for more"),
        (np.full(60, -0.1), r"\[0, 1\]"),
        (np.full(60, np.nan), r"\[0, 1\]"),
        (np.ones(59), "one weight for each of 60 rows"),
        (np.ones((60, 2)), "one weight for each of 60 rows"),
        (["much"] * 60, "numbers"),
        (np.zeros(60), "not be zero for all rows"),
    ],
)
@taking
def test_a_bad_weight_charges_nothing(make: Callable[..., Any], weights: Any, message: str, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.ledger", Budget(100, 1e-5, unit="record"))
    with pytest.raises(InputError, match=f"sample_weight must .*{message}"):
        make(ledger=ledger).fit(X, Y, sample_weight=weights)
    assert ledger.lines() == ()


@taking
def test_the_card_says_what_weights_assume_and_costs_the_same(make: Callable[..., Any], tmp_path: Path) -> None:
    plain, weighted = make().fit(X, Y).card_, make().fit(X, Y, sample_weight=SHARES).card_
    assert WEIGHTS_ASSUMED in weighted.assumptions
    assert WEIGHTS_ASSUMED not in plain.assumptions
    assert (weighted.epsilon, weighted.delta) == (plain.epsilon, plain.delta)


def test_a_search_over_settings_takes_no_weights() -> None:
    model = PrivateLogisticRegression(1.0, regularization=[0.1, 1.0], random_state=0)
    with pytest.raises(InputError, match="sample_weight must be left out where regularization is a sequence"):
        model.fit(X, Y % 2, sample_weight=SHARES)


def test_weights_go_with_the_rows_of_a_person() -> None:
    persons = np.repeat(np.arange(20), 3)
    model = PrivateNearestMean(40.0, bounds=(0, 1), rows_per_person=1, random_state=0)
    shares = np.where(np.arange(60) % 3 == 0, 1.0, 0.0)
    assert model.fit(X, Y, persons=persons, sample_weight=shares).counts_.sum() < 20
    with pytest.raises(InputError, match="sample_weight"):
        model.fit(X, Y, persons=persons, sample_weight=shares[:20])


@pytest.mark.parametrize("library", [list, pl.Series, lambda w: np.asarray(w, dtype=np.float32)])
def test_weights_come_in_any_column(library: Callable[[Any], Any]) -> None:
    expected = TAKING["nearest mean"]().fit(X, Y, sample_weight=SHARES)
    assert np.array_equal(learned(TAKING["nearest mean"]().fit(X, Y, sample_weight=library(SHARES))), learned(expected))


def test_a_pipeline_and_a_grid_search_hand_weights_on() -> None:
    pipeline = make_pipeline(FunctionTransformer(), TAKING["nearest mean"]())
    pipeline.fit(X, Y, privatenearestmean__sample_weight=SHARES)
    assert np.array_equal(learned(pipeline[-1]), learned(TAKING["nearest mean"]().fit(X, Y, sample_weight=SHARES)))
    with pytest.warns(UserWarning, match="no ledger"):
        search = GridSearchCV(TAKING["nearest mean"](), {"row_norm": [1.0, None]}, cv=2).fit(X, Y, sample_weight=SHARES)
    assert WEIGHTS_ASSUMED in search.best_estimator_.card_.assumptions


def test_weights_are_routed_to_who_asks_for_them() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        model = TAKING["nearest mean"]().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(FunctionTransformer(), model).fit(X, Y, sample_weight=SHARES)
        assert WEIGHTS_ASSUMED in pipeline[-1].card_.assumptions


def test_a_booster_that_computes_weights_from_all_rows_is_refused() -> None:
    assert not has_fit_parameter(TAKING["nearest mean"](), "sample_weight")
    with pytest.raises(ValueError, match="sample_weight"):
        AdaBoostClassifier(TAKING["nearest mean"]()).fit(X, Y)


CHECKS = [
    estimator_checks.check_sample_weights_pandas_series,
    estimator_checks.check_sample_weights_not_an_array,
    estimator_checks.check_sample_weights_list,
    estimator_checks.check_all_zero_sample_weights_error,
    estimator_checks.check_sample_weights_shape,
    estimator_checks.check_sample_weight_equivalence_on_dense_data,
    estimator_checks.check_sample_weights_not_overwritten,
    estimator_checks.check_classifiers_one_label_sample_weights,
]


# The largest weight that a check gives, where it is not 3 or 10.
LARGEST = {"check_classifiers_one_label_sample_weights": 1.0, "check_sample_weight_equivalence_on_dense_data": 4.0}


def divided(estimator: type, largest: float) -> type:
    """Return the estimator for weights up to ``largest``, by the way out that its refusal names: a public bound."""

    class Divided(estimator):  # type: ignore[misc]
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            weights = np.ones(len(np.asarray(X))) if sample_weight is None else np.asarray(sample_weight)
            return estimator.fit(self, X, y, sample_weight=weights / largest)  # type: ignore[attr-defined]

    Divided.__name__ = estimator.__name__
    return Divided


CASES = [(name, check) for name in TAKING for check in CHECKS if "linear" not in name or "label" not in check.__name__]


@pytest.mark.parametrize(("name", "check"), CASES, ids=lambda part: getattr(part, "__name__", part))
def test_scikit_learns_own_checks_of_weights_pass(name: str, check: Any) -> None:
    plain = TAKING[name](bounds=(-5.0, 5.0))
    largest = LARGEST.get(check.__name__, 16.0)
    model = divided(type(plain), largest)(**plain.get_params())
    check(type(plain).__name__, clone(model))


def test_weights_are_checked_and_cut() -> None:
    assert row_weights(None, 3) is None
    assert row_weights([0, 0.5, 1], 3) == pytest.approx([0, 0.5, 1], abs=0)
    assert row_weights([0.1], 1) == pytest.approx([0.1], abs=2e-8)


def test_rows_keep_their_weights_where_a_person_has_too_many() -> None:
    rows, labels = np.array([[0.25], [0.5], [1.0]]), np.array([0, 1, 1])
    bounded = PrivateNearestMean(1.0, bounds=(0, 1), rows_per_person=1, random_state=0)
    table, codes, weights = weighted_rows(bounded, [7, 7, 8], rows[:, 0], rows, labels)
    assert len(table) == len(codes) == 2
    assert weights is not None
    assert weights.tolist() == table[:, 0].tolist()
    table, _, weights = weighted_rows(PrivateNearestMean(1.0, bounds=(0, 1)), None, None, rows, labels)
    assert weights is None
    assert len(table) == 3
