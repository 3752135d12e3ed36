"""What is remembered of a schema's editing, readable without loading what reads schemas."""

import json
import tomllib
from pathlib import Path
from typing import Any

from tacit.interfaces.studio.folder import WorkFolder, schema_name


def marks_path(folder: WorkFolder, table: str) -> Path:
    """Return where the marks of the schema of ``table`` are kept."""
    return folder.own / "schemas" / f"{table}.json"


def stamp(path: Path) -> list[int]:
    """Return what tells a file from the one that it was before."""
    facts = path.stat()
    return [facts.st_size, facts.st_mtime_ns]


def read_marks(folder: WorkFolder, table: str) -> dict[str, Any] | None:
    """Return what is remembered of the schema of ``table``: None if its file has changed since, by another hand."""
    try:
        content: dict[str, Any] = json.loads(marks_path(folder, table).read_text(encoding="utf-8"))
        return content if content["stamp"] == stamp(folder.file(schema_name(table))) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def guesses_left(folder: WorkFolder, table: str) -> int | None:
    """Return how many facts of the schema of ``table`` are still guesses; None if there is no readable schema."""
    marks = read_marks(folder, table)
    if marks is not None:
        return len(marks["guessed"])
    try:
        content = tomllib.loads(folder.file(schema_name(table)).read_text(encoding="utf-8-sig"))
        guessed = [rule for rule in content["columns"].values() if rule["kind"] not in ("ignored", "person")]
        texts = bool(content.get("missing_values"))
        return len(guessed) + texts if content.get("bounds_from_data") else 0
    except (OSError, ValueError, KeyError, TypeError):
        return None
