"""Nearest class mean from noisy sums and counts: the smallest record-level private classifier."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from tacit.arrays import FloatArray
from tacit.models.bounded_rows import bound_assumptions, bound_lists, public_row_norm, shortened_rows, to_unit_cube
from tacit.models.class_labels import CLASSES_READ, checked_rows, encode_labels, fitted_rows
from tacit.models.class_moments.features import ADJACENCY, class_sums_query, count_weight, sums_mechanism
from tacit.models.per_class import ScoreClassifierMixin
from tacit.models.per_person import PersonMixin, promised_plan
from tacit.models.private_estimator import PrivateEstimator
from tacit.models.row_weights import assumed_weights, weighted_rows
from tacit.privacy.account import Plan, Step
from tacit.privacy.budget import Budget, Unit
from tacit.releases.file import Release

KIND = "class_means"


@dataclass(eq=False, repr=False, kw_only=True)
class PrivateNearestMean(ScoreClassifierMixin, PersonMixin, PrivateEstimator):
    """Nearest class mean of a private table.

    Protected: one record with its label, at (epsilon, delta), under adding or removing a record. Not protected: the
    list of classes, if it is read from ``y`` rather than given.

    Parameters
    ----------
    epsilon, ledger, random_state
        As in ``PrivateEstimator``.
    bounds : pair
        Public (low, high) of the features: numbers, or arrays with one number for each feature.
    delta : float, default 1e-6
    row_norm : float or None
        Public bound on the Euclidean norm of a row scaled to [0, 1]; longer rows are shortened. None: sqrt(p), which
        shortens none.
    classes : sequence or None
        The public list of labels. None: read from ``y`` and declared public.
    rows_per_person : int or None
        None: epsilon protects one record. K, a public number: it protects one person, with noise for K rows at once;
        ``fit(X, y, persons=names)`` says whose row each is, and at most K of each are read, chosen by a key.

    Attributes
    ----------
    classes_ : array [C]
    means_ : array [C, p]
        Noisy class means in the scaled cube.
    counts_ : array [C]
        Noisy class sizes.
    card_ : Card

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PrivateNearestMean(epsilon=5.0, bounds=(0, 8), random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.8)
    True
    """

    bounds: tuple[Any, Any]
    delta: float = 1e-6
    row_norm: float | None = None
    classes: Sequence[Any] | None = None

    def plan(self, n_features: int) -> list[Step]:
        """Return the queries that a fit on ``n_features`` columns will make; nothing is charged."""
        row_norm = public_row_norm(self.row_norm, n_features)
        mechanism = sums_mechanism(self.epsilon, self.delta, row_norm=row_norm, n_features=n_features)
        because = (
            f"adding one row of norm at most {row_norm:.6g} moves one class sum by at most that and one count by 1, "
            f"weighted {count_weight(row_norm):g}"
        )
        return [Step(mechanism, "the sum of rows and the number of rows of each class", because)]

    def fit(
        self, X: ArrayLike, y: ArrayLike, *, persons: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Charge the ledger, then release noisy sums and counts of ``X`` by the labels ``y``.

        ``sample_weight`` [N] are shares in [0, 1] of a row: see `tacit.models.row_weights`.
        """
        table, labels, weights = weighted_rows(self, persons, sample_weight, *checked_rows(self, X, y))
        classes, codes = encode_labels(labels, self.classes)
        row_norm = public_row_norm(self.row_norm, table.shape[1])
        rows = shortened_rows(table, self.bounds, row_norm)
        _, plan = promised_plan(self, lambda each: each.record_plan(table.shape[1]))
        account = self._open(plan, "class means")
        query = class_sums_query(rows, codes, len(classes), weights, row_norm=row_norm)
        weight = count_weight(row_norm)
        noisy = account.release(plan.steps[0].mechanism, query)
        self.classes_ = classes
        self.counts_ = np.maximum(noisy[:, -1] / weight, 1.0)
        self.means_ = np.clip(noisy[:, :-1] / self.counts_[:, None], 0.0, 1.0)
        self.card_ = account.card(
            "class means",
            adjacency=ADJACENCY,
            assumptions=[
                *bound_assumptions(row_norm),
                *([CLASSES_READ] if self.classes is None else []),
                *assumed_weights(weights),
            ],
            not_protected=["the number of features and the list of classes"],
        )
        return self

    def release(self) -> Release:
        """Return the file to hand out: noisy means and counts, and the card."""
        check_is_fitted(self)
        return Release(
            kind=KIND,
            arrays={"means": self.means_, "counts": self.counts_},
            settings={"classes": self.classes_.tolist(), **bound_lists(self.bounds)},
            card=self.card_,
        )

    def record_plan(self, n_features: int) -> Plan:
        """Return what a fit is charged, per record."""
        return Plan(Budget(self.epsilon, self.delta, unit=Unit.RECORD), tuple(self.plan(n_features)), n_features)

    def _scores(self, X: ArrayLike) -> FloatArray:
        """Return negative squared distances to the means [N, C] without |x|², which all classes share."""
        rows = to_unit_cube(fitted_rows(self, X), self.bounds)
        scores: FloatArray = 2 * rows @ self.means_.T - (self.means_**2).sum(axis=1)
        return scores
