"""The table of joint releases in docs/federation.md holds the recorded figures."""

import json
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
OFFERS = ("joint", "separate", "pooled, one noise")
OTHERS = ("labels alone", "logistic regression on the owners' open rows")


def recorded() -> dict[tuple[str, str, str], dict[str, Any]]:
    rows = json.loads((DOCS / "papers" / "figures" / "joint-owners.json").read_text(encoding="utf-8"))["rows"]
    return {(row["setting"], row["method"], row["metric"]): row for row in rows}


def test_the_documented_figures_are_those_on_record() -> None:
    rows = recorded()

    def mean(setting: str, method: str) -> str:
        row = rows.get((setting, method, "ROC AUC"))
        return "" if row is None else f"{row['mean']:.3f}"

    def difference(setting: str, method: str) -> str:
        row = rows[setting, f"joint less {method}", "difference of ROC AUC"]
        return f"{row['mean']:+.3f} ± {row['std'] / (row['runs'] - 1) ** 0.5:.3f}"

    cells = [
        [
            setting,
            *(mean(setting, method) for method in OFFERS),
            *(difference(setting, method) for method in OFFERS[1:]),
            *(mean(setting, method) for method in OTHERS),
        ]
        for setting in dict.fromkeys(setting for setting, *_ in rows)
    ]
    page = (DOCS / "federation.md").read_text(encoding="utf-8")
    table = page[page.index("| receiver | joint |") :]
    lines = [line.strip("| ").split(" | ") for line in table.splitlines()[2 : 2 + len(cells)]]
    assert [[cell.strip() for cell in line] for line in lines] == cells


def test_what_is_said_of_the_differences_follows_from_them() -> None:
    differences = [row for row in recorded().values() if row["metric"] == "difference of ROC AUC"]
    assert {row["runs"] for row in differences} == {10}
    pooled = [row for row in differences if row["method"] == "joint less pooled, one noise"]
    assert [row["setting"] for row in pooled if row["mean"] < -0.01] == ["heart: hungarian, 0 labels"]
    separate = [row for row in differences if row["method"] == "joint less separate"]
    below = [row for row in separate if row["mean"] < 0]
    assert (len(separate), len(below)) == (17, 4)
    assert all(row["mean"] > -1.4 * row["std"] / 3 for row in below)
