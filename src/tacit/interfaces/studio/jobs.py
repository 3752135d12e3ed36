"""Jobs: work in processes of their own, whose state is in files, so that neither a reload nor a crash loses it."""

import fcntl
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.errors import InputError
from tacit.files.atomic import OWNER_ONLY, write_text
from tacit.situations.feedback.desk.providers import new_token

QUEUED, RUNNING, DONE, FAILED = ("queued", "running", "done", "failed")
# Said of a job whose process is gone without a word.
INTERRUPTED = "interrupted"
REQUEST, STATE, RESULT, REPORT, LOCK = "request.json", "state.json", "result.json", "report.html", "lock"
# Jobs that are kept to be looked at again; older ones are removed when a new one starts.
MOST_JOBS = 100
# Within this a process has started, on a busy machine too.
START_SECONDS = 60.0
_NAME = re.compile(r"[0-9]{13}-[a-z_]+-[A-Za-z0-9_]{6}")


@dataclass(frozen=True)
class Job:
    """A job in its folder: what was asked, how far it is, and what came out."""

    path: Path

    @property
    def name(self) -> str:
        """The name of the job, which begins with the time when it was asked for."""
        return self.path.name

    @property
    def request(self) -> dict[str, Any]:
        """What was asked: ``task`` and its arguments; no secret."""
        return _read(self.path / REQUEST)

    @property
    def result(self) -> dict[str, Any]:
        """What came out; empty unless the job is done."""
        return _read(self.path / RESULT)

    @property
    def state(self) -> dict[str, Any]:
        """How far it is: ``state``, ``stage``, ``error``, ``notes``, when it was ``started`` and last ``changed``."""
        state = _read(self.path / STATE)
        if state.get("state") in (QUEUED, RUNNING) and not self._is_alive():
            # Read again: it may have ended between the two looks.
            state = _read(self.path / STATE)
            if state.get("state") in (QUEUED, RUNNING):
                return {**state, "state": INTERRUPTED}
        return state

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.state.get("state") not in (QUEUED, RUNNING)

    def tell(self, **changes: Any) -> None:
        """Write down how far the job is."""
        state = {**_read(self.path / STATE), **changes, "changed": time.time()}
        write_text(self.path / STATE, json.dumps(state), mode=OWNER_ONLY)

    def finish(self, result: Mapping[str, Any]) -> None:
        """Write down what came out, then that the job is done."""
        write_text(self.path / RESULT, json.dumps(result), mode=OWNER_ONLY)
        self.tell(state=DONE, stage="")

    @contextmanager
    def alive(self) -> Iterator[None]:
        """Hold the lock that tells others that the job's process lives; it falls with the process."""
        with (self.path / LOCK).open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _is_alive(self) -> bool:
        # Before its process has the lock, a job is as young as a process needs to start.
        if time.time() - self._asked() < START_SECONDS and not (self.path / LOCK).exists():
            return True
        try:
            with (self.path / LOCK).open("ab") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False

    def _asked(self) -> float:
        return int(self.name.split("-")[0]) / 1000


class JobStore:
    """The jobs of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._path = folder, folder / ".studio" / "jobs"
        self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Kept so that ended processes are waited for.
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self, task: str, arguments: Mapping[str, Any], *, secret: str = "") -> Job:
        """Start a process that does ``task``; a ``secret`` reaches it through a pipe and is never written down."""
        self._clear()
        name = f"{time.time_ns() // 1_000_000:013d}-{task}-{new_token().replace('-', '_')[:6]}"
        job = Job(self._path / name)
        job.path.mkdir(mode=0o700)
        request = {"task": task, "arguments": dict(arguments)}
        write_text(job.path / REQUEST, json.dumps(request), mode=OWNER_ONLY)
        job.tell(state=QUEUED, stage="", started=time.time())
        command = [sys.executable, "-m", "tacit.interfaces.studio.worker", str(self._folder), name]
        with (job.path / "log").open("wb") as log:
            # A session of its own: Ctrl-C ends the studio, and a job that has charged a ledger still ends its work.
            process = subprocess.Popen(  # noqa: S603 - our own module, with a name made here
                command, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True
            )
        if process.stdin is not None:
            process.stdin.write(secret.encode())
            process.stdin.close()
        self._processes = [each for each in self._processes if each.poll() is None] + [process]
        return job

    def wait(self) -> None:
        """Wait until every process that was started here has ended."""
        for process in self._processes:
            process.wait()

    def job(self, name: str) -> Job:
        """Return the job called ``name``."""
        job = Job(self._path / name)
        if not _NAME.fullmatch(name) or not (job.path / REQUEST).is_file():
            raise InputError("there is no such job; it may have been removed.")
        return job

    def jobs(self, *tasks: str) -> list[Job]:
        """Return the jobs of these tasks (all without any), the newest first."""
        names = sorted((each.name for each in self._path.iterdir() if _NAME.fullmatch(each.name)), reverse=True)
        return [Job(self._path / name) for name in names if not tasks or name.split("-")[1] in tasks]

    def _clear(self) -> None:
        for job in self.jobs()[MOST_JOBS:]:
            if job.ended:
                for file in job.path.iterdir():
                    file.unlink()
                job.path.rmdir()


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
