"""A ledger that may only be read, or that another program has locked, takes no charge and can still be read.

The parts that must run in processes of their own are functions of this file, run as ``python FILE FUNCTION ARGUMENTS``.
"""

import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from tests.privacy.ledger_processes import charge, require_mounts, require_refusal, require_sound, run_function

from tacit.errors import LedgerError
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger, Receipt

run = partial(run_function, __file__)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "patients.ledger"
    Ledger.create(path, Budget(1, unit="record"))
    return path


# --- a read-only file


def require_readable_and_not_chargeable(path: Path, marks: Path) -> None:
    ledger = Ledger(path)
    assert len(ledger.verify()) == 1
    assert ledger.spent() == 0.01
    require_refusal(ledger, marks, "is read-only. Nothing was charged")


def as_nobody(path: str, marks: str) -> None:
    if os.geteuid() == 0:
        # An import must not be left for later: nobody may not read the library's files.
        Ledger(path).verify()
        os.setgid(65534)
        os.setuid(65534)
    require_readable_and_not_chargeable(Path(path), Path(marks))


@pytest.mark.parametrize("folder_mode", [0o555, 0o777])
def test_a_file_without_write_permission_can_be_read_and_not_charged(tmp_path: Path, folder_mode: int) -> None:
    """The superuser may write anyway, so the test gives the privilege up; the folder may or may not be writable."""
    # Not below pytest's folder, which others may not enter.
    with tempfile.TemporaryDirectory() as name:
        folder, path = Path(name), Path(name) / "patients.ledger"
        charge(Ledger.create(path, Budget(1, unit="record")))
        path.chmod(0o444)
        folder.chmod(folder_mode)
        run("as_nobody", path, tmp_path / "marks")
        folder.chmod(0o755)
        path.chmod(0o644)
        assert [each.name for each in folder.iterdir()] == [path.name]
        assert require_sound(path, tmp_path / "marks") == 1


def in_a_closed_folder(path: str) -> None:
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    with pytest.raises(LedgerError, match="there is no ledger at"):
        Ledger(path)


def test_a_ledger_in_a_folder_that_may_not_be_entered_is_not_seen() -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "patients.ledger"
        Ledger.create(path, Budget(1, unit="record"))
        path.parent.chmod(0o600)
        run("in_a_closed_folder", path)
        path.parent.chmod(0o700)


def on_a_read_only_mount(folder: str, marks: str) -> None:
    subprocess.run(["mount", "--bind", folder, folder], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
    require_readable_and_not_chargeable(Path(folder) / "patients.ledger", Path(marks))
    with pytest.raises(LedgerError, match="Read-only file system"):
        Ledger.create(Path(folder) / "other.ledger", Budget(1, unit="record"))
    subprocess.run(["umount", folder], check=True)


def test_a_ledger_on_a_read_only_file_system_can_be_read_and_not_charged(tmp_path: Path) -> None:
    require_mounts()
    folder = tmp_path / "disk"
    folder.mkdir()
    charge(Ledger.create(folder / "patients.ledger", Budget(1, unit="record")))
    run("on_a_read_only_mount", folder, tmp_path / "marks", before=("unshare", "--mount"))
    assert require_sound(folder / "patients.ledger", tmp_path / "marks") == 1


def test_a_connection_that_sqlite_finds_read_only_takes_no_charge(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Permissions may change between our look at them and SQLite's."""
    connect = sqlite3.connect

    def read_only(database: str, **options: object) -> sqlite3.Connection:
        return connect(database.replace("mode=rw", "mode=ro"), **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(sqlite3, "connect", read_only)
    require_refusal(Ledger(path), tmp_path / "marks", "is read-only. Nothing was charged")
    monkeypatch.undo()
    assert require_sound(path, tmp_path / "marks") == 0


# --- a locked file


@pytest.mark.parametrize("lock", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_a_file_that_another_program_writes_takes_no_charge_until_it_ends(
    path: Path, tmp_path: Path, lock: str
) -> None:
    ledger = Ledger(path, timeout=0.1)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute(lock)
        started = time.monotonic()
        require_refusal(ledger, tmp_path / "marks", "is locked by another program. Nothing was charged")
        assert time.monotonic() - started < 5
        assert ledger.spent() == 0  # readers are not kept waiting
        other.execute("ROLLBACK")
    assert charge(ledger).line == 1
    assert require_sound(path, tmp_path / "marks") == 1


def test_a_file_that_another_program_keeps_to_itself_cannot_even_be_opened(path: Path) -> None:
    ledger = Ledger(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("ROLLBACK")
        for operation in (lambda: Ledger(path, timeout=0.1), lambda: charge(Ledger(path, timeout=0.1))):
            with pytest.raises(LedgerError, match="is locked by another program"):
                operation()
    assert charge(ledger).line == 1


def test_a_charge_waits_for_a_writer_that_ends_in_time(path: Path) -> None:
    ledger = Ledger(path, timeout=30)
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(0.3, lambda: other.execute("ROLLBACK"))
        timer.start()
        assert charge(ledger).line == 1
        timer.join()


# --- how the file is written


def test_a_charge_is_committed_through_a_log_that_is_synced(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int]] = []
    from tacit.privacy.ledger_file import LedgerFile

    append = LedgerFile.append

    def watched(file: LedgerFile, content: str, head: object) -> Receipt:
        (mode,) = file._connection.execute("PRAGMA journal_mode").fetchone()
        (level,) = file._connection.execute("PRAGMA synchronous").fetchone()
        seen.append((mode, level))
        return append(file, content, head)  # type: ignore[arg-type]  # passed on as it came

    monkeypatch.setattr(LedgerFile, "append", watched)
    charge(Ledger(path))
    assert seen == [("wal", 2)]  # 2 is FULL


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
