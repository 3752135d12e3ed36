"""The simple combination: private logistic regression that starts from released weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from tacit.arrays import FloatArray
from tacit.models.class_labels import fitted_rows
from tacit.models.estimator_input import full_labels, validate_data
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.models.linear.planning import SplitSettings
from tacit.models.per_class import ScoreClassifierMixin
from tacit.models.per_person import PersonMixin
from tacit.models.private_estimator import PrivateEstimator
from tacit.models.two_class_problems import class_probabilities
from tacit.privacy.budget import Relation
from tacit.releases.file import Release

# Parameters that the feature-split classifier takes as its settings.
_SETTINGS = ("prior_weight", "regularization", "relation")


@dataclass(eq=False, repr=False, kw_only=True)
class HypothesisTransfer(ScoreClassifierMixin, PersonMixin, PrivateEstimator):
    """Logistic regression of a private table that stays close to the weights of another one: [pptl] Alg. 2, SimComb.

    Protected: one record of our own table with its label, at pure epsilon, under replacing a record. The source is
    protected by its own release. Not protected: the number of rows and, unless given, the list of classes.

    Parameters
    ----------
    source : Release or None
        Weights of all features as one group, from ``PrivateLogisticRegression``. None: learn alone.
    prior_weight : float or None
        1 - eta of [pptl] eq. 6, in [0, 1]. None: by the public rule of ``trust``.
    epsilon, regularization, bounds, row_norm, classes, n_rows, relation, rows_per_person, ledger, random_state
        As in ``PrivateLogisticRegression``.

    Attributes
    ----------
    classes_ : array [C]
    coef_ : array [R, p]
    card_ : Card
    """

    source: Release | None = None
    prior_weight: float | None = None
    regularization: float | None = None
    bounds: tuple[Any, Any] | None = None
    row_norm: float | None = None
    classes: Sequence[Any] | None = None
    n_rows: int | None = None
    relation: Relation | str | None = None

    def fit(self, X: ArrayLike, y: ArrayLike, *, persons: ArrayLike | None = None) -> Self:
        """Charge the ledger, then release the weights learned from ``X``, ``y`` and the source."""
        table, y = validate_data(self, X, full_labels(self, y), dtype=np.float64)
        self.model_ = self._one_group(table.shape[1]).fit(table, y, persons=persons)
        self.classes_, self.card_ = self.model_.classes_, self.model_.card_
        self.coef_ = self.model_.scores_.weights
        return self

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C]."""
        return class_probabilities(self._scores(X))

    def release(self) -> Release:
        """Return the file to hand out: the weights and the card."""
        check_is_fitted(self)
        return self.model_.release()

    def _one_group(self, n_features: int) -> FeatureSplitClassifier:
        """Return the feature-split classifier whose one group holds all features."""
        parameters = self.get_params(deep=False)
        source = parameters.pop("source")
        settings = SplitSettings(**{name: parameters.pop(name) for name in _SETTINGS})
        return FeatureSplitClassifier(
            split=FeatureSplit.whole(n_features),
            sources=() if source is None else (source,),
            settings=settings,
            **parameters,
        )

    def _scores(self, X: ArrayLike) -> FloatArray:
        rows = fitted_rows(self, X)
        return self.model_.scores_(rows)
