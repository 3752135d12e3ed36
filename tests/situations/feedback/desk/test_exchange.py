"""Candidates and scores as files."""

import json
from pathlib import Path

import numpy as np
import pytest

from tacit.errors import InputError, TacitError
from tacit.releases.file import Model, write_model
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.desk import Desk
from tacit.situations.feedback.desk.exchange import score_file, tell_scores, write_candidates, write_scores
from tacit.situations.feedback.desk.log import DeskLog
from tacit.situations.feedback.desk.providers import Provider, token_digest
from tacit.situations.feedback.desk.scoring import Scorer
from tacit.situations.feedback.desk.terms import DeskTerms
from tacit.situations.feedback.desk.tuning import Tuning, new_search

ARCHITECTURE = Architecture("mlp", 2, 1, hidden=3)
X = np.random.default_rng(0).random((50, 2))
Y = (X[:, 0] > 0.5).astype(np.int64)


def begun(method: str = "pps", queries: int = 60) -> Tuning:
    start = np.random.default_rng(1).normal(size=ARCHITECTURE.n_parameters)
    search = new_search(method, start, ARCHITECTURE, queries=queries, sigma=0.3, batch=4, seed=2)
    return Tuning.start(ARCHITECTURE, search)


def opened(folder: Path, **changes: int) -> Desk:
    with DeskLog(folder / "x.desk").writing() as transaction:
        transaction.add(Provider("ann", token_digest("a"), changes.get("share", 10)))
    terms = DeskTerms(ARCHITECTURE, "accuracy", 2, 100, 50)
    return Desk.open(Scorer(X, Y, ARCHITECTURE, metric="accuracy"), terms, folder / "x.desk")


def test_files_carry_a_run_to_its_end_and_no_further(tmp_path: Path) -> None:
    desk, run = opened(tmp_path), begun(queries=20)
    for _ in range(2):
        assert write_candidates(run, tmp_path / "batch") == 4
        scored = score_file(desk, "ann", tmp_path / "batch")
        assert score_file(desk, "ann", tmp_path / "batch") == scored
        assert scored["receipt"] == str(desk.receipt())
        write_scores(scored, tmp_path / "scores")
        run = tell_scores(run, tmp_path / "scores")
    with pytest.raises(InputError, match="another"):
        tell_scores(run, tmp_path / "scores")
    write_candidates(run, tmp_path / "batch")
    with pytest.raises(InputError, match=r"asks 4 new queries and ann has 2 left\. Nothing was charged"):
        score_file(desk, "ann", tmp_path / "batch")
    with desk.log.reading() as transaction:
        assert transaction.used() == 8


def test_files_that_are_no_candidates_are_refused(tmp_path: Path) -> None:
    desk, path = opened(tmp_path), tmp_path / "batch"
    plain = {"run": "abc", "first": 0, "architecture": ARCHITECTURE.to_dict()}
    good = np.zeros((2, ARCHITECTURE.n_parameters))
    for kind, array, changes in (
        ("desk_tuning", good, {}),
        ("desk_candidates", good[:, 1:], {}),
        ("desk_candidates", good[:0], {}),
        ("desk_candidates", good + 1e9, {}),
        ("desk_candidates", good, {"first": -1}),
        ("desk_candidates", good, {"run": "../x"}),
        ("desk_candidates", good, {"architecture": Architecture("linear", 2, 1).to_dict()}),
        ("desk_candidates", good, {"architecture": {"kind": "linear", "code": "x"}}),
    ):
        write_model(Model(kind=kind, arrays={"candidates": array}, settings={**plain, **changes}), path)
        with pytest.raises(TacitError):
            score_file(desk, "ann", path)
    path.write_bytes(b"\x80\x04.")
    with pytest.raises(TacitError):
        score_file(desk, "ann", path)
    with desk.log.reading() as transaction:
        assert transaction.used() == 0


def test_scores_that_are_none_are_refused(tmp_path: Path) -> None:
    run, path = begun(), tmp_path / "scores"
    for scores in ([0.1] * 3, ["a"] * 4, None, [[0.1, 0.2]] * 4):
        path.write_text(json.dumps({"run": run.run, "first": 0, "scores": scores}))
        with pytest.raises(TacitError):
            tell_scores(run, path)
