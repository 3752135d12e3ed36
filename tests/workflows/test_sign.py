"""A release is signed after it was made: nothing but the signature is added, and nobody's signature is lost."""

from pathlib import Path

import numpy as np
import pytest
from tests.workflows.planning import terms_of
from typer.testing import CliRunner

from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import ReleaseError
from tacit.interfaces.cli.main import app
from tacit.privacy.account import Plan
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.releases.file import Release, read_release, write_release
from tacit.releases.signature import generate_key, key_text, save_key
from tacit.workflows.dry_run import mechanism_words, statement_after
from tacit.workflows.fabricate import fabricate
from tacit.workflows.release import make_release, plan_release
from tacit.workflows.sign import sign

SCHEMA = Schema((Numeric("a", (0, 1)), Numeric("b", (0, 1)), Label("y", ("no", "yes"))))


def rows(n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0)
    y = np.arange(n) % 2
    return np.clip(draw.normal(0.4 + 0.2 * y[:, None], 0.1, (n, 2)), 0, 1), y


@pytest.fixture
def made() -> Release:
    return make_release(*rows(), SCHEMA, unit="record", epsilon=1, delta=1e-6, method="moments", random_state=0)


def test_signing_later_gives_the_bytes_of_signing_at_once(made: Release, tmp_path: Path) -> None:
    key = generate_key()
    write_release(made, tmp_path / "at-once.tacit", signing_key=key)
    write_release(made, tmp_path / "later.tacit")
    digest = read_release(tmp_path / "later.tacit").digest
    signed = sign(tmp_path / "later.tacit", key)
    assert (tmp_path / "later.tacit").read_bytes() == (tmp_path / "at-once.tacit").read_bytes()
    assert (signed.digest, signed.signer) == (digest, key_text(key.public_key()))
    # Signing again changes nothing; another key is refused and leaves the file.
    whole = (tmp_path / "later.tacit").read_bytes()
    sign(tmp_path / "later.tacit", key)
    with pytest.raises(ReleaseError, match="signed already"):
        sign(tmp_path / "later.tacit", generate_key())
    assert (tmp_path / "later.tacit").read_bytes() == whole


@pytest.mark.filterwarnings("ignore")
def test_a_fabricated_table_is_signed_by_the_release_beside_it(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    X, y = rows()
    table.write_text("a,b,y\n" + "".join(f"{a},{b},{('no', 'yes')[c]}\n" for (a, b), c in zip(X, y, strict=True)))
    fabricate(table, SCHEMA, epsilon=1, random_state=0, output=tmp_path / "f.csv")
    before = (tmp_path / "f.csv").read_bytes()
    assert sign(tmp_path / "f.csv", generate_key()).signer
    assert (tmp_path / "f.csv").read_bytes() == before
    assert read_release(tmp_path / "f.csv.tacit").signer


def test_the_command_signs_and_says_by_which_key(made: Release, tmp_path: Path) -> None:
    key = generate_key()
    save_key(key, tmp_path / "a.key", passphrase="words")
    write_release(made, tmp_path / "a.tacit")
    arguments = ["sign", str(tmp_path / "a.tacit"), "--key", str(tmp_path / "a.key")]
    done = CliRunner().invoke(app, arguments, env={"TACIT_KEY_PASSPHRASE": "words"})
    assert done.exit_code == 0
    assert key_text(key.public_key()) in done.output
    wrong = CliRunner().invoke(app, arguments, env={"TACIT_KEY_PASSPHRASE": "others"})
    assert isinstance(wrong.exception, ReleaseError)


def planned() -> Plan:
    X, y = rows()
    frame = {"a": X[:, 0], "b": X[:, 1], "y": np.array(["no", "yes"])[y]}
    import polars as pl

    return plan_release(pl.DataFrame(frame), terms_of(SCHEMA, unit="record"), method="moments").plan


def test_a_dry_run_says_what_is_left_as_the_charge_would(tmp_path: Path) -> None:
    plan = planned()
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(2, 1e-6, unit="record"))
    after = statement_after(plan, ledger)
    assert ledger.lines() == ()
    plan.open(ledger=ledger, random_state=None, purpose="for real")
    assert (ledger.statement().spent, ledger.statement().left) == (after.spent, after.left)
    assert all(mechanism_words(step.mechanism).split(":")[0].isidentifier() for step in plan.steps)
