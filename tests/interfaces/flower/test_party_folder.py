"""A party's folder: noise is drawn and charged once, on the party's own terms."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tacit.errors import BudgetExceededError, InputError, LedgerError, NotReleasableError
from tacit.interfaces.flower.party_folder import PartyFolder
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger

SCHEMA = """version = 1
[columns.a]
kind = "numeric"
bounds = [0, 10]
[columns.kind]
kind = "label"
classes = ["x", "y"]
"""
TERMS = 'name = "clinic"\nepsilon = 1.0\ndelta = 1e-9\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "table.csv").write_text("a,kind\n1,x\n2,y\n9,y\n")
    (tmp_path / "schema.toml").write_text(SCHEMA)
    (tmp_path / "party.toml").write_text(TERMS)
    Ledger.create(tmp_path / "party.ledger", Budget(2.5, 1e-8, unit="entry"))
    return tmp_path


def lines(folder: Path) -> int:
    return len(Ledger(folder / "party.ledger").lines())


def test_rows_are_drawn_and_charged_once_and_survive_a_restart(folder: Path) -> None:
    first = PartyFolder(folder).rows()
    assert lines(folder) == 1
    assert PartyFolder(folder).spent() == pytest.approx(1.0)
    assert (folder / "private-rows.tacit").stat().st_mode & 0o077 == 0
    again = PartyFolder(folder).rows()
    assert np.array_equal(first.arrays["rows"], again.arrays["rows"])
    assert lines(folder) == 1


def test_questions_at_the_same_time_are_charged_once(folder: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(lambda _: PartyFolder(folder).rows().arrays["rows"], range(4)))
    assert all(np.array_equal(each, drawn[0]) for each in drawn)
    assert lines(folder) == 1


def test_a_refit_is_refused_unless_the_party_agreed_to_it(folder: Path) -> None:
    PartyFolder(folder).rows()
    with pytest.raises(NotReleasableError, match="refit = false"):
        PartyFolder(folder).rows(refit=True)
    assert lines(folder) == 1


def test_an_agreed_refit_is_charged_until_the_budget_is_spent(folder: Path) -> None:
    (folder / "party.toml").write_text(TERMS + "refit = true\n")
    first = PartyFolder(folder).rows().arrays["rows"]
    second = PartyFolder(folder).rows(refit=True).arrays["rows"]
    assert not np.array_equal(first, second)
    assert lines(folder) == 2
    with pytest.raises(BudgetExceededError):
        PartyFolder(folder).rows(refit=True)
    assert lines(folder) == 2
    assert np.array_equal(PartyFolder(folder).rows().arrays["rows"], second)


def test_changed_terms_are_noticed_instead_of_answered_from_old_rows(folder: Path) -> None:
    PartyFolder(folder).rows()
    (folder / "party.toml").write_text(TERMS.replace("1.0", "2.0"))
    with pytest.raises(NotReleasableError, match="changed since"):
        PartyFolder(folder).rows()


def test_without_a_ledger_nothing_is_drawn(folder: Path) -> None:
    (folder / "party.ledger").unlink()
    with pytest.raises(LedgerError):
        PartyFolder(folder).rows()
    assert not (folder / "private-rows.tacit").exists()


def test_a_row_without_a_label_is_refused_before_anything_is_charged(folder: Path) -> None:
    (folder / "table.csv").write_text("a,kind\n1,x\n2,\n")
    with pytest.raises(InputError, match="without a label"):
        PartyFolder(folder).rows()
    assert lines(folder) == 0


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ("name = 3\nepsilon = 1.0\ndelta = 0.0\n", "name must be a str"),
        ('name = "a"\nepsilon = true\ndelta = 0.0\n', "epsilon must be a float"),
        ('name = "a"\nepsilon = 1.0\n', "lacks"),
        (TERMS + "rounds = 3\n", "rounds"),
        ("name = ", "cannot be read"),
    ],
    ids=["name", "epsilon", "missing", "unknown", "toml"],
)
def test_wrong_terms_are_refused(folder: Path, terms: str, said: str) -> None:
    (folder / "party.toml").write_text(terms)
    with pytest.raises(InputError, match=said):
        PartyFolder(folder)


def test_a_negative_epsilon_is_refused_before_anything_is_charged(folder: Path) -> None:
    (folder / "party.toml").write_text(TERMS.replace("1.0", "-1.0"))
    with pytest.raises(InputError, match="epsilon"):
        PartyFolder(folder).rows()
    assert lines(folder) == 0
