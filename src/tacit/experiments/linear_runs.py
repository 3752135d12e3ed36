"""What the tables of private linear transfer share: one source and one target measured by every method."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ttest_rel
from sklearn.metrics import roc_auc_score

from tacit.arrays import FloatArray
from tacit.experiments.results import ResultRow
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.models.linear.hypothesis_transfer import HypothesisTransfer
from tacit.models.linear.logistic import PrivateLogisticRegression
from tacit.models.linear.planning import SplitSettings
from tacit.models.linear.release import read_scores
from tacit.records import record

DIRECT, SOURCE, SIMPLE = "Direct", "SourceD", "SimComb"
ROUNDING = 1e-12
# eta of [pptl] eq. 6, for which the paper names no value.
PRINTED_PRIOR_WEIGHT = 0.5
# Rows [N, p] and their classes [N].
LinearRows = tuple[FloatArray, NDArray[np.integer[Any]]]


@record
class LinearTask:
    """A private source, a private target, and rows of the target to be judged by; classes are 0 and 1."""

    source: LinearRows
    target: LinearRows
    test: LinearRows
    bounds: tuple[Any, Any] | None = None

    def auc(self, scores: FloatArray) -> float:
        """Return the area under the ROC curve on the test rows."""
        return float(roc_auc_score(self.test[1], scores))


def measure(task: LinearTask, epsilon: float, splits: dict[str, FeatureSplit], *, seed: int) -> dict[str, float]:
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
    areas = {
        DIRECT: task.auc(direct.decision_function(X)),
        SOURCE: task.auc(read_scores(source.release())(X)[:, 0]),
        SIMPLE: task.auc(simple.decision_function(X)),
    }
    for name, split in splits.items():
        release = FeatureSplitClassifier(epsilon, split=split, **settings()).fit(*task.source).release()
        for aggregate in ("stack", "average"):
            model = FeatureSplitClassifier(epsilon, sources=(release,), settings=SplitSettings(aggregate), **settings())
            areas[f"{name}, {aggregate}"] = task.auc(model.fit(*task.target).decision_function(X))
    return areas


def printed_area(task: LinearTask, epsilon: float, split: FeatureSplit, regularization: float, *, seed: int) -> float:
    """Return the area of [pptl] Alg. 4 as printed, half of the regularisation towards the source's weights.

    What it costs may be more than epsilon: its card says so.
    """
    seeds = count(1000 * seed)
    settings: dict[str, Any] = {"classes": [0, 1], "bounds": task.bounds}
    alone = SplitSettings(accounting="paper", regularization=regularization)
    stacked = SplitSettings("stack", PRINTED_PRIOR_WEIGHT, regularization, "paper")
    source = FeatureSplitClassifier(epsilon, split=split, settings=alone, random_state=next(seeds), **settings)
    release = source.fit(*task.source).release()
    model = FeatureSplitClassifier(
        epsilon, sources=(release,), settings=stacked, random_state=next(seeds), **settings
    ).fit(*task.target)
    return task.auc(model.decision_function(task.test[0]))


def comparable(runs: Sequence[dict[str, float]], *, level: float = 0.05) -> set[str]:
    """Return the best method and those that a paired t-test does not tell from it, as [pptl] marks its tables."""
    values = {method: np.array([run[method] for run in runs]) for method in runs[0]}
    best = max(values, key=lambda method: float(values[method].mean()))
    return {method for method, areas in values.items() if _same(areas, values[best], level)}


def _same(first: FloatArray, second: FloatArray, level: float) -> bool:
    # Differences that are all the same have no spread to test against: any difference but that of rounding tells.
    if np.ptp(first - second) <= ROUNDING:
        return bool(abs(first[0] - second[0]) <= ROUNDING)
    return bool(ttest_rel(first, second).pvalue >= level)


def ranks(runs: list[dict[str, float]]) -> Iterator[tuple[str, float]]:
    """Yield the rank of each method, 1 for the best, averaged over ``runs``; ties share their ranks."""
    names = list(runs[0])
    values = np.array([[run[name] for name in names] for run in runs])
    above = (values[:, None, :] > values[:, :, None]).sum(axis=2)
    equal = (values[:, None, :] == values[:, :, None]).sum(axis=2)
    yield from zip(names, (above + (equal + 1) / 2).mean(axis=0).tolist(), strict=True)


def rank_rows(setting: str, cases: Sequence[Sequence[dict[str, float]]], sort: str) -> Iterator[ResultRow]:
    """Yield each method's rank averaged over ``cases``, the runs of each, and in how many of them it is marked."""
    means = [{method: float(np.mean([run[method] for run in runs])) for method in runs[0]} for runs in cases]
    marked = [comparable(runs) for runs in cases]
    for method, rank in ranks(means):
        yield ResultRow(method, setting, "averaged rank", rank)
        best = float(np.mean([method in methods for methods in marked]))
        yield ResultRow(method, setting, f"share of {sort} best or not told from it (paired t-test, 95 %)", best)
