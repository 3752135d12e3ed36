"""Where public data sets are found: the data folder, the cache, or their public source."""

import http.client
import os
import tarfile
import tempfile
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

from scipy.io.matlab import MatReadError

from tacit.errors import MissingDataError

FOLDER_VARIABLE = "TACIT_DATA"
TIMEOUT = 60.0

# What reading an archive raises when it holds something else.
_UNEXPECTED = (
    KeyError,
    ValueError,
    IndexError,
    EOFError,
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    MatReadError,
)

Get = Callable[[str], bytes]
Fetch = Callable[[Get], Mapping[str, bytes]]


def download(url: str) -> bytes:
    """Return what stands at ``url``, which must be https."""
    if not url.startswith("https://"):
        raise MissingDataError(f"{url}: data are only fetched over https.")
    with urllib.request.urlopen(url, timeout=TIMEOUT) as answer:  # noqa: S310 - https, checked above
        content: bytes = answer.read()
    return content


def locate(file: str, fetch: Fetch, *, get: Get | None = None) -> Path:
    """Return the path of ``file``: in the folder ``TACIT_DATA``, else in the cache, else fetched into the cache.

    Parameters
    ----------
    file : str
        Its name in the data folder, such as ``"mnist.npz"`` or ``"fitbit/sleepDay_merged.csv"``.
    fetch : callable
        Given a downloader, returns the content of this file, and of its companions, from their public source.
    get : callable or None
        The downloader; `download` unless given.
    """
    places = [folder / PurePosixPath(file) for folder in (data_folder(), cache_folder()) if folder is not None]
    for place in places:
        if place.is_file():
            return place
    try:
        content = fetch(get or download)
    except (OSError, http.client.HTTPException) as problem:
        raise MissingDataError(
            f"{file} is in no data folder, and its public source cannot be reached ({problem}). Either set "
            f"{FOLDER_VARIABLE} to a folder that holds it, or connect to the internet and try again: "
            f"it is then kept in {cache_folder()}."
        ) from problem
    except _UNEXPECTED as problem:
        raise MissingDataError(
            f"{file}: its public source answered with something else than expected ({type(problem).__name__}). "
            f"Set {FOLDER_VARIABLE} to a folder that holds the file."
        ) from problem
    for name, data in content.items():
        _keep(cache_folder() / PurePosixPath(name), data)
    return cache_folder() / PurePosixPath(file)


def data_folder() -> Path | None:
    """Return the folder that ``TACIT_DATA`` names, if it is set."""
    setting = os.environ.get(FOLDER_VARIABLE)
    if not setting:
        return None
    folder = Path(setting).expanduser()
    if not folder.is_dir():
        raise MissingDataError(f"{FOLDER_VARIABLE} must name a folder; got {setting!r}. Correct it or unset it.")
    return folder


def cache_folder() -> Path:
    """Return the folder where fetched data are kept: ``tacit`` in the user's cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "tacit"


def _keep(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` at once, so that a second process never reads half of it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            whole = Path(folder) / path.name
            whole.write_bytes(data)
            whole.replace(path)
    except OSError as problem:
        raise MissingDataError(
            f"{path.name} was fetched but cannot be kept in {path.parent} ({problem.strerror}). "
            "Set XDG_CACHE_HOME to a folder that can be written."
        ) from problem
