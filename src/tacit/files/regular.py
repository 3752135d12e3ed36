"""Regular files opened for reading, and readable messages for errors of the operating system."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from tacit.errors import ReleaseError

FilePath = str | os.PathLike[str]

_REASONS = {
    errno.ENOENT: "there is no such file or folder",
    errno.ENOTDIR: "a part of the path is a file, not a folder",
    errno.EISDIR: "it is a folder",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EROFS: "the file system is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file would exceed the largest size allowed here",
    errno.ENAMETOOLONG: "its name is too long",
}


def reason(problem: OSError | ValueError) -> str:
    """Return why a file could not be used, as text without an error number."""
    if isinstance(problem, OSError):
        return _REASONS.get(problem.errno or 0, problem.strerror or str(problem))
    return str(problem)


@contextmanager
def open_regular(path: FilePath) -> Iterator[BinaryIO]:
    """Yield the regular file at ``path``, open for reading; ReleaseErrors of the block get the path in front.

    A pipe or a device is refused before it is opened, since opening one can block for ever.
    """
    try:
        _require_regular(path)
        with Path(path).open("rb") as file:
            yield file
    except ReleaseError as problem:
        raise type(problem)(f"{path}: {problem}") from problem.__cause__
    except OSError as problem:
        raise ReleaseError(f"{path} cannot be read: {reason(problem)}.") from problem


def read_small(path: FilePath, *, largest: int) -> bytes:
    """Return the content of a file; raise ReleaseError if it is longer than ``largest`` bytes."""
    with open_regular(path) as file:
        content = file.read(largest + 1)
        if len(content) > largest:
            raise ReleaseError(f"it is longer than {largest} bytes, so it is not what it should be.")
        return content


def _require_regular(path: FilePath) -> None:
    try:
        mode = Path(path).stat().st_mode
    except ValueError as problem:
        raise ReleaseError(f"it is no path: {reason(problem)}.") from problem
    if not stat.S_ISREG(mode):
        raise ReleaseError("it is a folder, not a file." if stat.S_ISDIR(mode) else "it is no regular file.")
