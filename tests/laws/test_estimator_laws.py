"""Laws that every estimator of the library obeys; a new estimator joins by a line in ``PRIVATE``."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from tacit import (
    AffineHull,
    AffineHullClassifier,
    Budget,
    MembershipAutoencoder,
    MembershipClassifier,
    MembershipMapping,
    PairMetric,
    SharpenedClassifier,
)
from tacit.audit.replay import replay
from tacit.errors import BudgetExceededError
from tacit.models.additive.classifier import PrivateAdditiveClassifier
from tacit.models.additive.regressor import PrivateAdditiveRegressor
from tacit.models.autoencoder.classifier import PrivateAutoencoderClassifier
from tacit.models.autoencoder.encoder import PrivateAutoencoder
from tacit.models.autoencoder.linear_regression import PrivateLinearRegression
from tacit.models.class_moments.nearest_mean import PrivateNearestMean
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.models.linear.hypothesis_transfer import HypothesisTransfer
from tacit.models.linear.logistic import PrivateLogisticRegression
from tacit.models.linear.planning import SplitSettings
from tacit.privacy import accounting
from tacit.privacy.ledger import Ledger

# How to make each private estimator for data in [0, 16], given further settings.
PRIVATE: dict[str, Callable[..., Any]] = {
    "PrivateAdditiveClassifier": lambda **more: PrivateAdditiveClassifier(
        **{"epsilon": 1.0, "bounds": (0, 16), **more}
    ),
    "PrivateAdditiveRegressor": lambda classes=None, **more: PrivateAdditiveRegressor(
        **{"epsilon": 1.0, "bounds": (0, 16), "target_bounds": (0, 3), **more}
    ),
    "PrivateAutoencoder": lambda classes=None, **more: PrivateAutoencoder(
        **{"epsilon": 1.0, "bounds": (0, 16), "hidden": (6,), **more}
    ),
    "PrivateAutoencoderClassifier": lambda **more: PrivateAutoencoderClassifier(
        **{"epsilon": 1.0, "bounds": (0, 16), "hidden": (6,), **more}
    ),
    "PrivateAutoencoderClassifier, pure epsilon": lambda **more: PrivateAutoencoderClassifier(
        **{"epsilon": 1.0, "bounds": (0, 16), "hidden": (6,), "delta": 0.0, "output": "objective", **more}
    ),
    "PrivateLinearRegression": lambda classes=None, **more: PrivateLinearRegression(
        **{"epsilon": 1.0, "bounds": (0, 16), "target_bounds": (0, 3), **more}
    ),
    "FeatureSplitClassifier": lambda **more: FeatureSplitClassifier(
        **{"epsilon": 1.0, "bounds": (0, 16), "split": 4, "n_rows": 800, **more}
    ),
    "HypothesisTransfer": lambda **more: HypothesisTransfer(
        **{"epsilon": 1.0, "bounds": (0, 16), "n_rows": 800, **more}
    ),
    "PrivateLogisticRegression": lambda **more: PrivateLogisticRegression(
        **{"epsilon": 1.0, "bounds": (0, 16), "n_rows": 800, **more}
    ),
    "PrivateNearestMean": lambda **more: PrivateNearestMean(**{"epsilon": 1.0, "bounds": (0, 16), **more}),
}
# scikit-learn's own checks need a model that learns: hardly any noise.
CHECKED = [
    PrivateAdditiveClassifier(epsilon=99.0, bounds=(-5.0, 5.0), random_state=0),
    PrivateAdditiveRegressor(epsilon=99.0, bounds=(-3.0, 3.0), target_bounds=(-3.0, 3.0), random_state=0),
    PrivateNearestMean(epsilon=99.0, bounds=(-5.0, 5.0), random_state=0),
    PrivateLogisticRegression(epsilon=99.0, bounds=(-5.0, 5.0), random_state=0),
    FeatureSplitClassifier(epsilon=99.0, bounds=(-5.0, 5.0), settings=SplitSettings("stack"), random_state=0),
    HypothesisTransfer(epsilon=99.0, bounds=(-5.0, 5.0), random_state=0),
    PrivateAutoencoder(epsilon=99.0, bounds=(-5.0, 5.0), hidden=(6,), random_state=0),
    PrivateAutoencoderClassifier(epsilon=99.0, bounds=(-5.0, 5.0), hidden=(6,), random_state=0),
    PrivateAutoencoderClassifier(epsilon=99.0, bounds=(-5.0, 5.0), hidden=(6,), delta=0.0, random_state=0),
    PrivateLinearRegression(epsilon=99.0, bounds=(-3.0, 3.0), target_bounds=(-3.0, 3.0), row_norm=1.8, random_state=0),
]

Table = tuple[NDArray[Any], NDArray[Any]]
private = pytest.mark.parametrize("make", PRIVATE.values(), ids=PRIVATE.keys())


@pytest.fixture(scope="module")
def digits() -> Table:
    X, y = load_digits(n_class=4, return_X_y=True)
    return X, y


def new_ledger(folder: Path, epsilon: float) -> Ledger:
    return Ledger.create(folder / "table.ledger", Budget(epsilon, 1e-4, unit="record"))


@parametrize_with_checks(CHECKED)
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)


@private
def test_a_clone_shares_the_ledger(make: Callable[..., Any], digits: Table, tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path, 10)
    model = make(ledger=ledger)
    for copy in (clone(model), clone(model)):
        copy.fit(*digits)
    assert len(ledger.lines()) == 2


@private
def test_a_grid_search_shows_every_spend(make: Callable[..., Any], digits: Table, tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path, 50)
    search = GridSearchCV(make(ledger=ledger), {"epsilon": [0.5, 1.0]}, cv=2, n_jobs=2)
    search.fit(*digits)
    assert len(ledger.lines()) == 2 * 2 + 1
    assert ledger.spent() > 1.0


@private
def test_a_pipeline_charges_once(make: Callable[..., Any], digits: Table, tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path, 10)
    make_pipeline(FunctionTransformer(), make(ledger=str(tmp_path / "table.ledger"))).fit(*digits)
    assert len(ledger.lines()) == 1


@private
def test_a_seed_repeats_the_fit_and_marks_the_card(make: Callable[..., Any], digits: Table) -> None:
    first, second = (make(random_state=5).fit(*digits) for _ in range(2))
    for name, array in first.release().arrays.items():
        assert np.array_equal(array, second.release().arrays[name])
    assert not first.card_.secure


@private
def test_without_a_seed_no_two_fits_agree(make: Callable[..., Any], digits: Table) -> None:
    first, second = (make().fit(*digits).release().arrays for _ in range(2))
    assert any(not np.array_equal(first[name], second[name]) for name in first)


@private
def test_the_ledger_is_charged_what_the_card_says(make: Callable[..., Any], digits: Table, tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path, 10)
    model = make(ledger=ledger).fit(*digits)
    (line,) = ledger.lines()
    assert accounting.epsilon(line.event, delta=model.card_.delta) <= model.card_.epsilon * (1 + 1e-9)
    assert accounting.epsilon(model.card_.event, delta=model.card_.delta) <= model.card_.epsilon * (1 + 1e-9)
    assert model.card_.ledger is not None
    assert model.card_.ledger["digest"] == line.digest


@private
def test_past_the_budget_nothing_is_fitted(make: Callable[..., Any], digits: Table, tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path, 0.5)
    model = make(ledger=ledger)
    with pytest.raises(BudgetExceededError):
        model.fit(*digits)
    assert not hasattr(model, "card_")
    assert not ledger.lines()


@private
def test_the_release_keeps_no_raw_row(make: Callable[..., Any], digits: Table) -> None:
    X, _ = digits
    scaled = X / 16
    for array in make().fit(*digits).release().arrays.values():
        rows = np.atleast_2d(array)
        if rows.shape[-1] != X.shape[1]:
            continue
        apart = np.abs(rows.reshape(-1, 1, X.shape[1]) - scaled[None]).max(axis=-1)
        assert apart.min() > 1e-6


@private
def test_a_replay_on_a_neighbour_finds_nothing(make: Callable[..., Any], digits: Table) -> None:
    X, y = digits

    def run(table: Table) -> dict[str, Any]:
        return dict(make(classes=range(4)).fit(*table).release().arrays)

    extreme = np.full((1, X.shape[1]), 1e6)
    replay(run, (X, y), (np.vstack([X, extreme]), np.append(y, 3))).require()
    replay(run, (X, y), (X[1:], y[1:])).require()


@private
def test_per_person_noise_card_and_ledger_count_persons(
    make: Callable[..., Any], digits: Table, tmp_path: Path
) -> None:
    X, y = digits
    ledger = Ledger.create(tmp_path / "persons.ledger", Budget(1.0, 1e-6, unit="person"))
    persons = np.arange(len(X)) // 4
    model = make(rows_per_person=2, ledger=ledger).fit(X, y, persons=persons)
    card = model.card_
    assert (card.unit, card.rows_per_person, card.epsilon) == ("person", 2, 1.0)
    assert all(part.rows == 2 for part in card.parts)
    assert ledger.spent() <= 1.0
    (line,) = ledger.lines()
    assert (line.unit, line.claim.rows_per_person) == ("person", 2)
    assert accounting.epsilon(line.event, delta=card.delta) <= 1.0 + 1e-9
    assert "person" in card.adjacency


@private
def test_a_replay_without_a_person_finds_nothing(make: Callable[..., Any], digits: Table) -> None:
    """One person with more rows than are read comes or goes: queries move K times as far as one row does, no more."""
    X, y = digits
    persons = np.arange(len(X)).astype(str)
    joined = np.vstack([X, np.full((5, X.shape[1]), 1e6)]), np.append(y, [3] * 5), np.append(persons, ["new"] * 5)

    def run(table: tuple[Any, ...]) -> dict[str, Any]:
        rows, labels, names = table
        model = make(classes=range(4), rows_per_person=2, random_state=0)
        return dict(model.fit(rows, labels, persons=names).release().arrays)

    outcome = replay(run, (X, y, persons), joined, rows=2).require()
    assert outcome.largest_share > 0.4  # all five rows would pass the limit


ESTIMATORS = [
    *(type(make()) for make in PRIVATE.values()),
    AffineHull,
    AffineHullClassifier,
    MembershipAutoencoder,
    MembershipClassifier,
    MembershipMapping,
    PairMetric,
    SharpenedClassifier,
]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_no_estimator_has_more_than_a_dozen_parameters(estimator: Any) -> None:
    """Rarer settings stand together in a frozen object of their own."""
    assert len(inspect.signature(estimator).parameters) <= 12
