"""The table of joint releases in docs/federation.md holds the recorded figures."""

import json
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
METHODS = ("joint", "separate", "pooled, one noise", "labels alone", "logistic regression on the owners' open rows")


def test_the_documented_figures_are_those_on_record() -> None:
    recorded = json.loads((DOCS / "papers" / "figures" / "joint-owners.json").read_text(encoding="utf-8"))["rows"]
    means = {(row["setting"], row["method"]): f"{row['mean']:.3f}" for row in recorded}
    settings = list(dict.fromkeys(row["setting"] for row in recorded))
    cells = [[setting, *(means.get((setting, method), "") for method in METHODS)] for setting in settings]
    page = (DOCS / "federation.md").read_text(encoding="utf-8")
    table = page[page.index("| receiver | joint |") :]
    lines = [line.strip("| ").split(" | ") for line in table.splitlines()[2 : 2 + len(cells)]]
    assert [[cell.strip() for cell in line] for line in lines] == cells
