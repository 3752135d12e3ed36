"""Output files: refused before the work starts, so that neither time nor budget is wasted, or written whole.

An output file appears whole or not at all.
"""

import errno
import os
import stat
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from tacit.errors import InputError, ReleaseError
from tacit.files.regular import FilePath, reason

OWNER_ONLY = 0o600


def write_bytes(path: FilePath, content: bytes, *, mode: int | None = None) -> None:
    """Write ``content`` to ``path``, whole or not at all."""
    with replacing(path, mode=mode) as file:
        file.write(content)


def write_text(path: FilePath, text: str, *, mode: int | None = None) -> None:
    """Write ``text`` to ``path`` as UTF-8, its line ends as they are, whole or not at all."""
    write_bytes(path, text.encode("utf-8"), mode=mode)


@contextmanager
def replacing(path: FilePath, *, mode: int | None = None) -> Iterator[BinaryIO]:
    """Yield a temporary file to write to, which replaces ``path`` when the block ends without an error.

    After a failure (a full disk, an error in the block, an interrupt) the old file is unchanged and no other file is
    left. ``mode`` sets the permissions; by default an existing file keeps its own.
    """
    try:
        target, existing_mode = _resolved(path)
        # A short random name: it is no other writer's, and within the limit on the length of names.
        temporary = target.with_name(f".tacit-{uuid.uuid4().hex}.tmp")
        with _removed_on_failure(temporary):
            with temporary.open("xb") as file:
                _permit(temporary, existing_mode if mode is None else mode)
                yield file
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
    except OSError as problem:
        raise ReleaseError(f"{path} cannot be written: {reason(problem)}. Any older file is unchanged.") from problem
    _sync_folder(target.parent)


def _resolved(path: FilePath) -> tuple[Path, int | None]:
    """Return the file that ``path`` leads to and its permissions, None if it is new.

    A link stays a link: the file that it points to is replaced. A device is never replaced.
    """
    try:
        target = Path(os.path.realpath(path))
        mode = target.stat().st_mode if target.exists() else None
    except ValueError as problem:
        raise ReleaseError(f"{path!r} cannot be written: {reason(problem)}.") from problem
    if mode is None:
        return target, None
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "no regular file"
        raise ReleaseError(f"{path} cannot be written: it is {what}. Give the path of a file.")
    return target, stat.S_IMODE(mode)


@contextmanager
def _removed_on_failure(temporary: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:  # an interrupt, too, must not leave half a file behind
        with suppress(OSError):
            temporary.unlink()
        raise


def _permit(file: Path, mode: int | None) -> None:
    if mode is not None:
        file.chmod(mode)


def _sync_folder(folder: Path) -> None:
    """Flush the folder, so that the new name survives a power cut.

    The new file is whole and in place by now, and some file systems cannot flush a folder: failures are ignored.
    """
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def require_output(path: Path, *, force: bool, inputs: Iterable[Path] = (), size: int = 1) -> None:
    """Refuse ``path`` unless a file of ``size`` bytes can be written there without losing anything.

    ``inputs`` are files that it must not replace, not even with ``force``.
    """
    if path.is_dir():
        raise InputError(f"output {path} is a folder; give the path of a file, such as {path / 'out'}.")
    if any(path.exists() and source.exists() and path.samefile(source) for source in inputs):
        raise InputError(f"output {path} is also an input, which would be lost. Choose another name.")
    if path.exists() and not force:
        raise InputError(f"output {path} exists already. Choose another name, or give --force to replace it.")
    _require_room(path, size)


def _require_room(path: Path, size: int) -> None:
    """Try it with a nameless file in the same folder: permissions, quotas and full disks all have their say."""
    try:
        with tempfile.TemporaryFile(dir=path.parent) as probe:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(probe.fileno(), 0, size)
    except OSError as problem:
        if problem.errno in {errno.EOPNOTSUPP, errno.EINVAL}:
            return  # this file system cannot reserve; the folder at least took a file
        raise InputError(f"output {path} cannot be written: {reason(problem)}. Nothing was done.") from problem
