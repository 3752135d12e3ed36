"""How results of audits are shown: as figures by name, and in a table."""

from typing import Any

from rich import box
from rich.table import Table

from tacit.privacy.card_content import AuditResult


def result_figures(result: AuditResult) -> dict[str, Any]:
    """Return the figures of one audit by name."""
    names = ("what", "claimed", "lower_bound", "draws", "passed")
    return {name: getattr(result, name) for name in names}


def verdict_table(title: str) -> Table:
    """Return an empty table with a column for each thing that is said of an audit."""
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("what")
    for name in ("claimed epsilon", "lower bound", "draws a side"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    return table
