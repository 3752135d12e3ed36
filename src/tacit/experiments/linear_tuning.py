"""Private linear transfer with lambda tuned as [pptl] section 4.2 does it: by three folds of private rows, unpaid."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from tacit.experiments.linear_runs import (
    DIRECT,
    PRINTED_PRIOR_WEIGHT,
    SIMPLE,
    SOURCE,
    LinearRows,
    LinearTask,
    printed_area,
)
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.hypothesis_transfer import HypothesisTransfer
from tacit.models.linear.logistic import PrivateLogisticRegression
from tacit.models.two_class_problems import unit_rows

FOLDS = 3
STRENGTHS = (0.001, 0.01, 0.1, 1.0)
TUNED = "tuned by three folds, unpaid"
PUBLIC = "logistic regression, not private"

# The area under the ROC curve that a task's source and target reach on its test rows, by lambda and seed.
Learner = Callable[[LinearTask, float, int], float]


def tuned_areas(task: LinearTask, epsilon: float, splits: dict[str, FeatureSplit], *, seed: int) -> dict[str, float]:
    """Return the area under the ROC curve of each published method, lambda the best of ``STRENGTHS`` on three folds.

    The folds are read without noise, so none of these keeps the epsilon that it names. Source and target have the same
    lambda, as do all groups of an algorithm.
    """
    learners: dict[str, Learner] = {
        DIRECT: partial(_direct, epsilon),
        SIMPLE: partial(_simple, epsilon),
        **{name: partial(_split, epsilon, split) for name, split in splits.items()},
    }
    areas = {name: _tuned(learner, task, _target_folds(task, seed), seed) for name, learner in learners.items()}
    # Weights of the source alone are tuned where they are learned.
    alone = LinearTask(task.source, task.source, task.test, task.bounds)
    areas[SOURCE] = _tuned(learners[DIRECT], alone, _target_folds(alone, seed), seed)
    return {f"{name}, {TUNED}": area for name, area in areas.items()}


def _tuned(learner: Learner, task: LinearTask, folds: list[LinearTask], seed: int) -> float:
    means = [np.mean([learner(fold, strength, seed) for fold in folds]) for strength in STRENGTHS]
    return learner(task, STRENGTHS[int(np.argmax(means))], seed)


def _target_folds(task: LinearTask, seed: int) -> list[LinearTask]:
    """Return the task three times: two thirds of its target to learn from, the last third to be judged by."""
    return [LinearTask(task.source, learned, judged, task.bounds) for learned, judged in _folds(*task.target, seed)]


def _folds(X: Any, y: Any, seed: int) -> Iterator[tuple[LinearRows, LinearRows]]:
    for learned, judged in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(X, y):
        yield (X[learned], y[learned]), (X[judged], y[judged])


def _settings(task: LinearTask, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the same settings with another seed for each fit: equal ones would draw the same noise."""
    for each in count(1000 * seed):
        yield {"classes": [0, 1], "bounds": task.bounds, "random_state": each}


def _direct(epsilon: float, task: LinearTask, strength: float, seed: int) -> float:
    settings = next(_settings(task, seed))
    model = PrivateLogisticRegression(epsilon, regularization=strength, **settings).fit(*task.target)
    return task.auc(model.decision_function(task.test[0]))


def _simple(epsilon: float, task: LinearTask, strength: float, seed: int) -> float:
    settings = _settings(task, seed)
    source = PrivateLogisticRegression(epsilon, regularization=strength, **next(settings)).fit(*task.source)
    model = HypothesisTransfer(
        epsilon,
        source=source.release(),
        prior_weight=PRINTED_PRIOR_WEIGHT,
        regularization=strength,
        **next(settings),
    ).fit(*task.target)
    return task.auc(model.decision_function(task.test[0]))


def _split(epsilon: float, split: FeatureSplit, task: LinearTask, strength: float, seed: int) -> float:
    return printed_area(task, epsilon, split, strength, seed=seed)


def public_area(task: LinearTask) -> float:
    """Return the area of logistic regression of the target without any privacy, the line in [pptl] Figure 3."""
    X, y = task.target
    model = LogisticRegression(max_iter=1000).fit(unit_rows(X), y)
    return task.auc(model.decision_function(unit_rows(task.test[0])))
