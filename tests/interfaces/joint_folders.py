"""Folders of the parties of a joint release, as `tacit join` takes them."""

from pathlib import Path

import numpy as np
from click.testing import Result
from typer.testing import CliRunner

from tacit.errors import TacitError
from tacit.interfaces.cli.main import app
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger

SCHEMA = """version = 1
[columns.age]
kind = "numeric"
bounds = [0, 110]
[columns.sex]
kind = "categorical"
categories = ["f", "m"]
[columns.ill]
kind = "label"
classes = ["no", "yes"]
"""


def tacit(*arguments: str | Path) -> Result:
    """Return what the command line says to these arguments."""
    return CliRunner().invoke(app, [str(each) for each in arguments])


def said(done: Result) -> str:
    """Return what a command printed, or the words of the error that it raised on purpose."""
    error = str(done.exception) if isinstance(done.exception, TacitError) else ""
    assert error or done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return " ".join(f"{done.output} {error}".split())


def write_parties(folder: Path, count: int = 3, *, rows: int = 60, epsilon: float = 2.0) -> list[Path]:
    """Write a folder with table, ledger, key and join.toml for each party, and the shared schema."""
    (folder / "schema.toml").write_text(SCHEMA)
    homes = []
    for number in range(count):
        home = folder / f"clinic-{number}"
        home.mkdir()
        random = np.random.default_rng(number)
        ill = random.integers(0, 2, rows)
        age = np.clip(40 + 25 * ill + random.normal(0, 10, rows), 0, 110).round(1)
        lines = (
            f"{a},{'fm'[s]},{('no', 'yes')[i]}" for a, s, i in zip(age, random.integers(0, 2, rows), ill, strict=True)
        )
        (home / "table.csv").write_text("age,sex,ill\n" + "\n".join(lines) + "\n")
        Ledger.create(home / "party.ledger", Budget(epsilon, 1e-5, unit="record"))
        (home / "join.toml").write_text('table = "table.csv"\nledger = "party.ledger"\nkey = "party.key"\n')
        assert tacit("key", "new", home / "party").exit_code == 0
        homes.append(home)
    return homes


def plan_and_sign(folder: Path, homes: list[Path], *options: str) -> Path:
    """Return the plan of these parties, signed by all."""
    plan = folder / "joint.json"
    members = [each for home in homes for each in ("--party", f"{home.name}={home / 'party.pub'}")]
    done = tacit("join", "plan", "-s", folder / "schema.toml", *members, "--epsilon", "1", "-o", plan, *options)
    assert done.exit_code == 0, said(done)
    for home in homes:
        assert tacit("join", "sign", plan, "--key", home / "party.key").exit_code == 0
    return plan


def charges(homes: list[Path]) -> list[int]:
    """Return how many charges each ledger has."""
    return [len(Ledger(home / "party.ledger").lines()) for home in homes]
