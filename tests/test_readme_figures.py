"""README's table of results is made of the kept figures, to the digit."""

import json
from pathlib import Path

ROOT = Path(__file__).parent.parent
FIGURES = json.loads((ROOT / "docs/papers/figures/tables-classify.json").read_text())["rows"]
TABLES = ("adult", "bank", "flights")
EPSILONS = ("0.1", "1", "3")
# Rows of the table: as README calls a method, and as the figures do.
PRIVATE = {
    "**tacit**, additive release": "tacit, additive release",
    "**tacit**, `PrivateLogisticRegression`": "tacit, logistic regression",
    "DP-EBM (interpret)": "DP-EBM",
    "Opacus, logistic regression": "Opacus linear",
    "diffprivlib, logistic regression": "diffprivlib",
}
OPEN = {"linear model, no privacy": "linear model, no privacy", "boosting, no privacy": "boosting, no privacy"}


def figure(method: str, setting: str, metric: str = "ROC AUC without labels") -> float:
    (row,) = [
        each for each in FIGURES if (each["method"], each["setting"], each["metric"]) == (method, setting, metric)
    ]
    return float(row["mean"])


def digits(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def table() -> list[str]:
    lines = []
    for name, method in PRIVATE.items():
        cells = [" / ".join(digits(figure(method, f"{t}, epsilon {e}")) for e in EPSILONS) for t in TABLES]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    for name, method in OPEN.items():
        lines.append(f"| {name} | {' | '.join(digits(figure(method, t)) for t in TABLES)} |")
    return lines


def test_the_table_in_readme_has_the_kept_figures() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    _, _, part = readme.partition("## What it brings")
    shown = [line for line in part.partition("\n## ")[0].splitlines() if line.startswith("| ")]
    expected = table()
    assert shown[2:] == expected, "figures were measured again; the lines are now:\n" + "\n".join(expected)


def test_what_readme_says_of_the_table_is_so() -> None:
    release, logistic, opacus = "tacit, additive release", "tacit, logistic regression", "Opacus linear"
    for name in TABLES:
        for epsilon in EPSILONS:
            setting = f"{name}, epsilon {epsilon}"
            assert figure(release, setting) > max(figure(each, setting) for each in ("DP-EBM", opacus, "diffprivlib"))
        # What loses: privacy costs something against boosting, and the linear model against Opacus from epsilon 1 on.
        assert figure(release, f"{name}, epsilon 3") < figure("boosting, no privacy", name)
        assert figure(logistic, f"{name}, epsilon 3") < figure(opacus, f"{name}, epsilon 3")
    runs = {each["method"]: each["runs"] for each in FIGURES if each["setting"].endswith("epsilon 1")}
    assert (runs[release], runs[logistic]) == (5, 5)
    assert max(runs[each] for each in ("DP-EBM", opacus, "diffprivlib")) <= 2
