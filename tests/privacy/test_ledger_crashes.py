"""No draw without its charge and no damaged file: many processes, killed processes and full disks.

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
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest
from tests.privacy.ledger_processes import (
    charge,
    draw,
    drawn,
    forked,
    require_mounts,
    require_refusal,
    require_sound,
    run_function,
    statuses,
)

from tacit.errors import BudgetExceededError, LedgerError
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger, Receipt

run = partial(run_function, __file__)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "patients.ledger"
    Ledger.create(path, Budget(1, unit="record"))
    return path


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


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
