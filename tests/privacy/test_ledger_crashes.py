"""No draw without its charge and no damaged file: many processes, killed processes, full, read-only and locked files.

The parts that must run in processes of their own are functions of this file, run as ``python FILE FUNCTION ARGUMENTS``.
"""

import errno
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tacit.errors import BudgetExceededError, LedgerError
from tacit.privacy.budget import Budget
from tacit.privacy.events import ApproximateEvent
from tacit.privacy.ledger import Ledger, Receipt

HUNDREDTH = ApproximateEvent(0.01)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "patients.ledger"
    Ledger.create(path, Budget(1, unit="record"))
    return path


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


def run(function: str, *arguments: object, before: tuple[str, ...] = ()) -> str:
    """Run ``function`` of this file in a fresh process and return what it printed."""
    command = [*before, sys.executable, "-W", "error", __file__, function, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- many processes


def spend_until_refused(ledger: Ledger, tries: int, marks: Path) -> int:
    accepted = 0
    for _ in range(tries):
        try:
            draw(marks, charge(ledger))
        except BudgetExceededError:
            continue
        accepted += 1
    return accepted


def eight_processes(path: str, marks: str) -> None:
    ledger = Ledger(path)  # opened before the forks: its children share it
    children = [forked(spend_until_refused, ledger, 50, Path(marks)) for _ in range(8)]
    print(sum(statuses(children)))


@pytest.mark.slow
def test_eight_processes_with_fifty_charges_each_get_exactly_the_hundred_that_fit(path: Path, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    assert int(run("eight_processes", path, marks)) == 100
    assert require_sound(path, marks) == 100
    assert len(drawn(marks)) == 100
    assert Ledger(path).left() == 0


def forks_amid_threads(path: str) -> None:
    ledger, stop = Ledger(path), threading.Event()

    def keep_reading() -> None:
        while not stop.is_set():
            ledger.verify()

    threads = [threading.Thread(target=keep_reading) for _ in range(2)]
    for thread in threads:
        thread.start()
    children = [forked(lambda: charge(ledger).line) for _ in range(30)]
    ended = statuses(children)
    stop.set()
    for thread in threads:
        thread.join()
    print(sorted(ended) == list(range(1, 31)))


def test_a_fork_while_other_threads_read_leaves_the_child_a_working_ledger(path: Path) -> None:
    assert run("forks_amid_threads", path).strip() == "True"
    assert len(Ledger(path).verify()) == 30


# --- killed processes


def charge_and_draw_until_killed(path: Path, marks: Path) -> int:
    ledger = Ledger(path)
    while True:
        draw(marks, charge(ledger))


def a_hundred_kills(path: str, marks: str, seed: str) -> None:
    moments, kept = random.Random(int(seed)), 0
    started = time.monotonic()
    for _ in range(5):
        draw(Path(marks), charge(Ledger(path)))
    window = time.monotonic() - started  # on a slow machine a child needs longer to get anywhere
    for _ in range(100):
        child = forked(charge_and_draw_until_killed, Path(path), Path(marks))
        time.sleep(moments.uniform(0, window))
        os.kill(child, signal.SIGKILL)
        assert statuses([child]) == [-signal.SIGKILL]
        assert require_sound(Path(path), Path(marks)) >= kept
        before, kept = kept, len(drawn(Path(marks)))
        window *= 1.1 if kept == before else 1.0  # the machine has become slower since
    print(kept - 5)


@pytest.mark.slow
def test_a_process_killed_at_any_moment_leaves_no_draw_without_its_charge_and_no_damaged_file(tmp_path: Path) -> None:
    path, marks = tmp_path / "patients.ledger", tmp_path / "marks"
    Ledger.create(path, Budget(100, unit="record"))
    assert int(run("a_hundred_kills", path, marks, 20)) >= 20  # the children were not all killed before they began
    assert require_sound(path, marks) >= len(drawn(marks))
    # Whoever comes after a kill goes on where it ended.
    assert charge(Ledger(path)).line == len(Ledger(path).lines())


def test_a_process_killed_within_the_transaction_has_charged_nothing(path: Path, tmp_path: Path) -> None:
    run("die_before_commit", path)
    assert require_sound(path, tmp_path / "marks") == 0
    assert charge(Ledger(path)).line == 1


def die_before_commit(path: str) -> None:
    def die() -> int:
        from tacit.privacy import ledger_file

        append = ledger_file.LedgerFile.append

        def append_and_die(*arguments: object) -> Receipt:
            append(*arguments)  # type: ignore[arg-type]  # passed on as they came
            os.kill(os.getpid(), signal.SIGKILL)
            raise AssertionError("unreachable")

        ledger_file.LedgerFile.append = append_and_die  # type: ignore[method-assign, assignment]
        charge(Ledger(path))
        return 0

    assert statuses([forked(die)]) == [-signal.SIGKILL]


def test_a_creation_that_dies_leaves_no_ledger_to_be_mistaken_for_one(tmp_path: Path) -> None:
    path = tmp_path / "new.ledger"
    run("die_while_creating", path)
    assert not path.exists()
    Ledger.create(path, Budget(1, unit="record")).verify()


def die_while_creating(path: str) -> None:
    def die() -> int:
        os.link = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        Ledger.create(path, Budget(1, unit="record"))
        return 0

    assert statuses([forked(die)]) == [-signal.SIGKILL]


# --- a full disk


def require_refusal(ledger: Ledger, marks: Path, words: str) -> None:
    with pytest.raises(LedgerError, match=words) as refused:
        draw(marks, charge(ledger))
    assert not isinstance(refused.value, BudgetExceededError)


def charges_until_an_error(ledger: Ledger) -> int:
    for accepted in range(101):
        try:
            charge(ledger)
        except LedgerError:
            return accepted
    raise AssertionError("unreachable: the budget is for a hundred")


def files_that_cannot_grow(path: str, marks: str, limit: str, log_is_open: str) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    ledger = Ledger(path)
    with closing(sqlite3.connect(path)) as other:
        if log_is_open == "True":
            # Another reader keeps the log from being emptied, so that it grows into the limit.
            other.execute("SELECT count(*) FROM lines").fetchall()
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), resource.RLIM_INFINITY))
        accepted = charges_until_an_error(ledger)
        require_refusal(ledger, Path(marks), "the disk is full or failing.*so nothing may be drawn")
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert len(Ledger(path).verify()) == accepted
    draw(Path(marks), charge(ledger))
    print(accepted)


# No byte may be written; the index of the log (32 KiB) does not fit; the log itself runs full.
@pytest.mark.parametrize(
    ("limit", "log_is_open", "some"), [(0, False, False), (20_000, False, False), (20_000, True, True)]
)
def test_a_disk_that_fills_up_takes_no_charge_and_is_good_again_with_space(
    path: Path, tmp_path: Path, limit: int, log_is_open: bool, some: bool
) -> None:
    accepted = int(run("files_that_cannot_grow", path, tmp_path / "marks", limit, log_is_open))
    assert (accepted > 0) == some
    assert require_sound(path, tmp_path / "marks") == accepted + 1


def fill(file: Path) -> None:
    with file.open("wb", buffering=0) as raw:
        try:
            while raw.write(b"x" * 4096):
                pass
        except OSError as problem:
            if problem.errno != errno.ENOSPC:
                raise


def gaining_pages(folder: Path) -> Iterator[None]:
    """Mount a small disk on ``folder`` that is full at first and has one page more at each step."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], check=True)
    yield  # still empty
    filler = folder / "filler"
    fill(filler)
    for _ in range(30):
        yield
        os.truncate(filler, filler.stat().st_size - 4096)
    subprocess.run(["umount", folder], check=True)


def charges_on_a_full_disk(name: str) -> None:
    """A charge fails at every step of its way to the disk, and then no more."""
    folder, accepted = Path(name), []
    path, marks, disk = folder / "x.ledger", folder.parent / "marks", gaining_pages(folder)
    next(disk)
    ledger = Ledger.create(path, Budget(1, unit="record"))
    for _ in disk:
        try:
            draw(marks, charge(ledger))
            accepted.append(True)
        except LedgerError as problem:
            assert "the disk is full or failing" in str(problem)  # noqa: PT017 - either outcome is right here
            accepted.append(False)
        if accepted[-1]:
            assert require_sound(path, marks) == sum(accepted)
    assert accepted == sorted(accepted)
    assert set(accepted) == {False, True}


def creations_on_a_full_disk(name: str) -> None:
    """A ledger is made whole or not at all, however much room there is."""
    folder, made = Path(name), []
    disk = gaining_pages(folder)
    next(disk)
    for _ in disk:
        path = folder / "x.ledger"
        with suppress(LedgerError):
            Ledger.create(path, Budget(1, unit="record")).verify()
        made.append(path.exists())
        if made[-1]:
            # Without room for its index a ledger cannot be opened, but it is whole: a copy elsewhere can.
            copy = Path(shutil.copy(path, folder.parent / "copy.ledger"))
            assert charge(Ledger(copy)).line == 1
        for each in folder.glob("x.ledger*"):
            each.unlink()
        assert [each.name for each in folder.iterdir()] == ["filler"]
    assert made == sorted(made)
    assert set(made) == {False, True}


@pytest.mark.parametrize("function", ["charges_on_a_full_disk", "creations_on_a_full_disk"])
def test_a_really_full_file_system_takes_a_whole_write_or_none(tmp_path: Path, function: str) -> None:
    require_mounts()
    (tmp_path / "disk").mkdir()
    run(function, tmp_path / "disk", before=("unshare", "--mount"))


def require_mounts() -> None:
    try:
        probe = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
        subprocess.run(probe, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs the right to mount a file system of its own")


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
