"""The process of a job, in this one: its state, its warnings, its limits and its lock on a ledger."""

import io
import json
import os
import threading
import time
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.interfaces.studio.client import Recorded

from tacit.errors import InputError
from tacit.interfaces.studio import worker
from tacit.interfaces.studio.folder import WorkFolder
from tacit.interfaces.studio.jobs import DONE, FAILED, Job


@pytest.fixture
def jobs(tmp_path: Path) -> Recorded:
    WorkFolder.at(tmp_path)
    return Recorded(tmp_path)


def run(jobs: Recorded, monkeypatch: pytest.MonkeyPatch, work: Any, secret: str = "", **arguments: Any) -> Job:
    """Do a job whose task is ``work``, and return it."""
    job = jobs.done("task", arguments, {}, finished=False)
    monkeypatch.setattr("sys.stdin", io.StringIO(secret))
    monkeypatch.setattr(worker, "_task", lambda _: SimpleNamespace(run=work))
    worker.main(str(jobs._folder), job.name)
    return job


def test_a_task_gets_its_arguments_and_its_secret_and_tells_how_far_it_is(
    jobs: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages = []

    def work(order: worker.Order) -> dict[str, Any]:
        order.progress("half way")
        stages.append(json.loads((order.report.parent / "state.json").read_text()))
        warnings.warn("12 rows left out", stacklevel=1)
        return {"sum": order.arguments["a"] + 1, "secret": order.secret == "words"}

    job = run(jobs, monkeypatch, work, secret="words", a=1)
    assert (stages[0]["state"], stages[0]["stage"]) == ("running", "half way")
    assert job.state["state"] == DONE
    assert job.state["notes"] == ["12 rows left out"]
    assert job.result == {"sum": 2, "secret": True}


def test_an_error_on_purpose_is_told_and_any_other_keeps_its_words_to_itself(
    jobs: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: worker.Order) -> dict[str, Any]:
        raise InputError("epsilon must be above 0.")

    def break_down(_: worker.Order) -> dict[str, Any]:
        raise ValueError("cell 'secret diagnosis' cannot be parsed")

    refused = run(jobs, monkeypatch, refuse)
    assert (refused.state["state"], refused.state["error"]) == (FAILED, "epsilon must be above 0.")
    assert "unforeseen" not in refused.state
    with pytest.raises(ValueError, match="secret diagnosis"):
        run(jobs, monkeypatch, break_down)
    broken = jobs.jobs()[0]
    assert broken.state["error"] == "something unforeseen happened (ValueError)."
    assert broken.state["unforeseen"]
    assert "secret diagnosis" not in json.dumps(broken.state)


def test_a_job_that_runs_out_of_memory_says_so(jobs: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    def grow(_: worker.Order) -> dict[str, Any]:
        raise MemoryError

    assert "MB of memory" in run(jobs, monkeypatch, grow).state["error"]


@pytest.mark.parametrize(("peak", "seconds", "words"), [(1 << 60, 60.0, "memory"), (0, 0.0, "longer than")])
def test_a_process_that_holds_too_much_or_takes_too_long_is_ended(
    jobs: Recorded, monkeypatch: pytest.MonkeyPatch, peak: int, seconds: float, words: str
) -> None:
    job = jobs.done("describe", {}, {}, finished=False)
    codes: list[int] = []

    def leave(code: int) -> None:
        codes.append(code)
        raise SystemExit

    monkeypatch.setattr(worker, "_peak", lambda: peak)
    monkeypatch.setattr(os, "_exit", leave)
    with pytest.raises(SystemExit):
        worker._watch(job, seconds, threading.Event())
    assert codes == [1]
    assert words in job.state["error"]
    assert job.state["unforeseen"]


def test_the_peak_is_what_the_process_holds() -> None:
    before = worker._peak()
    assert 10 << 20 < before < 1 << 40
    held = bytearray(before)
    held[::4096] = b"x" * len(range(0, len(held), 4096))
    assert worker._peak() > 1.3 * before


def test_of_two_jobs_on_one_ledger_the_second_waits_and_says_so(jobs: Recorded, tmp_path: Path) -> None:
    folder = WorkFolder.at(tmp_path)
    first, second = (jobs.done("release", {"ledger": "a.ledger"}, {}, finished=False) for _ in range(2))
    other = jobs.done("release", {"ledger": "b.ledger"}, {}, finished=False)
    order: list[str] = []

    def wait() -> None:
        with worker._alone(folder, second):
            order.append("second")

    with worker._alone(folder, first):
        thread = threading.Thread(target=wait)
        thread.start()
        while second.state.get("stage") != worker.WAITING:
            time.sleep(0.01)
        # Another ledger, and a job without any, wait for nobody.
        with worker._alone(folder, other), worker._alone(folder, jobs.done("card", {}, {}, finished=False)):
            order.append("first")
    thread.join()
    assert order == ["first", "second"]
