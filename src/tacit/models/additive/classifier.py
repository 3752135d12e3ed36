"""Private additive classifier of mixed tables, as a scikit-learn estimator."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from tacit.arrays import FloatArray
from tacit.data.schemas.schema import Schema
from tacit.models.additive.fit import fit_classifier
from tacit.models.additive.levels import ColumnLevels
from tacit.models.additive.model import AdditiveClassifier
from tacit.models.additive.plan import AdditivePlan, plan_additive
from tacit.models.additive.release import additive_card, additive_release
from tacit.models.additive.rows import batches_of
from tacit.models.additive.table_input import PublicColumns
from tacit.models.class_labels import CLASSES_READ, encode_labels
from tacit.models.per_class import ScoreClassifierMixin
from tacit.models.per_person import PersonMixin, contributed_rows, promised_plan
from tacit.models.private_estimator import PrivateEstimator
from tacit.privacy.account import Step
from tacit.releases.file import Release


@dataclass(eq=False, repr=False, kw_only=True)
class PrivateAdditiveClassifier(ScoreClassifierMixin, PersonMixin, PrivateEstimator):
    """Additive classifier of a private table: one curve for each column, learned by noisy gradient descent.

    Protected: one record with its label, at (epsilon, delta), under adding or removing a record. Not protected: bounds
    and categories, and the list of classes if it is read from ``y`` rather than given. Missing numbers (NaN) are a
    level of their own.

    Parameters
    ----------
    epsilon, rows_per_person, ledger, random_state
        As in ``PrivateNearestMean``.
    bounds : pair or None
        Public (low, high) of the features: numbers, or arrays with one number for each feature. Values beyond are
        moved to them.
    schema : Schema or None
        Instead of bounds: public facts of mixed columns; rows are then data frames with these columns.
    delta : float, default 1e-6
    classes : sequence or None
        The public list of labels. None: read from ``y`` and declared public.

    Attributes
    ----------
    classes_ : array [C]
    model_ : AdditiveClassifier
        Curves, the noise in them, and the private check of the finished scores.
    card_ : Card

    Examples
    --------
    >>> rows, labels = [[0.1, 0.2], [0.9, 0.4]] * 500, [0, 1] * 500
    >>> model = PrivateAdditiveClassifier(1.0, bounds=(0, 1), random_state=0).fit(rows, labels)
    >>> model.predict([[0.1, 0.3], [0.9, 0.3]]).tolist()
    [0, 1]
    """

    bounds: tuple[Any, Any] | None = None
    schema: Schema | None = None
    delta: float = 1e-6
    classes: Sequence[Any] | None = None

    def plan(self, n_features: int, *, n_classes: int = 2) -> list[Step]:
        """Return the queries that a fit on ``n_features`` columns will make; nothing is charged."""
        columns = self._public.levels(n_features)
        target = class_levels(range(n_classes))
        return list(plan_additive(columns, target, epsilon=self.epsilon, delta=self.delta).steps)

    def fit(self, X: ArrayLike, y: ArrayLike, *, persons: ArrayLike | None = None) -> Self:
        """Charge the ledger, then learn the curves of ``X`` by the labels ``y``."""
        codes, columns, labels = self._public.codes_to_fit(self, X, y)
        codes, labels = contributed_rows(self, persons, codes, labels)
        classes, targets = encode_labels(labels, self.classes)
        each, charge = promised_plan(self, lambda each: each.record_plan(columns, classes).as_plan)
        plan, account = each.record_plan(columns, classes), self._open(charge, "additive classifier")
        self.model_: AdditiveClassifier = fit_classifier(batches_of(codes, targets, columns), plan, account)
        self.classes_ = classes
        self.card_ = additive_card(account, extra=() if self.classes is not None else (CLASSES_READ,))
        return self

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return calibrated class probabilities [N, C]."""
        return np.exp(self._scores(X))

    def release(self) -> Release:
        """Return the file to hand out: the curves, their noise, the check and the card."""
        check_is_fitted(self)
        return additive_release(self.model_, self.card_)

    def _scores(self, X: ArrayLike) -> FloatArray:
        """Return logarithms of calibrated class probabilities [N, C]."""
        check_is_fitted(self)
        codes = self._public.codes_to_predict(self, X, self.model_.curves.levels)
        return self.model_.log_probabilities(codes)

    def record_plan(self, columns: tuple[ColumnLevels, ...], classes: Sequence[Any] | Any) -> AdditivePlan:
        """Return what a fit draws, per record."""
        return plan_additive(columns, class_levels(classes), epsilon=self.epsilon, delta=self.delta)

    @property
    def _public(self) -> PublicColumns:
        return PublicColumns(self.bounds, self.schema)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def class_levels(classes: Sequence[Any] | Any) -> ColumnLevels:
    """Return the levels of a label with these ``classes``."""
    return ColumnLevels("class", np.zeros(0), tuple(str(one) for one in classes))
