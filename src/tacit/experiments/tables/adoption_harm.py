"""What adopting releases that deserve no trust costs, in area under the ROC curve against learning alone."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tacit.experiments.harm_runs import SETS, change, harm_case
from tacit.experiments.results import ResultRow, mean_row

TABLES = ("made up", "digits", "breast cancer")
DRAWS = 8
LABELS = (0, 10, 20, 50, 100, 200)
QUICK: dict[str, Any] = {"TABLES": ("made up",), "DRAWS": 1, "LABELS": (20,)}


def rows() -> Iterator[ResultRow]:
    """Yield the mean change for each set of releases, share of positives and number of labels, then over all.

    Without labels, releases of noise and of shuffled labels are refused, which costs nothing; that labels are flipped,
    or those of another question, cannot be known then, so the others are not run.
    """
    every: list[float] = []
    for rare in (False, True):
        cases = [harm_case(table, draw, rare=rare) for table in TABLES for draw in range(DRAWS)]
        share = "5 % positives" if rare else "as many positives as the table has"
        for names in SETS:
            for n_labels in LABELS:
                if n_labels == 0 and not set(names) <= {"noise", "shuffled"}:
                    continue
                changes = [change(case, names, n_labels) for case in cases if case.can_judge(n_labels)]
                values = [0.0 if each is None else each["adopted"] - each["alone"] for each in changes]
                every += values
                yield mean_row(" + ".join(names), f"{share}, {n_labels} labels", values, metric="change of ROC AUC")
    yield ResultRow("all", "mean", "change of ROC AUC", float(np.mean(every)), float(np.std(every)), len(every))
    yield ResultRow("all", "worst single run", "change of ROC AUC", float(np.min(every)), 0.0, len(every))
