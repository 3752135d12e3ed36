"""The receiver's side: nearest neighbours among its own labelled rows, in the metric that a release brings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted

from tacit import checks
from tacit.adoption.evidence.picture_evidence import Evidence
from tacit.adoption.receiver_table import LabelledReceiverMixin
from tacit.adoption.stored_model import ReceiverEstimator, stored_classes
from tacit.arrays import Arrays, Codes, FloatArray
from tacit.errors import InputError
from tacit.kinds.registry import kind_of
from tacit.models.per_class import ProbabilityClassifierMixin, best_classes
from tacit.models.schema_rows import schema_rows
from tacit.releases.file import Release
from tacit.releases.lesson import ReceiverTable


@dataclass(eq=False, repr=False, kw_only=True)
class MetricNeighbours(LabelledReceiverMixin, ProbabilityClassifierMixin, ReceiverEstimator):
    """Nearest neighbours among few labelled rows, in the released metric that serves them best.

    The plain Euclidean metric of the rows in [0, 1] takes part too, and wins where it names more of the labelled rows
    than any release does, each left out in turn. Adopting spends nothing; a fitted model holds the receiver's labelled
    rows and must not be handed out. Unlabelled rows are not used.

    Parameters
    ----------
    releases : sequence of Release
        Metrics that owners handed out, made by ``tacit release --method pairs``. Empty: the plain metric.
    schema : Schema or None
        The receiver's schema. None: columns as in the first release, or numbers in [0, 1] without one.
    n_neighbors : int, default 5
        How many labelled rows vote; all of them if there are fewer.

    Attributes
    ----------
    classes_ : array [C]
    components_ : array [d', p]
        The transformation in which neighbours are near.
    rows_, codes_ : arrays [L, p], [L]
        The labelled rows.
    evidence_ : Evidence
        What the metric did on the labelled rows: each is judged without itself, in the metric that the others chose.

    Examples
    --------
    >>> rows, labels = [[0.1, 0.5], [0.2, 0.4], [0.8, 0.5], [0.9, 0.6]], [0, 0, 1, 1]
    >>> MetricNeighbours(n_neighbors=1).fit(rows, labels).predict([[0.7, 0.5]]).tolist()
    [1]
    """

    model_kind = "neighbours_model"
    made_by = "adopting a metric of pairs"
    stored_parameters = ("n_neighbors",)
    row_type = np.float64

    n_neighbors: int = 5

    def _check_parameters(self) -> None:
        checks.whole("n_neighbors", self.n_neighbors)

    def _learn(self, table: ReceiverTable) -> None:
        """Choose the metric in which most labelled rows are named by the others."""
        rows, self.codes_ = table.X, table.codes
        self.rows_ = rows[table.labelled]
        lessons = [_metric(release, table) for release in self.releases]
        # The first of equals is chosen: a release has seen more rows than we have labels.
        metrics = [*(metric for metric, _ in lessons), np.eye(rows.shape[1])]
        left_out = np.stack([self._left_out(metric) for metric in metrics])  # [releases + 1, L]
        right = left_out == self.codes_
        best = int(right.sum(axis=1).argmax())
        self.components_ = metrics[best]
        chosen_by_others = (right.sum(axis=1, keepdims=True) - right).argmax(axis=0)
        self.evidence_ = Evidence(
            n_labelled=len(self.rows_),
            n_unlabelled=len(rows) - len(self.rows_),
            classes=tuple(self.schema_.classes),
            weights=tuple(float(place == best) for place in range(len(lessons))),
            notes=tuple(note for _, note in lessons),
            view="",
            truth=tuple(self.codes_.tolist()),
            target_only=tuple(left_out[-1].tolist()),
            view_only=tuple(left_out[-1].tolist()),
            adopted=tuple(left_out[chosen_by_others, np.arange(len(self.rows_))].tolist()),
        )

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the share of each class among the neighbours [N, C]."""
        check_is_fitted(self)
        return self._shares(X, self.components_)

    def target_only_predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row by neighbours in the plain metric, without any release."""
        check_is_fitted(self)
        return best_classes(self._shares(X, np.eye(self.n_features_in_)), self.classes_)

    def _parts(self) -> tuple[Arrays, dict[str, Any]]:
        arrays: Arrays = {
            "classes": stored_classes(self.classes_),
            "components": self.components_,
            "rows": self.rows_,
            "codes": self.codes_.astype(np.int64),
        }
        return arrays, {"n_neighbors": int(self.n_neighbors), "evidence": self.evidence_.to_dict()}

    def _restore(self, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> None:
        checks.whole("n_neighbors", self.n_neighbors)
        self.classes_ = np.asarray(arrays["classes"])
        self.components_, self.rows_ = (np.asarray(arrays[name], float) for name in ("components", "rows"))
        self.codes_ = np.asarray(arrays["codes"]).astype(np.intp)
        self.evidence_ = Evidence.from_dict(settings["evidence"])
        if {self.rows_.shape[1], self.components_.shape[1]} != {self.n_features_in_}:
            raise ValueError("its rows, its metric and its schema differ in their columns")

    def _left_out(self, metric: FloatArray) -> Codes:
        """Return the class of each labelled row by its neighbours among the others."""
        near = self._index(metric, len(self.rows_) - 1).kneighbors(return_distance=False)
        decided: Codes = self._votes(near).argmax(axis=1)
        return decided

    def _shares(self, X: ArrayLike, metric: FloatArray) -> FloatArray:
        rows = schema_rows(self, X, self.schema_, dtype=np.float64, reset=False)
        near = self._index(metric, len(self.rows_)).kneighbors(rows @ metric.T, return_distance=False)
        shares: FloatArray = self._votes(near) / near.shape[1]
        return shares

    def _index(self, metric: FloatArray, most: int) -> NearestNeighbors:
        return NearestNeighbors(n_neighbors=min(self.n_neighbors, most)).fit(self.rows_ @ metric.T)

    def _votes(self, near: Codes) -> FloatArray:
        """Return how many of the neighbours ``near`` [N, k] are of each class [N, C]."""
        votes: FloatArray = np.eye(len(self.classes_))[self.codes_[near]].sum(axis=1)
        return votes


def _metric(release: Release, table: ReceiverTable) -> tuple[FloatArray, str]:
    """Return the metric that a release teaches, and what it shares with the table."""
    lesson = kind_of(release).teach(release, table)
    if lesson.metric is None:
        raise InputError(
            f"releases must be metrics of pairs; got one of kind {release.kind!r}. Use TransferClassifier."
        )
    return lesson.metric, lesson.note
