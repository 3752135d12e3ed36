"""MNIST, digits 0 and 8 to digits 0 and 9, by the number K of groups of features; [pptl] Figure 4."""

from collections.abc import Iterator
from typing import Any

from tacit.experiments.linear_digits import RANDOM, WEIGHTED, public_view, transfer_task
from tacit.experiments.linear_runs import LinearTask, measure
from tacit.experiments.results import ResultRow, mean_rows
from tacit.models.linear.feature_split import FeatureSplit

RUNS = 30
EPSILON = 1.0
GROUPS = (1, 2, 5, 10, 20, 50)
QUICK: dict[str, Any] = {"RUNS": 2, "GROUPS": (1, 5)}


def rows() -> Iterator[ResultRow]:
    """Yield the area under the ROC curve by K, groups by importance and at random, stacked and averaged."""
    images, labels, variances = public_view()
    tasks = [transfer_task(images, labels, seed) for seed in range(RUNS)]
    for n_groups in GROUPS:
        by_variance = FeatureSplit.by_importance(variances, n_groups)
        runs = [_run(task, by_variance, n_groups, seed) for seed, task in enumerate(tasks)]
        yield from mean_rows(f"K = {n_groups}, epsilon {EPSILON:g}", runs, metric="ROC AUC")


def _run(task: LinearTask, by_variance: FeatureSplit, n_groups: int, seed: int) -> dict[str, float]:
    splits = {RANDOM: FeatureSplit.random(task.source[0].shape[1], n_groups, seed), WEIGHTED: by_variance}
    return measure(task, EPSILON, splits, seed=seed)
