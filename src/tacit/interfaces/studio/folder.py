"""The folder that a studio works in: plain names of files in it, and no path that leads out of it."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tacit.errors import InputError

# What the studio keeps beside the user's files: summaries of tables, marks of schemas, jobs.
OWN = ".studio"
LONGEST_NAME = 120
# Letters of any language, digits and a few marks; nothing that a URL or a file system takes for something else.
_NAME = re.compile(r"[\w][\w .,()+@=-]*")
TABLES = (".csv", ".csv.gz", ".tsv", ".parquet", ".arrow", ".feather", ".ipc")
SPREADSHEETS = (".xlsx", ".xls", ".ods")
RELEASES, LEDGERS, SCHEMAS, DESKS = (".tacit",), (".ledger",), (".toml",), (".desk",)
PRIVATE_KEYS, PUBLIC_KEYS, CARDS, PAGES, DATABASES = (".key",), (".pub",), (".json",), (".html",), (".db", ".sqlite")
# What may come in by an upload, and go out by a download.
_FILES = (*RELEASES, *LEDGERS, *SCHEMAS, *DESKS, *PRIVATE_KEYS, *PUBLIC_KEYS, *CARDS, *PAGES)
KNOWN = (*TABLES, *SPREADSHEETS, *DATABASES, *_FILES)


@dataclass(frozen=True)
class WorkFolder:
    """A folder whose files are named by plain names."""

    path: Path

    @classmethod
    def at(cls, path: Path) -> "WorkFolder":
        """Return the folder at ``path``, which must be there; make what the studio keeps in it."""
        if not path.is_dir():
            raise InputError(f"folder {path} must be a folder that is there. Make it, or choose another.")
        folder = cls(path.resolve())
        folder.own.mkdir(mode=0o700, exist_ok=True)
        if folder.own.is_symlink() or not os.access(folder.own, os.W_OK):
            raise InputError(f"folder {path} must be one that you can write to.")
        return folder

    @property
    def own(self) -> Path:
        """Where the studio keeps its own files."""
        return self.path / OWN

    def file(self, name: str) -> Path:
        """Return the path of the file called ``name``, which need not be there; raise InputError for any other path."""
        if len(name) > LONGEST_NAME or not _NAME.fullmatch(name) or not name.lower().endswith(KNOWN):
            raise InputError(
                f"a file's name must be letters, digits, spaces and . , - _ ( ) + @ =, without a folder, and end in "
                f"one of {', '.join(KNOWN)}; got {name[:LONGEST_NAME]!r}."
            )
        path = self.path / name
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise InputError(f"{name} must be a plain file of the folder, not a link or a folder.")
        return path

    def existing(self, name: str) -> Path:
        """Return the path of a file that is there."""
        path = self.file(name)
        if not path.is_file():
            raise InputError(f"{name}: no such file in this folder.")
        return path

    def names(self, endings: tuple[str, ...]) -> list[str]:
        """Return the names of the files with these endings, in their order."""
        return sorted(self._usable(endings), key=str.casefold)

    def _usable(self, endings: tuple[str, ...]) -> Iterator[str]:
        for entry in os.scandir(self.path):
            plain = entry.is_file(follow_symlinks=False) and len(entry.name) <= LONGEST_NAME
            if plain and entry.name.lower().endswith(endings) and _NAME.fullmatch(entry.name):
                yield entry.name

    def free(self, name: str) -> str:
        """Return ``name``, or with a number before its ending if a file has it already."""
        stem, ending = split_name(name)
        names = (f"{stem}-{number}{ending}" if number else name for number in range(10_000))
        return next(each for each in names if not self.file(each).exists())


def split_name(name: str) -> tuple[str, str]:
    """Return a name without its ending, and the ending: ``("visits", ".csv.gz")``."""
    ending = next((each for each in sorted(KNOWN, key=len, reverse=True) if name.lower().endswith(each)), "")
    return name[: len(name) - len(ending)], name[len(name) - len(ending) :]


def schema_name(table: str) -> str:
    """Return the name of the schema of a table: ``patients.toml`` of ``patients.csv``."""
    return f"{split_name(table)[0]}.toml"
