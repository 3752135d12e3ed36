"""Boosted shallow trees as plain arrays: learned by scikit-learn, stored and evaluated without it."""

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

from tacit.arrays import Codes, FloatArray, Rows
from tacit.records import record

DEPTH = 3
# Stages and learning rate with few and with many labels; of several classes each stage has a tree a class.
STAGES, RATE = 100, 0.05
MANY_LABELS, MANY_STAGES, MANY_RATE = 1000, 200, 0.1
MOST_TREES = 240
LEAST_LEAF = 5
COLUMN_SHARE, ROW_SHARE, MOST_ROWS = 0.6, 0.5, 10_000
BLOCK = 2048
# A class without any label scores as if it had had this many.
UNSEEN_LABELS = 0.5


def _leaf_of_answers() -> NDArray[np.intp]:
    """Return the leaf that each combination of seven answers leads to [128]; bit i is the answer of node i."""
    leaves = np.zeros(2 ** (2**DEPTH - 1), dtype=np.intp)
    for answers in range(len(leaves)):
        node = 0
        for _ in range(DEPTH):
            node = 2 * node + 1 + (answers >> node & 1)
        leaves[answers] = node - (2**DEPTH - 1)
    return leaves


LEAF_OF_ANSWERS = _leaf_of_answers()


@record
class BoostedTrees:
    """Sums of perfect binary trees of depth 3.

    Node 0 is the root, the children of node i are 2i + 1 (value at most the threshold) and 2i + 2.
    """

    columns: NDArray[np.intp]
    thresholds: NDArray[np.float32]
    """[T, 7]: what each inner node asks."""
    leaves: FloatArray
    """[T, 8]"""
    effects: FloatArray
    """[T, K]: how a tree's value enters each output."""
    start: FloatArray
    """[K]: the outputs before any tree."""

    def __call__(self, X: Rows) -> FloatArray:
        """Return the outputs [N, K]."""
        totals = np.tile(self.start, (len(X), 1))
        for first in range(0, len(X), BLOCK):
            rows = slice(first, first + BLOCK)
            # In float32, as scikit-learn compared when the trees were learned.
            columns = np.ascontiguousarray(X[rows].T, dtype=np.float32)
            totals[rows] += self._values(columns).T @ self.effects
        return totals

    def _values(self, columns: Rows) -> FloatArray:
        """Return what each tree says [T, B] of rows given column by column [p, B].

        The answers of all seven nodes are the bits of one number, by which a table gives the leaf.
        """
        values = np.empty((len(self.leaves), columns.shape[1]))
        answers, answer = np.empty((2, columns.shape[1]), dtype=np.uint8)
        tables = self.leaves[:, LEAF_OF_ANSWERS]  # [T, 128]
        for tree, nodes in enumerate(self.columns.tolist()):
            answers[:] = 0
            # The last node first: each answer moves those before it up by one bit.
            for node in reversed(range(len(nodes))):
                np.add(answers, answers, out=answers)
                np.greater(columns[nodes[node]], self.thresholds[tree, node], out=answer.view(np.bool_))
                np.bitwise_or(answers, answer, out=answers)
            np.take(tables[tree], answers, out=values[tree], mode="clip")
        return values


def learn_class_trees(X: Rows, codes: Codes, n_classes: int, *, seed: int) -> BoostedTrees:
    """Return trees whose outputs are class log-odds [N, C], learned from rows with labels of at least two classes."""
    present = np.unique(codes)
    n_outputs = 1 if len(present) == 2 else len(present)
    model = GradientBoostingClassifier(**_settings(len(X), n_outputs, seed)).fit(X, codes)
    counts = np.array([(codes == each).sum() for each in present])
    start = np.full(n_classes, np.log(UNSEEN_LABELS / len(codes)))
    start[present] = np.log(counts / len(codes))
    effects = np.zeros((n_outputs, n_classes))
    effects[np.arange(n_outputs), present[-n_outputs:]] = 1.0
    if n_outputs == 1:
        # One tree for two classes is the difference of their log-odds.
        effects[0, present] = -0.5, 0.5
    return _as_arrays(model.estimators_, model.learning_rate, start, effects)


def learn_target_trees(X: Rows, targets: FloatArray, *, seed: int) -> BoostedTrees:
    """Return trees whose one output is the mean of a numeric target."""
    model = GradientBoostingRegressor(**_settings(len(X), 1, seed)).fit(X, targets)
    return _as_arrays(model.estimators_, model.learning_rate, np.array([targets.mean()]), np.ones((1, 1)))


def _settings(n_rows: int, n_outputs: int, seed: int) -> dict[str, float | int | None]:
    stages, rate = (MANY_STAGES, MANY_RATE) if n_rows >= MANY_LABELS else (STAGES, RATE)
    return {
        "n_estimators": min(stages, MOST_TREES // n_outputs),
        "learning_rate": rate,
        "max_depth": DEPTH,
        "min_samples_leaf": LEAST_LEAF,
        "max_features": COLUMN_SHARE,
        "subsample": min(ROW_SHARE, MOST_ROWS / n_rows),
        "random_state": seed,
    }


def _as_arrays(estimators: NDArray[np.object_], rate: float, start: FloatArray, effects: FloatArray) -> BoostedTrees:
    """Return scikit-learn's trees [stages, K] as perfect ones: below an early leaf every way leads to its value."""
    n_stages, n_outputs = estimators.shape
    inner, leaves = 2**DEPTH - 1, 2**DEPTH
    columns = np.zeros((n_stages * n_outputs, inner), dtype=np.intp)
    # Nothing is above the largest number: an early leaf asks nothing.
    thresholds = np.full((n_stages * n_outputs, inner), float(np.finfo(np.float32).max))
    values = np.zeros((n_stages * n_outputs, leaves))
    for place, estimator in enumerate(estimators.ravel()):
        tree = estimator.tree_
        reached = [0] + [-1] * (inner + leaves - 1)
        for node in range(inner):
            source = reached[node]
            is_leaf = tree.children_left[source] < 0
            if not is_leaf:
                columns[place, node], thresholds[place, node] = tree.feature[source], tree.threshold[source]
            reached[2 * node + 1] = source if is_leaf else tree.children_left[source]
            reached[2 * node + 2] = source if is_leaf else tree.children_right[source]
        values[place] = rate * tree.value[reached[inner:], 0, 0]
    return BoostedTrees(columns, _rounded_down(thresholds), values, np.tile(effects, (n_stages, 1)), start)


def _rounded_down(thresholds: FloatArray) -> NDArray[np.float32]:
    """Return the largest float32 at most each threshold: a float32 is above the one if and only if above the other."""
    nearest = thresholds.astype(np.float32)
    below = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest > thresholds, below, nearest)
