"""Answers of peers are asked for once, and again when anything about the question changed."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.experiments import kept_answers, peers
from tacit.experiments.kept_answers import answers_folder, kept_answer, kept_figures, question_digest, source_digest

COUNTING = """
import json, sys
from pathlib import Path
calls = Path(__file__).parent / "calls"
calls.write_text(calls.read_text() + "x" if calls.exists() else "x")
if sys.argv[1] == "fail":
    raise SystemExit(3)
print(json.dumps({"calls": len(calls.read_text())}))
"""
ROWS: dict[str, Any] = {"X": np.arange(6.0).reshape(2, 3), "seed": np.array(1)}


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a script of a repository that counts how often it was run."""
    path = tmp_path / "bench" / "count.py"
    path.parent.mkdir()
    path.write_text(COUNTING, encoding="utf-8")
    monkeypatch.setattr(peers, "ROOT", tmp_path)
    monkeypatch.setenv(peers.VARIABLE, sys.executable)
    monkeypatch.delenv(kept_answers.VARIABLE, raising=False)
    return path


def test_the_same_question_is_asked_once(script: Path) -> None:
    assert kept_answer("count.py", "run", ROWS) == {"calls": 1}
    assert kept_answer("count.py", "run", dict(ROWS)) == {"calls": 1}
    assert len(list(answers_folder().glob("*.json"))) == 1


@pytest.mark.parametrize("change", [{"X": ROWS["X"] + 1e-9}, {"X": ROWS["X"].reshape(3, 2)}, {"seed": np.array(2)}])
def test_other_arrays_are_another_question(script: Path, change: dict[str, Any]) -> None:
    assert kept_answer("count.py", "run", ROWS) == {"calls": 1}
    assert kept_answer("count.py", "run", ROWS | change) == {"calls": 2}


def test_another_mode_or_script_is_another_question(script: Path) -> None:
    first = question_digest("count.py", "run", ROWS)
    assert question_digest("count.py", "time", ROWS) != first
    script.write_text(COUNTING + "\n# changed\n", encoding="utf-8")
    assert question_digest("count.py", "run", ROWS) != first


def test_arrays_count_by_content_whatever_their_order_in_memory(script: Path) -> None:
    columns_first = {"seed": ROWS["seed"], "X": np.asfortranarray(ROWS["X"])}
    assert question_digest("count.py", "run", columns_first) == question_digest("count.py", "run", ROWS)


def test_failures_are_tried_again(script: Path) -> None:
    assert kept_answer("count.py", "fail", ROWS) is None
    assert not answers_folder().exists()
    assert kept_answer("count.py", "fail", ROWS) is None
    assert (script.parent / "calls").read_text() == "xx"


def test_the_folder_can_be_named(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kept_answers.VARIABLE, str(tmp_path / "elsewhere"))
    kept_answer("count.py", "run", ROWS)
    assert len(list((tmp_path / "elsewhere").iterdir())) == 1
    # The folder that is used without the variable stays as it was.
    assert not (tmp_path / "bench-output").exists()


def test_without_an_environment_nothing_is_asked_and_kept_answers_are_used(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = sys.executable
    monkeypatch.delenv(peers.VARIABLE)
    assert kept_answer("count.py", "run", ROWS) is None
    assert not (script.parent / "calls").exists()
    monkeypatch.setenv(peers.VARIABLE, python)
    kept_answer("count.py", "run", ROWS)
    monkeypatch.delenv(peers.VARIABLE)
    assert kept_answer("count.py", "run", ROWS) == {"calls": 1}
    assert kept_answer("count.py", "time", ROWS) is None
    assert (script.parent / "calls").read_text() == "x"


def test_an_installed_package_without_scripts_asks_nothing(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(peers.VARIABLE)
    script.unlink()
    assert kept_answer("count.py", "run", ROWS) is None


def test_figures_are_measured_once_for_a_question_and_the_sources_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(kept_answers.VARIABLE, str(tmp_path))
    measured: list[int] = []

    def measure() -> list[float]:
        measured.append(1)
        return [0.1 * len(measured), 1 / 3]

    assert kept_figures(["adult", 1], measure) == kept_figures(["adult", 1], measure) == [0.1, 1 / 3]
    assert kept_figures(["adult", 2], measure)[0] == pytest.approx(0.2)
    monkeypatch.setattr(kept_answers, "source_digest", lambda: "another commit")
    assert kept_figures(["adult", 1], measure)[0] == pytest.approx(0.3)


def test_without_a_named_folder_figures_are_measured_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(kept_answers.VARIABLE, raising=False)
    measured = iter([1.0, 2.0])
    assert [kept_figures(["adult"], lambda: next(measured)) for _ in range(2)] == [1.0, 2.0]


def test_the_digest_of_the_sources_follows_every_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_answers, "PACKAGE", tmp_path)
    digests = []
    for name, text in (("a.py", "1"), ("a.py", "2"), ("b.py", "2")):
        (tmp_path / name).write_text(text, encoding="utf-8")
        source_digest.cache_clear()
        digests.append(source_digest())
    source_digest.cache_clear()
    assert len(set(digests)) == 3
