"""The shape of what ``--json`` prints: docs/command-line.md lists the same keys."""

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
    (row,) = re.findall(rf"^\| `{name}` \|(.*)$", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", row)) <= set(content)


class Colour(StrEnum):
    RED = "red"


def test_what_json_has_not_becomes_plain(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": np.float64(1.5), "b": [math.inf, math.nan], "c": Path("x"), "d": Colour.RED, "e": np.arange(2)})
    printed = json.loads(capsys.readouterr().out)
    assert printed == {"a": 1.5, "b": [None, None], "c": "x", "d": "red", "e": [0, 1]}
