"""The demo's scene of three small owners."""

import shlex
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.file import format_schema
from tacit.data.schemas.schema import Schema
from tacit.interfaces.cli import demo_join
from tacit.interfaces.cli.main import app
from tacit.privacy.ledger import Ledger
from tacit.releases.file import read_release

ROWS = pl.DataFrame({"ink": [n % 17 for n in range(90)], "digit": [str(n % 2) for n in range(90)]})


def played(command: str) -> None:
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    assert done.exit_code == 0, (command, done.output, done.exception)


def test_three_owners_make_one_release_twice_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    schema = Schema((Numeric("ink", (0, 16)), Label("digit", ("0", "1"))))
    Path("owner.toml").write_text(format_schema(schema))
    for _ in range(2):  # a second demo in the same folder begins anew
        demo_join.write_clinics(ROWS)
        for command in demo_join.join_commands():
            played(command)
        joint = read_release("joint.tacit").card.joint
        assert joint is not None
        assert [party.name for party in joint.parties] == list(demo_join.CLINICS)
        assert [len(Ledger(f"{name}/party.ledger").lines()) for name in demo_join.CLINICS] == [1, 1, 1]
    counts = [len(pl.read_csv(f"{name}/table.csv")) for name in demo_join.CLINICS]
    assert counts == [30, 30, 30]
