"""Private additive regression on mixed tables, as a scikit-learn estimator."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from tacit.arrays import FloatArray
from tacit.data.schemas.schema import Schema
from tacit.models.additive.fit import fit_regression
from tacit.models.additive.levels import ColumnLevels, number_levels
from tacit.models.additive.model import AdditiveRegression, Predictions
from tacit.models.additive.plan import AdditivePlan, plan_additive
from tacit.models.additive.release import additive_card, additive_release
from tacit.models.additive.rows import batches_of
from tacit.models.additive.table_input import PublicColumns, column_bounds
from tacit.models.per_person import PersonMixin, contributed_rows, promised_plan
from tacit.models.private_estimator import PrivateEstimator
from tacit.models.scikit_learn import RegressorMixin
from tacit.privacy.account import Step
from tacit.releases.file import Release


@dataclass(eq=False, repr=False, kw_only=True)
class PrivateAdditiveRegressor(RegressorMixin, PersonMixin, PrivateEstimator):
    """Additive regression on a private table: one curve for each column, learned by noisy gradient descent.

    Protected: one record with its target, at (epsilon, delta), under adding or removing a record. Not protected: bounds
    and categories. Missing numbers (NaN) are a level of their own.

    Parameters
    ----------
    epsilon, rows_per_person, ledger, random_state
        As in ``PrivateNearestMean``.
    target_bounds : pair of float
        Public (low, high) of the target; values beyond are moved to them.
    bounds, schema, delta
        As in `PrivateAdditiveClassifier`.

    Attributes
    ----------
    model_ : AdditiveRegression
        Curves, the noise in them, and the private check of the finished predictions.
    card_ : Card

    Examples
    --------
    >>> rows = [[place / 1000] for place in range(1000)]
    >>> squares = [row[0] ** 2 for row in rows]
    >>> model = PrivateAdditiveRegressor(1.0, target_bounds=(0, 1), bounds=(0, 1), random_state=0).fit(rows, squares)
    >>> bool(model.score(rows, squares) > 0.8)
    True
    """

    target_bounds: tuple[float, float]
    bounds: tuple[Any, Any] | None = None
    schema: Schema | None = None
    delta: float = 1e-6

    def plan(self, n_features: int) -> list[Step]:
        """Return the queries that a fit on ``n_features`` columns will make; nothing is charged."""
        columns = self._public.levels(n_features)
        return list(plan_additive(columns, self._target(), epsilon=self.epsilon, delta=self.delta).steps)

    def fit(self, X: ArrayLike, y: ArrayLike, *, persons: ArrayLike | None = None) -> Self:
        """Charge the ledger, then learn the curves of ``X`` by the numbers ``y``."""
        codes, columns, numbers = self._public.codes_to_fit(self, X, y, y_numeric=True)
        codes, numbers = contributed_rows(self, persons, codes, numbers)
        target = self._target()
        each, charge = promised_plan(self, lambda each: each.record_plan(columns).as_plan)
        plan, account = each.record_plan(columns), self._open(charge, "additive regression")
        inside = np.clip(numbers.astype(np.float64), target.low, target.high)
        self.model_: AdditiveRegression = fit_regression(batches_of(codes, inside, columns), plan, account)
        self.card_ = additive_card(account)
        return self

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the predicted mean of each row, within the public bounds."""
        return self._predictions(X).mean

    def predict_spread(self, X: ArrayLike) -> FloatArray:
        """Return the standard deviation of each row's target around its prediction, noise in the model included."""
        return np.sqrt(self._predictions(X).variance)

    def release(self) -> Release:
        """Return the file to hand out: the curves, their noise, the check and the card."""
        check_is_fitted(self)
        return additive_release(self.model_, self.card_)

    def _predictions(self, X: ArrayLike) -> Predictions:
        check_is_fitted(self)
        return self.model_.predict(self._public.codes_to_predict(self, X, self.model_.curves.levels))

    def record_plan(self, columns: tuple[ColumnLevels, ...]) -> AdditivePlan:
        """Return what a fit draws, per record."""
        return plan_additive(columns, self._target(), epsilon=self.epsilon, delta=self.delta)

    @property
    def _public(self) -> PublicColumns:
        return PublicColumns(self.bounds, self.schema)

    def _target(self) -> ColumnLevels:
        low, high = column_bounds(self.target_bounds, 1)
        return number_levels("target", float(low[0]), float(high[0]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
