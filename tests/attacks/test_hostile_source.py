"""A release made to fail on chosen rows tells nobody about them: it is refused when read, or learned from like any."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit import Budget, FeatureSplitClassifier, HypothesisTransfer, Ledger, PrivateLogisticRegression, read_release
from tacit.arrays import FloatArray
from tacit.audit.replay import QueryRecorder
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, SensitivityError, TacitError
from tacit.models.linear.release import LARGEST_WEIGHT
from tacit.models.two_class_problems import FURTHEST_MARGIN
from tacit.privacy.account import Account, Step, observed_by
from tacit.privacy.mechanisms import ObjectivePerturbation
from tacit.releases.file import Release, write_release

P = 61
BUDGET = Budget(1, unit="record", relation="replace")


def hostile(size: float) -> Release:
    """A linear release whose weights add up to ``size`` for the one row that agrees with all of them."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (100, P))
    honest = PrivateLogisticRegression(1.0, classes=[0, 1]).fit(X, (X[:, 0] > 0).astype(int)).release()
    weights = np.full((1, P), size)
    weights[0, -1] = 0
    return replace(honest, arrays={**honest.arrays, "weights": weights, "noise": np.array([1e-300])})


def tables() -> dict[str, FloatArray]:
    """The receiver's rows without and with the record that the weights were made for."""
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (80, P))
    X[:, -1] = 6
    other = X.copy()
    other[17], other[17, -1] = 1.0, 0.0
    return {"without": X, "with": other}


@pytest.mark.parametrize("size", [0.5e308, 1e300, 1e12, LARGEST_WEIGHT, 1.0])
@pytest.mark.parametrize("settings", [{}, {"prior_weight": 1.0}])
def test_whether_a_fit_fails_does_not_depend_on_a_record(tmp_path: Path, size: float, settings: dict[str, Any]) -> None:
    write_release(hostile(size), tmp_path / "source.tacit")
    source = read_release(tmp_path / "source.tacit")
    outcomes = {}
    for name, X in tables().items():
        ledger = Ledger.create(tmp_path / f"{name}.ledger", BUDGET)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                HypothesisTransfer(1.0, source=source, classes=[0, 1], ledger=ledger, **settings).fit(
                    X, np.arange(80) % 2
                )
            outcomes[name] = "released"
        except TacitError as problem:
            outcomes[name] = str(problem)
        outcomes[name] += f", spent {ledger.spent():g}"
    assert outcomes["with"] == outcomes["without"]
    # What is refused is refused before anything is charged.
    assert outcomes["with"].startswith("released") or outcomes["with"].endswith("spent 0")
    assert outcomes["with"].startswith("released") == (size <= LARGEST_WEIGHT)


def test_prior_weights_beyond_the_bound_are_refused_before_the_charge(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", BUDGET)
    model = PrivateLogisticRegression(1.0, prior=np.full((1, P), 1e307), classes=[0, 1], ledger=ledger)
    with pytest.raises(InputError, match="prior"):
        model.fit(tables()["with"], np.arange(80) % 2)
    assert ledger.spent() == 0


def test_a_schema_made_to_blow_weights_up_is_refused_before_the_charge(tmp_path: Path) -> None:
    ours = Schema((Numeric("a", (0.0, 1.0)), Numeric("b", (0.0, 1.0)), Label("y", ("0", "1"))))
    narrow = Schema((Numeric("a", (0.0, 1e-290)), Numeric("b", (0.0, 1.0)), Label("y", ("0", "1"))))
    X = np.random.default_rng(0).random((50, 2))
    source = FeatureSplitClassifier(1.0, schema=ours).fit(X, np.arange(50) % 2).release()
    ledger = Ledger.create(tmp_path / "x.ledger", BUDGET)
    model = FeatureSplitClassifier(1.0, sources=[replace(source, schema=narrow.to_dict())], schema=ours, ledger=ledger)
    with pytest.raises(InputError, match="weights"):
        model.fit(X, np.arange(50) % 2)
    assert ledger.spent() == 0


def test_margins_are_saturated_where_nothing_is_left_to_learn() -> None:
    source, recorder = hostile(LARGEST_WEIGHT), QueryRecorder()
    model = FeatureSplitClassifier(1.0, sources=[source], classes=[0, 1])
    with observed_by(recorder.record):
        model.fit(tables()["with"], np.arange(80) % 2)
    assert np.abs(recorder.queries[0].values[:, -1]).max() == FURTHEST_MARGIN


@pytest.mark.parametrize("values", [np.full((1, 3), np.nan), np.full((1, 3), 9.0), np.zeros((1, 7)), np.zeros(0)])
def test_a_failure_after_the_charge_says_the_same_whatever_failed(tmp_path: Path, values: FloatArray) -> None:
    mechanism = ObjectivePerturbation.for_epsilon(1.0, curvature=1.0, dimension=2)
    ledger = Ledger.create(tmp_path / "x.ledger", BUDGET)
    account = Account.open([Step(mechanism, "w", "")], budget=BUDGET, ledger=ledger)
    with pytest.raises(SensitivityError) as caught:
        account.release(mechanism, values)
    assert str(caught.value).startswith("a query failed after its charge, and nothing was released")
    assert isinstance(caught.value.__cause__, InputError | SensitivityError)
