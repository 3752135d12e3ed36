"""The table on the page of fabricated data is made of the kept figures, to the digit."""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FIGURES = json.loads((ROOT / "docs/papers/figures/tables-rows.json").read_text())["rows"]
TABLES = ("Adult", "Bank", "diamonds", "flights")
# Rows of the table: as the page calls a method, and as the figures do.
METHODS = {
    "real rows": "real rows",
    "**ours**": "fabricated from marginals",
    "`--method moments`": "fabricated from moments",
    "MST": "MST",
    "AIM": "AIM",
}


def known() -> dict[tuple[str, str, str], dict[str, Any]]:
    return {(row["method"], row["setting"].partition(",")[0], row["metric"]): row for row in FIGURES}


def line(shown: str, method: str, table: str) -> str:
    figures = {
        metric: row["mean"] for (other, name, metric), row in known().items() if (other, name) == (method, table)
    }
    areas = f"{figures['AUC, logistic regression']:.3f} | {figures['AUC, boosting']:.3f}"
    distances = f"{figures['TV1']:.4f} / {figures['TV2']:.3f} / {figures['TV3']:.3f}"
    rest = " | | |"
    if method != "real rows":
        draws = known()[method, table, "TV1"]["runs"]
        rest = f" {100 * figures['impossible']:.1f} % | {figures['CPU s']:.1f} | {draws} |"
    return f"| {table}, {shown} | {areas} | {distances} |{rest}"


def test_the_table_of_fabricated_rows_has_the_kept_figures() -> None:
    page = (ROOT / "docs/fabricated-data.md").read_text(encoding="utf-8")
    _, _, part = page.partition("## What to expect of mixed tables")
    shown = [each for each in part.partition("\n## ")[0].splitlines() if each.startswith("| ")]
    expected = [
        line(shown_as, method, table)
        for table in TABLES
        for shown_as, method in METHODS.items()
        if (method, table, "TV1") in known()
    ]
    assert shown[2:] == expected, "figures were measured again; the lines are now:\n" + "\n".join(expected)


def test_ours_are_better_than_the_others_on_every_table() -> None:
    figures = known()
    for table in TABLES:
        for peer in ("MST", "AIM"):
            for metric in ("TV1", "TV2", "TV3", "impossible"):
                if (peer, table, metric) in figures:
                    ours = figures["fabricated from marginals", table, metric]["mean"]
                    assert ours < figures[peer, table, metric]["mean"]
