import errno
import os
from pathlib import Path
from typing import Any

import pytest

from tacit.errors import NotReleasableError, ReleaseError
from tacit.files import regular


def read(path: regular.FilePath) -> bytes:
    with regular.open_regular(path) as file:
        return file.read()


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert read(tmp_path / "a") == read(str(tmp_path / "link")) == b"abc"


def test_what_is_no_file_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="missing cannot be read: there is no such file"):
        read(tmp_path / "missing")
    with pytest.raises(ReleaseError, match="it is a folder, not a file"):
        read(tmp_path)
    with pytest.raises(ReleaseError, match="it is no regular file"):
        read("/dev/null")
    with pytest.raises(ReleaseError, match="null"):
        read("a\0b")


def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ReleaseError, match="it is no regular file"):
        read(tmp_path / "pipe")


def test_a_missing_permission_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    (tmp_path / "a").write_bytes(b"abc")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ReleaseError, match="a cannot be read: permission denied"):
        read(tmp_path / "a")


def test_an_error_of_the_block_keeps_its_kind_and_gets_the_path(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    with pytest.raises(NotReleasableError, match=r"/a: no mechanism"), regular.open_regular(tmp_path / "a"):
        raise NotReleasableError("no mechanism")


def test_a_small_file_that_is_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert regular.read_small(tmp_path / "a", largest=3) == b"abc"
    with pytest.raises(ReleaseError, match="longer than 2 bytes"):
        regular.read_small(tmp_path / "a", largest=2)
