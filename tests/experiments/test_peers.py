"""Peers are found from the repository, wherever a command is run, and left out where there are none."""

import sys
from pathlib import Path

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.experiments import peers
from tacit.experiments.peers import ask_peer, bench_script, peer_command, peer_python

ECHO = """
import json, sys
import numpy as np
if sys.argv[1] == "fail":
    raise SystemExit(3)
with np.load(sys.argv[2]) as file:
    print(json.dumps({name: file[name].tolist() for name in file}))
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the root of a repository with one script, whose peers' interpreter is this one."""
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "echo.py").write_text(ECHO, encoding="utf-8")
    monkeypatch.setattr(peers, "ROOT", tmp_path)
    monkeypatch.setenv(peers.VARIABLE, sys.executable)
    return tmp_path


def test_the_root_is_that_of_this_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # the current folder does not matter
    root = Path(__file__).parents[2]
    for name in ("peer_diffprivlib.py", "peer_metric_learn.py", "peer_opendp.py"):
        assert bench_script(name) == root / "bench" / name


def test_a_script_reads_arrays_and_answers_in_json(repository: Path) -> None:
    arrays = {"X": np.array([[0.1, 1 / 3]]), "y": np.array([1, 0])}
    # Numbers come back as they were, to the last digit.
    assert ask_peer("echo.py", "echo", arrays) == {"X": [[0.1, 1 / 3]], "y": [1, 0]}


def test_a_peer_that_fails_is_left_out(repository: Path) -> None:
    assert ask_peer("echo.py", "fail", {"X": np.zeros(1)}) is None
    assert ask_peer("echo.py", "fail") is None


def test_a_script_that_is_absent_is_refused_with_the_way_out(repository: Path) -> None:
    with pytest.raises(InputError, match=r"bench.nothing\.py, which is not there\. .*clone.*unset TACIT_PEERS"):
        ask_peer("nothing.py", "echo")


def test_without_an_environment_peers_are_left_out(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(peers.VARIABLE)
    assert peer_python() is None
    assert peer_command("echo.py") is None
    # Nothing is asked of the folder `bench` either: an installed package has none.
    assert ask_peer("nothing.py", "echo") is None


def test_an_interpreter_that_is_not_there_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(peers.VARIABLE, "/nowhere/python")
    assert ask_peer("peer_diffprivlib.py", "here") is None


def test_the_environment_of_the_repository_is_found(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(peers.VARIABLE)
    python = repository / ".venv-peers" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    assert peer_command("echo.py") == [str(python), str(repository / "bench" / "echo.py")]
