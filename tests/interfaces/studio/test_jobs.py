"""Jobs: processes of their own whose state outlives the studio, one at a time on a ledger, charged before they draw."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.interfaces.studio.served import Served, serving, write_patients

from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.file import format_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.interfaces.studio.jobs import DONE, FAILED, INTERRUPTED, MOST_JOBS, QUEUED, Job, JobStore
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.releases.file import read_release

SCHEMA = Schema(
    (
        Numeric("age", (0, 110)),
        Numeric("dose", (0, 30), missing="flag"),
        Categorical("sex", ("f", "m")),
        Label("ill", ("no", "yes")),
    ),
    extra_columns="ignore",
)
RELEASE = {"table": "patients.csv", "need": "model", "epsilon": "1", "delta": "1e-6", "output": "a"}
RELEASE["ledger"] = "patients.ledger"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[JobStore]:
    jobs = JobStore(tmp_path)
    yield jobs
    jobs.wait()


def prepare(folder: Path, *, epsilon: float = 1.5, rows: int = 600) -> Ledger:
    """Put a table, its schema and its ledger into a folder."""
    write_patients(folder / "patients.csv", rows)
    (folder / "patients.toml").write_text(format_schema(SCHEMA))
    return Ledger.create(folder / "patients.ledger", Budget(epsilon, 1e-6, unit="record"), name="patients")


def ended(job: Job, seconds: float = 60) -> str:
    end = time.monotonic() + seconds
    while not job.ended and time.monotonic() < end:
        time.sleep(0.05)
    return str(job.state["state"])


def test_a_job_keeps_its_request_its_result_and_what_went_wrong(store: JobStore, tmp_path: Path) -> None:
    write_patients(tmp_path / "patients.csv", 60)
    good, bad = (store.start("describe", {"table": name}) for name in ("patients.csv", "none.csv"))
    assert (ended(good), ended(bad)) == (DONE, FAILED)
    again = JobStore(tmp_path)
    assert again.job(good.name).result == {"table": "patients.csv", "rows": 60, "columns": 5}
    assert "no such file" in again.job(bad.name).state["error"]
    assert [job.name for job in again.jobs()] == [bad.name, good.name]
    assert again.jobs("release") == []
    for name in ("x", "../x", good.name[:-1], ""):
        with pytest.raises(InputError, match="no such job"):
            again.job(name)


def test_a_job_whose_process_is_gone_is_interrupted(tmp_path: Path) -> None:
    job = Job(tmp_path / "0000000000001-describe-abcdef")
    job.path.mkdir()
    job.tell(state=QUEUED)
    assert job.state["state"] == INTERRUPTED
    with job.alive():
        assert job.state["state"] == QUEUED
        assert not job.ended
    assert job.ended


def test_old_jobs_make_room_for_new_ones(store: JobStore, tmp_path: Path) -> None:
    for place in range(MOST_JOBS + 5):
        old = Job(tmp_path / ".studio" / "jobs" / f"{place:013d}-describe-abcdef")
        old.path.mkdir()
        old.tell(state=DONE)
    store.start("describe", {"table": "none.csv"})
    assert len(store.jobs()) == MOST_JOBS + 1
    assert ended(store.jobs()[0]) == FAILED


def test_a_job_that_needs_too_much_memory_fails_by_itself(store: JobStore, tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("a,b\n" + "1,2\n" * 6_000_000)
    before = os.environ.get("TACIT_STUDIO_MEMORY")
    os.environ["TACIT_STUDIO_MEMORY"] = str(120 << 20)
    try:
        job = store.start("describe", {"table": "wide.csv"})
    finally:
        os.environ.pop("TACIT_STUDIO_MEMORY") if before is None else os.environ.update(TACIT_STUDIO_MEMORY=before)
    assert ended(job) == FAILED
    assert "more than 120 MB" in job.state["error"]
    assert not (tmp_path / "wide.toml").exists()


@pytest.mark.slow  # releases in processes of their own
def test_two_tabs_that_charge_one_ledger_are_served_one_after_the_other(tmp_path: Path) -> None:
    ledger = prepare(tmp_path)
    with serving(tmp_path) as studio:
        studio.enter()

        def release(name: str) -> str:
            answer = studio.ask("/release/make", {**RELEASE, "output": name})
            place = answer.headers["location"]
            return f"{studio.wait(place)} {studio.ask(place).text}"

        with ThreadPoolExecutor(2) as tabs:
            outcomes = sorted(tabs.map(release, ("one", "two")))
        assert outcomes[0].startswith("done")
        assert outcomes[1].startswith("failed")
        assert "does not fit" in outcomes[1] or "left" in outcomes[1]
        # The same name twice is refused before anything is charged.
        written = next(tmp_path.glob("*.tacit"))
        assert studio.ask("/release/make", {**RELEASE, "output": written.stem}).status == 400
    assert len(ledger.verify()) == 1
    assert len(list(tmp_path.glob("*.tacit"))) == 1
    assert read_release(written).card.epsilon == 1


def stage_of(studio: Served, place: str, words: str) -> None:
    while words not in (told := studio.ask(f"{place}/state").text) and '"done"' not in told:
        time.sleep(0.005)


@pytest.mark.slow  # releases in processes of their own
def test_a_studio_that_is_killed_while_a_release_is_drawn_loses_nothing(tmp_path: Path) -> None:
    ledger = prepare(tmp_path, rows=4000)
    with serving(tmp_path) as studio:
        studio.enter()
        place = studio.ask("/release/make", RELEASE).headers["location"]
        stage_of(studio, place, "harging")
        studio.stop(signal.SIGKILL)
    with serving(tmp_path) as again:
        again.enter()
        assert again.wait(place) == "done"
        assert "a.tacit is written" in again.ask(place).text
    lines = ledger.verify()
    assert len(lines) == 1
    card = read_release(tmp_path / "a.tacit").card
    assert card.ledger is not None
    assert card.ledger["digest"] == lines[0].digest


@pytest.mark.slow  # releases in processes of their own
def test_a_job_that_is_killed_after_its_charge_leaves_the_charge_and_no_half_file(
    store: JobStore, tmp_path: Path
) -> None:
    ledger = prepare(tmp_path, rows=4000)
    arguments = {**RELEASE, "epsilon": 1.0, "delta": 1e-6, "output": "a.tacit", "unit": ""}
    job = store.start("release", arguments)
    while not ledger.lines() and not job.ended:
        time.sleep(0.005)
    store._processes[-1].kill()
    assert ended(job) in {INTERRUPTED, DONE}
    assert len(ledger.verify()) == 1
    left_over = [path.name for path in tmp_path.iterdir() if path.suffix in {".tmp", ".tacit"}]
    assert left_over in ([], ["a.tacit"])
    if left_over:
        read_release(tmp_path / "a.tacit")
    with serving(tmp_path) as studio:
        studio.enter()
        if job.state["state"] == INTERRUPTED:
            assert "the charge stands" in studio.ask(f"/jobs/{job.name}").text


def test_a_secret_reaches_its_job_and_no_file(store: JobStore, tmp_path: Path) -> None:
    job = store.start("sign", {"file": "a.tacit", "key": "a.key"}, secret="horse battery")
    assert ended(job) == FAILED
    assert "horse" not in json.dumps([job.request, job.state])
    assert not any(b"horse" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_worker_without_a_job_says_so(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tacit.interfaces.studio.worker", str(tmp_path), "none"]
    done = subprocess.run(command, input=b"", capture_output=True, check=False)
    assert done.returncode != 0
    assert b"no such job" in done.stderr
