"""Where a result goes: refused before the work starts, so that neither time nor budget is wasted."""

import errno
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tacit.errors import InputError
from tacit.files.regular import reason


def require_output(path: Path, *, force: bool, inputs: Iterable[Path] = (), size: int = 1) -> None:
    """Refuse ``path`` unless a file of ``size`` bytes can be written there without losing anything.

    ``inputs`` are files that it must not replace, not even with ``force``.
    """
    if path.is_dir():
        raise InputError(f"output {path} is a folder; give the path of a file, such as {path / 'out'}.")
    if any(path.exists() and each.exists() and path.samefile(each) for each in inputs):
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
