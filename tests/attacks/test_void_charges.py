"""What guarantees nothing is refused on a ledger, or its line says so wherever the sum is shown."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tacit import Budget, Ledger, PrivateAutoencoderClassifier, PrivateNearestMean
from tacit.errors import LedgerError
from tacit.interfaces.cli.main import app

X = np.random.default_rng(0).random((40, 3))
y = np.arange(40) % 2


def ledger_at(folder: Path) -> Ledger:
    return Ledger.create(folder / "x.ledger", Budget(50, 1e-5, unit="record"))


def test_seeded_noise_is_no_charge_on_a_ledger(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    with pytest.raises(LedgerError, match=r"seed.*Nothing was charged\. Draw without a seed"):
        PrivateNearestMean(1.0, bounds=(0, 1), classes=[0, 1], ledger=ledger, random_state=3).fit(X, y)
    assert ledger.lines() == ()


def test_a_printed_algorithm_that_leaks_is_no_charge_on_a_ledger(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    model = PrivateAutoencoderClassifier(1.0, bounds=(0, 1), hidden=(2,), accounting="paper", ledger=ledger)
    with pytest.raises(LedgerError, match="guarantees nothing does not belong on a ledger"):
        model.fit(X, y)
    assert ledger.lines() == ()


def test_where_it_is_allowed_every_summary_says_no_guarantee(tmp_path: Path) -> None:
    ledger_at(tmp_path)
    ledger = Ledger(tmp_path / "x.ledger", allow=["no-guarantee"])
    PrivateNearestMean(1.0, bounds=(0, 1), classes=[0, 1], ledger=ledger, random_state=3).fit(X, y)
    statement = Ledger(tmp_path / "x.ledger").statement()
    assert statement.notes[0].startswith("no guarantee: line 1. The noise was drawn from a seed")
    assert "1 of its 1 lines have no guarantee" in statement.caution
    for command in ("show", "verify"):
        shown = CliRunner().invoke(app, ["ledger", command, str(ledger.path)], env={"COLUMNS": "200"}).output
        assert "no guarantee" in shown


def test_an_allowance_is_that_of_the_opener_and_travels_with_copies(tmp_path: Path) -> None:
    ledger_at(tmp_path)
    allowing = Ledger(tmp_path / "x.ledger", allow="no-guarantee")
    for each in (allowing, copy.deepcopy(allowing), pickle.loads(pickle.dumps(allowing))):
        PrivateNearestMean(1.0, bounds=(0, 1), classes=[0, 1], ledger=each, random_state=3).fit(X, y)
    with pytest.raises(LedgerError, match="guarantees nothing"):
        PrivateNearestMean(1.0, bounds=(0, 1), classes=[0, 1], ledger=tmp_path / "x.ledger", random_state=3).fit(X, y)
    assert len(allowing.lines()) == 3
