"""What the tables of private linear transfer share: one source and one target measured by every method."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from tacit.arrays import FloatArray
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.models.linear.hypothesis_transfer import HypothesisTransfer
from tacit.models.linear.logistic import PrivateLogisticRegression
from tacit.models.linear.planning import SplitSettings
from tacit.models.linear.release import read_scores

DIRECT, SOURCE, SIMPLE = "Direct", "SourceD", "SimComb"
Codes = NDArray[np.integer[Any]]
Table = tuple[FloatArray, Codes]


@dataclass(frozen=True, eq=False)
class Task:
    """A private source, a private target, and rows of the target to be judged by; classes are 0 and 1."""

    source: Table
    target: Table
    test: Table
    bounds: tuple[Any, Any] | None = None

    def auc(self, scores: FloatArray) -> float:
        """Return the area under the ROC curve on the test rows."""
        return float(roc_auc_score(self.test[1], scores))


def measure(task: Task, epsilon: float, splits: dict[str, FeatureSplit], *, seed: int) -> dict[str, float]:
    """Return the area under the ROC curve of every method, source and target at ``epsilon`` each.

    Every split is tried with stacking, as published, and with the average by public weights.
    """
    # Another seed for each fit: equal ones would give source and target the same noise.
    seeds = count(1000 * seed)
    X = task.test[0]

    def settings() -> dict[str, Any]:
        return {"classes": [0, 1], "bounds": task.bounds, "random_state": next(seeds)}

    direct = PrivateLogisticRegression(epsilon, **settings()).fit(*task.target)
    source = PrivateLogisticRegression(epsilon, **settings()).fit(*task.source)
    simple = HypothesisTransfer(epsilon, source=source.release(), **settings()).fit(*task.target)
    found = {
        DIRECT: task.auc(direct.decision_function(X)),
        SOURCE: task.auc(read_scores(source.release())(X)[:, 0]),
        SIMPLE: task.auc(simple.decision_function(X)),
    }
    for name, split in splits.items():
        handed = FeatureSplitClassifier(epsilon, split=split, **settings()).fit(*task.source).release()
        for aggregate in ("stack", "average"):
            model = FeatureSplitClassifier(epsilon, sources=(handed,), settings=SplitSettings(aggregate), **settings())
            found[f"{name}, {aggregate}"] = task.auc(model.fit(*task.target).decision_function(X))
    return found


def ranks(runs: list[dict[str, float]]) -> Iterator[tuple[str, float]]:
    """Yield the rank of each method, 1 for the best, averaged over ``runs``; ties share their ranks."""
    names = list(runs[0])
    values = np.array([[run[name] for name in names] for run in runs])
    above = (values[:, None, :] > values[:, :, None]).sum(axis=2)
    equal = (values[:, None, :] == values[:, :, None]).sum(axis=2)
    yield from zip(names, (above + (equal + 1) / 2).mean(axis=0).tolist(), strict=True)
