"""What every private estimator inherits; the laws in tests/laws run over the estimators themselves."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from tacit import Budget, Ledger
from tacit.errors import BudgetExceededError
from tacit.models.private_estimator import PrivateEstimator
from tacit.privacy.account import Plan, Step
from tacit.privacy.mechanisms import Laplace

NOISE = Laplace.for_epsilon(0.5, sensitivity=1.0)
PLAN = Plan(Budget(0.5, unit="record"), (Step(NOISE, "a count", "one row moves the count by 1"),), 3)


@dataclass(eq=False, repr=False, kw_only=True)
class Counter(PrivateEstimator):
    """Counts rows."""

    width: float = 2.0

    def count(self, n_rows: int) -> float:
        return float(self._open(PLAN, "a count").release(NOISE, np.array([float(n_rows)]))[0])


def test_fields_are_parameters_and_epsilon_alone_has_a_place() -> None:
    model = Counter(0.5, width=3.0)
    assert model.get_params() == {"epsilon": 0.5, "ledger": None, "random_state": None, "width": 3.0}
    assert repr(model) == "Counter(epsilon=0.5, width=3.0)"
    with pytest.raises(TypeError):
        Counter(0.5, None)  # type: ignore[call-arg]


def test_clones_are_equal_in_parameters_and_not_in_identity(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.ledger", Budget(1, unit="record"))
    model = Counter(0.5, ledger=ledger, random_state=7)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert copy.ledger is ledger
    assert copy != model


def test_a_seed_repeats_the_noise_and_none_does_not() -> None:
    assert Counter(0.5, random_state=1).count(9) == Counter(0.5, random_state=1).count(9)
    assert len({Counter(0.5).count(9) for _ in range(8)}) > 1


def test_the_ledger_is_charged_before_the_draw_and_refuses_past_the_budget(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.ledger", Budget(1, unit="record"))
    model = Counter(0.5, ledger=ledger.path)
    model.count(9)
    model.count(9)
    assert [line.purpose for line in ledger.lines()] == ["a count", "a count"]
    with pytest.raises(BudgetExceededError):
        model.count(9)
    assert len(ledger.lines()) == 2
