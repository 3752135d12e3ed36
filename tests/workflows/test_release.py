"""Releasing a table in one call: everything is checked first, then charged, then drawn and written."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.workflows.planning import terms_of

import tacit
from tacit.arrays import UNLABELLED
from tacit.data.rows.encoding import Encoded, decode
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.file import format_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import BudgetExceededError, InputError, ReleaseError, SchemaError, TacitError
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.releases.file import read_release
from tacit.workflows.release import make_release, plan_release
from tacit.workflows.tables import Table

SCHEMA = Schema((Numeric("age", (0.0, 100.0)), Categorical("sex", ("f", "m")), Label("outcome", ("well", "ill"))))
PROMISE: dict[str, Any] = {"epsilon": 1.0, "method": "moments"}


def rows(n: int = 200, seed: int = 0) -> Encoded:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = np.column_stack([np.clip(0.3 + 0.4 * y + rng.normal(0, 0.1, n), 0, 1), np.eye(2)[rng.integers(0, 2, n)]])
    return Encoded(X, y.astype(np.int64), SCHEMA.encoded_names, SCHEMA.classes)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("s.toml").write_text(format_schema(SCHEMA), encoding="utf-8")
    encoded = rows()
    decode(encoded.X, SCHEMA, y=encoded.y).write_csv("a.csv")
    return tmp_path


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    return Ledger.create(folder / "a.ledger", Budget(1.5, 1e-5, unit="record"))


def test_a_file_a_frame_and_encoded_rows_give_the_same_release(folder: Path) -> None:
    tables: list[Table] = ["a.csv", pl.read_csv("a.csv"), tacit.encode(pl.read_csv("a.csv"), SCHEMA, labels="required")]
    made = [tacit.release(table, SCHEMA, **PROMISE, random_state=1) for table in tables]
    assert all(np.array_equal(made[0].arrays["sums"], other.arrays["sums"]) for other in made[1:])
    assert all(other.card == made[0].card for other in made[1:])


def test_rows_without_a_label_are_left_out_and_counted(folder: Path) -> None:
    encoded = rows()
    y = encoded.y.copy()
    y[:3] = UNLABELLED
    with pytest.warns(UserWarning, match="3 rows without a label left out"):
        partly = tacit.release(replace(encoded, y=y), SCHEMA, **PROMISE, random_state=1)
    labelled = tacit.release(replace(encoded, X=encoded.X[3:], y=encoded.y[3:]), SCHEMA, **PROMISE, random_state=1)
    assert np.array_equal(partly.arrays["sums"], labelled.arrays["sums"])


def test_the_line_on_the_ledger_names_the_file_handed_out(ledger: Ledger) -> None:
    tacit.release("a.csv", "s.toml", **PROMISE, ledger=ledger, output="ward.tacit")
    assert [line.purpose for line in ledger.lines()] == ["release ward.tacit"]
    assert 0 < ledger.spent() <= 1.0


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"method": "magic"}, InputError),
        ({"epsilon": -1.0}, InputError),
        ({"unit": "pair"}, InputError),
        ({"output": "a.csv"}, InputError),
        ({"output": "missing/x.tacit"}, TacitError),
        ({"signing_key": "no.key"}, TacitError),
        ({"schema": "no.toml"}, TacitError),
        ({"table": "no.csv"}, TacitError),
        ({"epsilon": 3.0}, BudgetExceededError),
    ],
)
def test_whatever_is_refused_charges_and_writes_nothing(
    ledger: Ledger, change: dict[str, Any], problem: type[Exception]
) -> None:
    before = {path: path.read_bytes() for path in Path().iterdir() if path.suffix != ".ledger"}
    call: dict[str, Any] = {"table": "a.csv", "schema": "s.toml", **PROMISE, "output": "x.tacit", **change}
    with pytest.raises(problem):
        tacit.release(**call, ledger=ledger)
    assert ledger.spent() == 0
    assert not list(ledger.lines())
    after = {path: path.read_bytes() for path in Path().iterdir() if path.suffix != ".ledger"}
    assert {name: data for name, data in after.items() if "ledger" not in name.name} == {
        name: data for name, data in before.items() if "ledger" not in name.name
    }


def test_an_existing_release_is_replaced_only_by_force(folder: Path) -> None:
    Path("x.tacit").write_bytes(b"mine")
    with pytest.raises(InputError, match="--force"):
        tacit.release("a.csv", "s.toml", **PROMISE, output="x.tacit")
    assert Path("x.tacit").read_bytes() == b"mine"
    tacit.release("a.csv", "s.toml", **PROMISE, output="x.tacit", force=True)
    assert read_release("x.tacit").card.holds


def test_a_signed_release_is_read_by_whoever_knows_the_key(folder: Path) -> None:
    key, other = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    tacit.release("a.csv", "s.toml", **PROMISE, output="x.tacit", signing_key=key)
    assert read_release("x.tacit", trusted_key=key.public_key()).signer is not None
    with pytest.raises(ReleaseError):
        read_release("x.tacit", trusted_key=other.public_key())


def test_a_release_that_cannot_be_written_says_that_its_charge_stands(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise ReleaseError("no space left.")

    monkeypatch.setattr("tacit.workflows.release.write_release", full)
    with pytest.raises(ReleaseError, match="The charge stands on the ledger"):
        tacit.release("a.csv", "s.toml", **PROMISE, ledger=ledger, output="x.tacit")
    assert ledger.spent() > 0


def test_an_audit_prints_its_games_on_the_card(folder: Path) -> None:
    made = tacit.release("a.csv", "s.toml", **PROMISE, audit=True)
    assert made.card.audits
    assert all(game.passed for game in made.card.audits)


def test_stages_are_told_in_order(folder: Path) -> None:
    stages: list[str] = []
    tacit.release("a.csv", "s.toml", **PROMISE, progress=stages.append)
    assert stages == ["reading a.csv", "charging, then drawing noise", "completing its card"]


def test_a_planned_release_charges_nothing(ledger: Ledger) -> None:
    planned = plan_release("a.csv", terms_of(SCHEMA, unit="record"), method="moments")
    assert planned.plan.budget.epsilon == 1.0
    assert ledger.spent() == 0


def test_encoded_arrays_can_be_released_without_a_table() -> None:
    encoded = rows()
    made = make_release(
        encoded.X, encoded.y, SCHEMA, unit="record", epsilon=1.0, delta=1e-6, method="moments", random_state=1
    )
    same = tacit.release(encoded, SCHEMA, **PROMISE, random_state=1)
    assert np.array_equal(made.arrays["sums"], same.arrays["sums"])


def test_a_draft_schema_is_refused_before_the_table_is_paid_for(ledger: Ledger) -> None:
    draft = Schema(SCHEMA.columns, bounds_from_data=True)
    with pytest.raises(SchemaError, match="bounds_from_data"):
        tacit.release("a.csv", draft, **PROMISE, ledger=ledger)
    assert ledger.spent() == 0
