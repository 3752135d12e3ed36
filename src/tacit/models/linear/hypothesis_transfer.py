"""The simple combination: private logistic regression that starts from released weights."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.arrays import FloatArray
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.privacy.ledger import Ledger
from tacit.releases.file import Release


class HypothesisTransfer(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Logistic regression of a private table that stays close to the weights of another one: [pptl] Alg. 2, SimComb.

    Protected: one record of our own table with its label, at pure epsilon, under replacing a record. The source is
    protected by its own release. Not protected: the number of rows and, unless given, the list of classes.

    Parameters
    ----------
    epsilon : float
        Privacy loss of one fit, on our own table's ledger.
    source : Release or None
        Weights of all features as one group, from ``PrivateLogisticRegression``. None: learn alone.
    prior_weight : float or None
        1 - eta of [pptl] eq. 6, in [0, 1]. None: by the public rule of ``trust``.
    regularization, bounds, row_norm, classes, ledger, random_state
        As in ``PrivateLogisticRegression``.

    Attributes
    ----------
    classes_ : array [C]
    coef_ : array [R, p]
    card_ : Card
    """

    def __init__(
        self,
        epsilon: float,
        *,
        source: Release | None = None,
        prior_weight: float | None = None,
        regularization: float | None = None,
        bounds: tuple[Any, Any] | None = None,
        row_norm: float | None = None,
        classes: Sequence[Any] | None = None,
        n_rows: int | None = None,
        ledger: Ledger | str | PathLike[str] | None = None,
        random_state: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.source = source
        self.prior_weight = prior_weight
        self.regularization = regularization
        self.bounds = bounds
        self.row_norm = row_norm
        self.classes = classes
        self.n_rows = n_rows
        self.ledger = ledger
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Charge the ledger, then release the weights learned from ``X``, ``y`` and the source."""
        table, y = validate_data(self, X, y, dtype=np.float64)
        settings = self.get_params(deep=False)
        source = settings.pop("source")
        model = FeatureSplitClassifier(
            split=FeatureSplit.whole(table.shape[1]), sources=() if source is None else (source,), **settings
        )
        self.model_ = model.fit(table, y)
        self.classes_, self.card_ = model.classes_, model.card_
        self.coef_ = model.scores_.weights
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return margins [N] of the second of two classes, or of each class against the rest [N, C]."""
        return self._fitted().decision_function(self._rows(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row."""
        return self._fitted().predict(self._rows(X))

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C]."""
        return self._fitted().predict_proba(self._rows(X))

    def release(self) -> Release:
        """Return the file to hand out: the weights and the card."""
        return self._fitted().release()

    def _fitted(self) -> FeatureSplitClassifier:
        check_is_fitted(self)
        model: FeatureSplitClassifier = self.model_
        return model

    def _rows(self, X: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, reset=False, dtype=np.float64))
