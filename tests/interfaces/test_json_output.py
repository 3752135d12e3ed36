"""The shape of what ``--json`` prints: docs/command-line.md lists the same keys."""

import importlib
import inspect
import json
import math
import re
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from tacit import Budget, Ledger, PrivateNearestMean, write_release
from tacit.interfaces.cli.commands import COMMANDS
from tacit.interfaces.cli.json_output import print_json
from tacit.interfaces.cli.main import app

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "command-line.md"
COLUMNS = (
    '[columns.x]\nkind = "numeric"\nbounds = [0, 1]\n[columns.z]\nkind = "numeric"\nbounds = [0, 1]\n'
    '[columns.ill]\nkind = "label"\nclasses = ["no", "yes"]\n'
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("json")
    rng = np.random.default_rng(0)
    X = rng.random((80, 2))
    lines = [f"{row[0]},{row[1]},{'yes' if row[0] > 0.5 else 'no'}" for row in X]
    (path / "a.csv").write_text("\n".join(["x,z,ill", *lines, ""]))
    blanks = [line.rpartition(",")[0] + "," if place % 4 == 0 else line for place, line in enumerate(lines)]
    (path / "blanks.csv").write_text("\n".join(["x,z,ill", *blanks, ""]))
    (path / "a.toml").write_text(f"version = 1\n{COLUMNS}")
    ledger = Ledger.create(path / "a.ledger", Budget(5, 1e-5, unit="record"))
    model = PrivateNearestMean(1.0, bounds=(0, 1), ledger=ledger).fit(X, (X[:, 0] > 0.5).astype(int))
    write_release(model.release(), path / "a.tacit")
    return path


CASES = {
    "doctor": ["version", "findings"],
    "schema check a.csv --schema a.toml": ["rows", "classes", "columns"],
    "ledger show a.ledger": ["path", "budget", "spent", "left", "lines"],
    "ledger verify a.ledger": ["path", "lines", "last_receipt", "notes", "found_receipt", "found_releases"],
    "card a.tacit": ["epsilon", "delta", "unit"],
    "audit a.tacit --draws 2000 --seed 1": ["claimed", "recomputed", "adds_up", "understated", "passed", "audits"],
    "release a.csv -s a.toml --epsilon 1 --ledger a.ledger -o r.tacit --no-audit": [
        "kind", "output", "bytes", "title", "epsilon", "delta", "unit", "relation", "guarantee_holds",
        "audits_passed", "ledger",
    ],
    "release a.csv -s a.toml --epsilon 1 --dry-run": [
        "dry_run", "epsilon", "delta", "unit", "relation", "steps", "ledger",
    ],
    "fabricate a.csv -s a.toml --epsilon 1 --ledger a.ledger -o f.csv --no-audit": [
        "rows", "method", "output", "epsilon", "guarantee_holds", "ledger",
    ],
    "audit desk --rows 60 --queries 20 --seed 1": ["rows", "delta", "rounded", "noisy", "useful_epsilon"],
    "infer blanks.csv -s a.toml -c ill --learner logistic": [
        "column", "categories", "known", "missing", "right", "accuracy", "commonest", "calibration_error",
        "answered_at",
    ],
}  # fmt: skip


@pytest.mark.parametrize("command", CASES)
def test_the_document_has_the_keys_that_are_listed(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, [*command.split(), "--json"])
    assert done.exit_code == 0, done.output
    content: dict[str, Any] = json.loads(done.stdout)
    assert set(CASES[command]) <= set(content)
    name = " ".join(word for word in command.split()[:2] if "." not in word)
    name += " --dry-run" * ("--dry-run" in command)
    (row,) = re.findall(rf"^\| `{name}` \|(.*)$", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", row)) <= set(content)


def test_what_a_dry_run_prints_adds_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    before = Ledger("a.ledger").statement()
    command = "release a.csv -s a.toml --epsilon 1 --ledger a.ledger --dry-run --json"
    planned = json.loads(CliRunner().invoke(app, command.split()).stdout)
    assert planned["ledger"]["refused"] is None
    assert planned["ledger"]["left"] < before.left
    assert planned["ledger"]["spent"] > before.spent
    assert all({"what", "noise", "because", "times"} == set(step) for step in planned["steps"])
    assert Ledger("a.ledger").statement().left == before.left
    refused = json.loads(CliRunner().invoke(app, command.replace("--epsilon 1", "--epsilon 50").split()).stdout)
    assert "does not fit" in refused["ledger"]["refused"]


def test_a_desk_by_files_prints_json(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    made = CliRunner().invoke(app, ["desk", "provider", "add", "a.desk", "ann", "--queries", "40"])
    assert made.exit_code == 0, made.output
    asked = CliRunner().invoke(
        app,
        [
            "tune",
            "ask",
            "--state",
            "a.run",
            "-s",
            "a.toml",
            "-m",
            "linear",
            "--queries",
            "40",
            "--batch",
            "10",
            "-o",
            "b.tacit",
        ],
    )
    assert asked.exit_code == 0, asked.output
    score = "desk score a.csv b.tacit --provider ann -s a.toml -m linear -o s.json --json"
    done = CliRunner().invoke(app, score.split())
    assert done.exit_code == 0, (done.output, done.exception)
    scored = json.loads(done.stdout)
    assert {"output", "provider", "scores", "terms"} == set(scored)
    assert len(scored["scores"]) == 10
    told = json.loads(CliRunner().invoke(app, ["tune", "tell", "s.json", "--state", "a.run", "--json"]).stdout)
    assert (told["used"], told["queries"], told["output"]) == (10, 40, None)
    assert told["best_score"] >= max(scored["scores"].values() if isinstance(scored["scores"], dict) else [0])


# Commands without figures: they write a file, make a key or an account, open a desk, or play all parts.
WITHOUT = {
    "schema draft", "ledger init", "key new", "key show", "report", "request", "desk serve", "desk provider add",
    "desk provider revoke", "tune ask", "demo", "join plan", "join sign", "studio", "sign",
}  # fmt: skip


def test_every_command_that_prints_figures_prints_them_as_json_and_is_documented() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for name, entry in COMMANDS.items():
        if not entry.target or name in WITHOUT:
            continue
        module, _, function = entry.target.partition(":")
        try:
            parameters = inspect.signature(getattr(importlib.import_module(module), function)).parameters
        except ModuleNotFoundError:
            continue  # an extra that is not installed
        assert "as_json" in parameters, name
        assert f"| `{name}` |" in text or f"`{name}`" in text, name


class Colour(StrEnum):
    RED = "red"


def test_what_json_has_not_becomes_plain(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": np.float64(1.5), "b": [math.inf, math.nan], "c": Path("x"), "d": Colour.RED, "e": np.arange(2)})
    printed = json.loads(capsys.readouterr().out)
    assert printed == {"a": 1.5, "b": [None, None], "c": "x", "d": "red", "e": [0, 1]}
