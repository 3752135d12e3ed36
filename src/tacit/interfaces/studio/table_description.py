"""What the studio knows of a table after reading it once: kept beside it, for its owner alone."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.interfaces.studio.folder import WorkFolder


@dataclass(frozen=True)
class TableDescription:
    """Rows, columns with types, missing cells and histograms, and the first rows of a table.

    Exact facts about private rows: shown to the owner, never handed out.
    """

    n_rows: int
    notes: str
    columns: tuple[dict[str, Any], ...]
    remarks: dict[str, str]
    first: tuple[tuple[str, ...], ...]


def description_path(folder: WorkFolder, table: str) -> Path:
    """Return where the description of ``table`` is kept."""
    return folder.own / "tables" / f"{table}.json"


def signature(table: Path) -> list[int]:
    """Return what tells a table's file from the one that it was before."""
    facts = table.stat()
    return [facts.st_size, facts.st_mtime_ns]


def describe(folder: WorkFolder, table: str) -> TableDescription | None:
    """Return what is known of the table called ``table``; None if it was not read, or has changed since."""
    try:
        content = json.loads(description_path(folder, table).read_text(encoding="utf-8"))
        if content["signature"] != signature(folder.existing(table)):
            return None
        first = tuple(tuple(row) for row in content["first"])
        columns = tuple(content["columns"])
        return TableDescription(content["rows"], content["notes"], columns, content["remarks"], first)
    except (OSError, ValueError, KeyError, TypeError):
        return None
