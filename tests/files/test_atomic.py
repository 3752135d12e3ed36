import errno
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tacit.errors import ReleaseError
from tacit.files import atomic

FULL_DISK = """
import resource, sys
from tacit.errors import ReleaseError
from tacit.files import atomic

resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
try:
    atomic.write_bytes(sys.argv[1], b"x" * 200_000)
except ReleaseError as problem:
    print(problem)
    sys.exit(7)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "output.csv"
    path.write_bytes(b"old")
    return path


def assert_untouched(path: Path) -> None:
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


def test_text_and_bytes_arrive_as_they_are(tmp_path: Path) -> None:
    atomic.write_text(tmp_path / "a.txt", "é\r\nb\n")
    atomic.write_bytes(tmp_path / "b.bin", b"\x00\xff")
    assert (tmp_path / "a.txt").read_bytes() == "é\r\nb\n".encode()
    assert (tmp_path / "b.bin").read_bytes() == b"\x00\xff"
    assert {file.name for file in tmp_path.iterdir()} == {"a.txt", "b.bin"}


def test_the_old_file_stays_until_the_new_one_is_whole(path: Path) -> None:
    with atomic.replacing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failing_step_leaves_the_old_file_alone(path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(ReleaseError, match=r"output\.csv cannot be written: the disk is full"):
        atomic.write_bytes(path, b"new")
    assert_untouched(path)


def test_the_file_is_synced_before_it_takes_its_place_and_the_folder_after(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, os.replace

    def synced(descriptor: int) -> None:
        steps.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        fsync(descriptor)

    def replaced(source: Any, target: Any) -> None:
        steps.append("replace")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    atomic.write_bytes(path, b"new")
    assert steps == ["file", "replace", "folder"]


@pytest.mark.parametrize("failure", [KeyboardInterrupt, ValueError, ZeroDivisionError])
def test_an_error_in_the_block_passes_through_and_leaves_nothing(path: Path, failure: type[BaseException]) -> None:
    def write_half() -> None:
        with atomic.replacing(path) as file:
            file.write(b"half")
            raise failure

    with pytest.raises(failure):
        write_half()
    assert_untouched(path)


def test_a_folder_that_cannot_be_synced_is_no_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> int:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "open", refuse)
    atomic.write_bytes(path, b"new")
    assert path.read_bytes() == b"new"


def test_a_full_disk_leaves_the_old_file_alone(path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL_DISK, path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (7, "")
    assert "cannot be written: the file would exceed the largest size allowed here" in done.stdout
    assert_untouched(path)


def test_an_existing_file_keeps_its_permissions(path: Path) -> None:
    path.chmod(0o640)
    atomic.write_bytes(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_follows_the_umask_or_the_mode_asked_for(tmp_path: Path) -> None:
    umask = os.umask(0o027)
    try:
        atomic.write_bytes(tmp_path / "usual", b"")
        atomic.write_bytes(tmp_path / "secret", b"", mode=atomic.OWNER_ONLY)
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "usual").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600


def test_a_link_stays_a_link_and_its_file_is_replaced(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(path)
    atomic.write_bytes(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"


def test_what_is_no_regular_file_is_never_replaced(tmp_path: Path) -> None:
    # A pipe stands for every device: a test that fails must not cost the machine its /dev/null.
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ReleaseError, match="it is no regular file"):
        atomic.write_bytes(tmp_path / "pipe", b"new")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_path_that_cannot_be_written_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ReleaseError, match="missing/out cannot be written: there is no such file or folder"):
        atomic.write_bytes(tmp_path / "missing" / "out", b"")
    with pytest.raises(ReleaseError, match="a part of the path is a file"):
        atomic.write_bytes(tmp_path / "file" / "out", b"")
    with pytest.raises(ReleaseError, match="it is a folder"):
        atomic.write_bytes(tmp_path, b"")
    with pytest.raises(ReleaseError, match="its name is too long"):
        atomic.write_bytes(tmp_path / ("x" * 300), b"")
    with pytest.raises(ReleaseError, match="null"):
        atomic.write_bytes("a\0b", b"")


def test_the_longest_name_that_the_system_allows_works(tmp_path: Path) -> None:
    atomic.write_bytes(tmp_path / ("x" * 255), b"new")
    assert (tmp_path / ("x" * 255)).read_bytes() == b"new"


def test_a_missing_permission_is_named_as_the_reason(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ReleaseError, match="permission denied"):
        atomic.write_bytes(path, b"new")
    monkeypatch.undo()
    assert_untouched(path)
