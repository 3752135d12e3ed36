"""Figures that were measured, kept as files: what a table yielded, how long it took, and whether it was a quick run."""

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tacit.errors import InputError
from tacit.experiments.peers import ROOT
from tacit.experiments.registry import Experiment
from tacit.experiments.results import Conditions, ResultRow
from tacit.files.atomic import write_text

# Called with each row as it is ready.
Watch = Callable[[ResultRow], None]

QUICK_RUN = "Quick run, no results. It is smaller than what follows says, which is the table in full. "


@dataclass(frozen=True)
class RecordedTable:
    """The rows that one run of a table yielded."""

    name: str
    rows: tuple[ResultRow, ...]
    conditions: Conditions
    seconds: float
    """From start to end, on the machine that ran it."""
    quick: bool = False
    """Whether it was a quick run, whose figures are no results."""

    def figure(self, method: str, setting: str, metric: str = "") -> ResultRow | None:
        """Return the row of a method in a setting, of the first metric or the given one; None if there is none."""
        for row in self.rows:
            if (row.method, row.setting) == (method, setting) and metric in ("", row.metric):
                return row
        return None

    def caption(self) -> str:
        """Return in words what the table was measured under and how long it took."""
        prefix = QUICK_RUN if self.quick else ""
        return f"{prefix}{self.conditions.to_text()} Time: {duration(self.seconds)}."


def duration(seconds: float) -> str:
    """Return a time in words, in seconds or minutes."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def run_table(
    table: Experiment, *, quick: bool = False, draws: int | None = None, watch: Watch = lambda _: None
) -> RecordedTable:
    """Run a table, or its first ``draws``, and return what it yields, with the time that it took."""
    start, rows, conditions = time.perf_counter(), [], table.conditions
    for row in table.rows(quick=quick, draws=draws):
        rows.append(row)
        watch(row)
    if draws is not None:
        conditions = replace(conditions, draws=f"{draws} so far; all: {conditions.draws}")
    return RecordedTable(table.name, tuple(rows), conditions, time.perf_counter() - start, quick)


def papers_folder() -> Path:
    """Return the folder of the pages about the papers; raise InputError if the package is not used from its sources."""
    folder = ROOT / "docs" / "papers"
    if not folder.is_dir():
        raise InputError(
            "--write refreshes the pages of docs/papers, which are part of the repository. Use tacit from a clone of "
            "it (pip install -e .), or leave --write out."
        )
    return folder


def write_recorded(table: RecordedTable, folder: Path) -> None:
    """Keep a table below the folder of the pages; a quick run is refused, for its figures are no results."""
    if table.quick:
        raise InputError("figures of a quick run are no results and are not kept. Leave --quick or --write out.")
    content = {
        "name": table.name,
        "seconds": round(table.seconds, 1),
        "conditions": asdict(table.conditions),
        "rows": [_rounded(row) for row in table.rows],
    }
    target = _path(folder, table.name)
    target.parent.mkdir(exist_ok=True)
    write_text(target, json.dumps(content, indent=1) + "\n")


def _rounded(row: ResultRow) -> dict[str, Any]:
    return row.to_dict() | {"mean": round(row.mean, 6), "std": round(row.std, 6)}


def read_recorded(name: str, folder: Path) -> RecordedTable | None:
    """Return what was kept of a table; None if nothing was."""
    path = _path(folder, name)
    if not path.is_file():
        return None
    content: Any = json.loads(path.read_text(encoding="utf-8"))
    rows = tuple(ResultRow(**row) for row in content["rows"])
    return RecordedTable(name, rows, Conditions(**content["conditions"]), content["seconds"])


def _path(folder: Path, name: str) -> Path:
    return folder / "figures" / f"{name}.json"


def recorded_tables(names: Iterable[str], folder: Path) -> dict[str, RecordedTable]:
    """Return what was kept of each table, by name."""
    kept = {name: read_recorded(name, folder) for name in names}
    return {name: table for name, table in kept.items() if table is not None}
