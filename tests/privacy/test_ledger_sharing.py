"""Copies, pickles, clones, threads and workers of a ledger all charge one account."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GridSearchCV

from tacit.errors import BudgetExceededError, InputError, LedgerError, LedgerTamperedError
from tacit.privacy.budget import Budget
from tacit.privacy.events import ApproximateEvent, Event
from tacit.privacy.ledger import Ledger, Receipt, as_ledger

TENTH = ApproximateEvent(0.1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "patients.ledger"


@pytest.fixture
def ledger(path: Path) -> Ledger:
    return Ledger.create(path, Budget(1, unit="record"), name="patients")


def charge(ledger: Ledger, event: Event = TENTH, purpose: str = "a mean") -> Receipt:
    return ledger.charge(event, unit="record", purpose=purpose)


def test_a_ledger_is_its_own_copy(ledger: Ledger) -> None:
    assert copy.copy(ledger) is ledger
    assert copy.deepcopy({"ledger": [ledger]})["ledger"][0] is ledger


def test_a_pickled_ledger_charges_the_same_file(ledger: Ledger) -> None:
    charge(ledger)
    twin = pickle.loads(pickle.dumps(ledger))
    assert twin == ledger
    assert hash(twin) == hash(ledger)
    assert charge(twin).line == 2
    assert ledger.spent() == pytest.approx(0.2)


def test_a_pickle_opens_nothing_until_it_is_used(ledger: Ledger, path: Path) -> None:
    pickled = pickle.dumps(ledger)
    path.unlink()
    twin = pickle.loads(pickled)
    assert twin.budget == ledger.budget
    with pytest.raises(LedgerError, match="there is no ledger"):
        twin.spent()


def test_a_relative_path_still_leads_to_the_ledger_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ledger = Ledger.create("here.ledger", Budget(1, unit="record"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    charge(pickle.loads(pickle.dumps(ledger)))
    assert len(ledger.lines()) == 1


def test_a_replaced_file_is_not_charged(ledger: Ledger, path: Path) -> None:
    path.unlink()
    Ledger.create(path, ledger.budget)
    for operation in (lambda: charge(ledger), ledger.lines, ledger.spent, ledger.verify):
        with pytest.raises(LedgerTamperedError, match="the file was replaced"):
            operation()
    assert Ledger(path).lines() == ()


def test_threads_share_one_account(ledger: Ledger) -> None:
    def spend(_: int) -> bool:
        try:
            charge(ledger, ApproximateEvent(0.05))
        except BudgetExceededError:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(spend, range(40))) == 20
    assert [line.number for line in ledger.verify()] == list(range(1, 21))


def test_as_ledger_takes_none_a_path_or_a_ledger(ledger: Ledger, path: Path) -> None:
    assert as_ledger(None) is None
    assert as_ledger(ledger) is ledger
    assert as_ledger(path) == as_ledger(str(path)) == ledger
    with pytest.raises(InputError, match="ledger must be None, a path or a Ledger; got a float"):
        as_ledger(1.0)  # type: ignore[arg-type]  # the mistake under test


def test_the_repr_tells_the_budget_and_no_purpose(ledger: Ledger) -> None:
    charge(ledger, purpose="patients with gout")
    assert repr(ledger) == f"<Ledger '{ledger.path}': epsilon 1 per record (add-remove)>"


def charging(ledger: Any) -> Any:
    """Return an estimator that charges in fit, as a private one does; workers are sent its code."""

    class Charging(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
        def __init__(self, ledger: Any = None, guess: int = 0) -> None:
            self.ledger = ledger
            self.guess = guess

        def fit(self, X: Any, y: Any) -> "Charging":
            account = as_ledger(self.ledger)
            assert account is not None
            self.receipt_ = account.charge(ApproximateEvent(0.01), unit="record", purpose=f"guess {self.guess}")
            self.classes_ = np.unique(y)
            return self

        def predict(self, X: Any) -> Any:
            return np.full(len(X), self.guess)

    return Charging(ledger)


def test_a_clone_of_an_estimator_shares_its_ledger(ledger: Ledger) -> None:
    estimator = charging(ledger)
    for each in (estimator, clone(estimator), clone(clone(estimator)), copy.deepcopy(estimator)):
        assert each.ledger is ledger
        each.fit([[0], [1]], [0, 1])
    assert ledger.spent() == pytest.approx(0.04)


@pytest.mark.parametrize("as_path", [False, True])
def test_a_parallel_grid_search_shows_its_full_spend(ledger: Ledger, path: Path, as_path: bool) -> None:
    search = GridSearchCV(charging(str(path) if as_path else ledger), {"guess": [0, 1]}, cv=3, n_jobs=2)
    search.fit(np.zeros((12, 1)), np.tile([0, 1], 6))
    # Two settings on three folds, and the best one once more on all rows.
    assert len(ledger.lines()) == 7
    assert ledger.spent() == pytest.approx(0.07)
    ledger.verify(search.best_estimator_.receipt_)
