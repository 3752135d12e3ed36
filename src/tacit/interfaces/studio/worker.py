"""The process of one job: bounded in memory, one at a time on a ledger, its state written where the studio reads it."""

import fcntl
import hashlib
import importlib
import math
import os
import resource
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from tacit.errors import TacitError
from tacit.interfaces.studio.folder import WorkFolder
from tacit.interfaces.studio.jobs import FAILED, REPORT, RUNNING, Job, JobStore

# Bytes that a job may hold: a table that was made to swell fills this, not the machine.
MEMORY = int(os.environ.get("TACIT_STUDIO_MEMORY", str(8 << 30)))
TOO_LARGE = f"the job needs more than {MEMORY >> 20:,} MB of memory."
# Seconds that reading a table may take, and the tasks that do nothing else.
READING_SECONDS = 900.0
READING = ("describe", "import_table")
TOO_SLOW = f"reading the table takes longer than {READING_SECONDS:g} seconds."
WAITING = "waiting for another job on this ledger"
TASKS = "tacit.interfaces.studio.tasks"


class Order:
    """What a task gets: the folder, its arguments, the secret of its user, and a way to say how far it is."""

    def __init__(self, folder: WorkFolder, job: Job, secret: str) -> None:
        self.folder, self.arguments = folder, job.request["arguments"]
        self.secret = secret
        # Where a report about the result goes, for the job's own page.
        self.report = job.path / REPORT
        self._job = job

    def progress(self, stage: str) -> None:
        """Tell what is being done."""
        self._job.tell(stage=stage)


class Task(Protocol):
    """A module of ``tasks``."""

    def run(self, order: Order) -> dict[str, Any]:
        """Do what was asked and return what came out, in plain values."""
        ...


def main(folder: str, name: str) -> None:
    """Do the job called ``name``; whatever happens is written into its state."""
    secret = sys.stdin.read()
    work = WorkFolder.at(Path(folder))
    job = JobStore(work.path).job(name)
    seconds = READING_SECONDS if job.request["task"] in READING else math.inf
    ended = threading.Event()
    threading.Thread(target=_watch, args=(job, seconds, ended), daemon=True).start()
    with job.alive(), warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always", UserWarning)
        try:
            with _alone(work, job):
                job.tell(state=RUNNING)
                result = _task(job).run(Order(work, job, secret))
            job.tell(notes=[str(each.message) for each in raised if issubclass(each.category, UserWarning)])
            job.finish(result)
        except TacitError as problem:
            job.tell(state=FAILED, error=str(problem))
        except MemoryError:
            job.tell(state=FAILED, error=TOO_LARGE, unforeseen=True)
        except BaseException as problem:
            # What a library says may quote cells: it goes to the log in the user's own folder alone.
            job.tell(state=FAILED, error=f"something unforeseen happened ({type(problem).__name__}).", unforeseen=True)
            raise
        finally:
            ended.set()


def _watch(job: Job, seconds: float, ended: threading.Event) -> None:
    """End the process when it holds too much or takes too long.

    A limit of the operating system would do it too, but libraries hang when one of their threads gets no memory.
    """
    started = time.monotonic()
    while not ended.wait(0.2):
        late, large = time.monotonic() - started > seconds, _peak() > MEMORY
        if late or large:
            job.tell(state=FAILED, error=TOO_LARGE if large else TOO_SLOW, unforeseen=True)
            os._exit(1)


def _peak() -> int:
    """Return the most bytes that the process has held in memory."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def _task(job: Job) -> Task:
    return importlib.import_module(f"{TASKS}.{job.request['task']}")


@contextmanager
def _alone(folder: WorkFolder, job: Job) -> Iterator[None]:
    """Wait until no other job spends from the same ledger."""
    ledger = job.request["arguments"].get("ledger")
    if not ledger:
        yield
        return
    digest = hashlib.sha256(str(ledger).encode()).hexdigest()[:32]
    with (folder.own / f"{digest}.lock").open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            job.tell(stage=WAITING)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    main(*sys.argv[1:])
