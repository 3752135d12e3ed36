"""Rows of other makers of fabricated tables."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tacit.data.rows.encoding import encode
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.experiments import peer_rows as module
from tacit.experiments.mixed_tables import OwnerSplit
from tacit.experiments.peer_rows import peer_columns, peer_rows
from tacit.experiments.peers import bench_script

SCHEMA = Schema(
    (
        Numeric("age", (0, 100), integer=True),
        Numeric("dose", (0, 1), missing="flag"),
        Categorical("work", ("farm", "office"), missing="category"),
        Label("y", ("no", "yes")),
    )
)
TABLE = pl.DataFrame(
    {"age": [30, 40], "dose": [0.5, None], "work": ["farm", None], "y": ["yes", "no"]},
)
ROWS = encode(TABLE, SCHEMA)
SPLIT = OwnerSplit(ROWS, ROWS, SCHEMA)


def test_peers_get_the_rows_and_the_public_domain() -> None:
    arrays = peer_columns(ROWS, SCHEMA)
    assert arrays["column:age"].tolist() == [30, 40]
    assert np.isnan(arrays["column:dose"]).tolist() == [False, True]
    assert arrays["column:work"].tolist() == ["farm", "(missing)"]
    domain = json.loads(str(arrays["domain"]))
    assert domain["age"] == {"lower": 0, "upper": 100, "integer": True}
    assert domain["work"] == {"categories": ["farm", "office", "(missing)"]}
    assert list(domain) == ["age", "dose", "work", "y"]


def test_rows_of_a_peer_are_encoded_as_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def answer(*question: Any) -> dict[str, Any]:
        asked.append(question)
        columns = {"age": [30, 40], "dose": [0.5, None], "work": ["farm", "(missing)"], "y": ["yes", "no"]}
        return {"columns": columns, "seconds": 2.5}

    monkeypatch.setattr(module, "kept_answer", answer)
    found = peer_rows("MST", SPLIT, epsilon=1.0, delta=1e-6, seed=3, limit=60)
    assert found is not None
    rows, seconds = found
    assert rows is not None
    assert seconds == 2.5
    assert (rows.X == ROWS.X).all()
    assert rows.y.tolist() == ROWS.y.tolist()
    assert asked[0][:2] == ("peer_rows.py", "MST")
    assert int(asked[0][2]["seed"]) == 3
    assert float(asked[0][2]["limit"]) == 60


def test_without_the_peer_there_are_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "kept_answer", lambda *_: None)
    assert peer_rows("AIM", SPLIT, epsilon=1.0, delta=1e-6, seed=0, limit=60) is None


def test_a_peer_that_was_stopped_has_seconds_and_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "kept_answer", lambda *_: {"columns": None, "seconds": 61.0})
    assert peer_rows("AIM", SPLIT, epsilon=1.0, delta=1e-6, seed=0, limit=60) == (None, 61.0)


STOPPED = """
import json, sys
sys.path.insert(0, sys.argv[1])
import peer_rows
def endless(method, file):
    while True:
        pass
peer_rows.fabricated = endless
print(json.dumps(peer_rows.run("AIM", sys.argv[2])))
"""


def test_the_script_stops_a_method_at_its_limit_of_processor_seconds(tmp_path: Path) -> None:
    np.savez(tmp_path / "arrays.npz", limit=np.array(1.0))
    arguments = [sys.executable, "-c", STOPPED, str(bench_script("peer_rows.py").parent), str(tmp_path / "arrays.npz")]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert answer["columns"] is None
    # The limit is in whole seconds of the process, its start included.
    assert 0.0 < answer["seconds"] < 3.0
