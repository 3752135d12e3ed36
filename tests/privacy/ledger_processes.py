"""What tests of a ledger in several processes share: charges, draws that leave a mark, and processes of their own."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tacit.errors import BudgetExceededError, LedgerError
from tacit.privacy.events import ApproximateEvent
from tacit.privacy.ledger import Ledger, Receipt

HUNDREDTH = ApproximateEvent(0.01)
ROOT = Path(__file__).parents[2]


def charge(ledger: Ledger) -> Receipt:
    return ledger.charge(HUNDREDTH, unit="record", purpose="a mean")


def draw(marks: Path, receipt: Receipt) -> None:
    """Leave a durable mark, as noise that was drawn and handed out would."""
    descriptor = os.open(marks, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, f"{receipt}\n".encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def drawn(marks: Path) -> list[Receipt]:
    return [Receipt.parse(text) for text in marks.read_text().splitlines()] if marks.exists() else []


def require_sound(path: Path, marks: Path) -> int:
    """Check that every draw has its line and that the file is whole; return the number of lines."""
    lines = Ledger(path).verify()
    assert set(drawn(marks)) <= {line.receipt for line in lines}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return len(lines)


def forked(work: object, *arguments: object) -> int:
    """Run ``work`` in a forked child, which ends with the number that it returns, and return the child's id."""
    assert callable(work)
    child = os.fork()
    if child:
        return child
    status = 99
    try:
        status = work(*arguments)
    finally:
        os._exit(status)


def statuses(children: list[int]) -> list[int]:
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def run_function(file: str, function: str, *arguments: object, before: tuple[str, ...] = ()) -> str:
    """Run ``function`` of a test's ``file`` in a fresh process and return what it printed."""
    command = [*before, sys.executable, "-W", "error", file, function, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def require_refusal(ledger: Ledger, marks: Path, words: str) -> None:
    with pytest.raises(LedgerError, match=words) as refused:
        draw(marks, charge(ledger))
    assert not isinstance(refused.value, BudgetExceededError)


def require_mounts() -> None:
    try:
        probe = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
        subprocess.run(probe, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs the right to mount a file system of its own")
