"""Linear regression of a private table by the functional mechanism: the objective's coefficients, once, with noise."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from tacit.arrays import FloatArray
from tacit.models.autoencoder.functional_mechanism import MomentQuery, released_moments, split_noise, squared_error
from tacit.models.autoencoder.layers import with_constant
from tacit.models.autoencoder.planning import because, noise_norm
from tacit.models.bounded_rows import bound_lists, public_row_norm, scaled_rows, to_unit_cube
from tacit.models.class_labels import fitted_rows
from tacit.models.estimator_input import validate_data
from tacit.models.per_person import PersonMixin, promised_plan
from tacit.models.private_estimator import PrivateEstimator
from tacit.models.row_weights import assumed_weights, weighted_rows
from tacit.models.scikit_learn import RegressorMixin
from tacit.privacy.account import Plan, Step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.mechanisms import Gaussian, Laplace
from tacit.releases.file import Release

KIND = "private_linear"
ADJACENCY = "two tables are neighbours if one of them has one row more, with its target"


@dataclass(eq=False, repr=False, kw_only=True)
class PrivateLinearRegression(RegressorMixin, PersonMixin, PrivateEstimator):
    """Least squares on a private table: [functional] with one query, exact noise, and a ridge as large as the noise.

    Protected: one record with its target, at (epsilon, delta), under adding or removing a record. Nothing but the
    number of features is read openly.

    Parameters
    ----------
    epsilon, ledger, random_state
        As in ``PrivateEstimator``.
    bounds, target_bounds : pair
        Public (low, high) of the features, numbers or one for each feature, and of the target. Values beyond are cut.
    delta : float, default 1e-6
        0 asks for pure epsilon, which costs far more noise (Laplace instead of Gaussian).
    row_norm : float or None
        Public bound on the Euclidean norm of a row scaled to [0, 1]; longer rows are shortened. None: sqrt(p).
    rows_per_person
        As in ``PrivateNearestMean``.

    Attributes
    ----------
    weights_ : array [p + 1]
        Weights of the scaled features and of the constant one, for a target scaled to [-1, 1].
    card_ : Card

    Examples
    --------
    >>> X = np.linspace(0, 1, 500)[:, None]
    >>> model = PrivateLinearRegression(1.0, bounds=(0, 1), target_bounds=(0, 2), random_state=0).fit(X, 2 * X[:, 0])
    >>> bool(abs(model.predict([[0.5]])[0] - 1.0) < 0.2)
    True
    """

    bounds: tuple[Any, Any]
    target_bounds: tuple[float, float]
    delta: float = 1e-6
    row_norm: float | None = None

    def plan(self, n_features: int) -> list[Step]:
        """Return the query that a fit on ``n_features`` columns will make; nothing is charged."""
        query = self._query(n_features)
        return [Step(self.mechanism(query), "the coefficients of the squared error", because(query))]

    def fit(
        self, X: ArrayLike, y: ArrayLike, *, persons: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Charge the ledger, then learn from the noisy coefficients.

        ``sample_weight`` [N] are shares in [0, 1] of a row: see `tacit.models.row_weights`.
        """
        checked = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        table, numbers, weights = weighted_rows(self, persons, sample_weight, *checked)
        H = self._code(table)
        targets = 2 * to_unit_cube(np.asarray(numbers, dtype=np.float64)[:, None], self.target_bounds) - 1
        query = self._query(table.shape[1])
        each, plan = promised_plan(self, lambda each: each.record_plan(table.shape[1]))
        mechanism = each.mechanism(query)
        account = self._open(plan, "linear regression")
        C, M = released_moments(account, query, mechanism, targets, H, weights=weights)
        self.weights_ = squared_error(C, M).minimiser(ridge=query.ridge(mechanism))[0]
        public = "the bounds of features and target are public, and so is the length rows are shortened to"
        assumptions = [public, *assumed_weights(weights)]
        self.card_ = account.card(
            "linear regression", adjacency=ADJACENCY, assumptions=assumptions, not_protected=["the number of features"]
        )
        return self

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the expected target of each row."""
        H = self._code(fitted_rows(self, X))
        low, high = self.target_bounds
        return np.asarray(low + (H @ self.weights_ + 1) * (high - low) / 2)

    def release(self) -> Release:
        """Return the file to hand out: the weights and the card."""
        check_is_fitted(self)
        settings = {
            **bound_lists(self.bounds),
            "target_bounds": [float(bound) for bound in self.target_bounds],
            "row_norm": public_row_norm(self.row_norm, self.n_features_in_),
        }
        return Release(kind=KIND, arrays={"weights": self.weights_}, settings=settings, card=self.card_)

    def record_plan(self, n_features: int) -> Plan:
        """Return what a fit is charged, per record."""
        return Plan(self._budget(), tuple(self.plan(n_features)), n_features)

    def _budget(self) -> Budget:
        return Budget(self.epsilon, self.delta, unit=Unit.RECORD)

    def _query(self, n_features: int) -> MomentQuery:
        """Return the moments of a target in [-1, 1] and rows of length at most 1 with a constant."""
        norm = noise_norm(self._budget().delta)
        return MomentQuery(1, n_features + 1, 1.0, 1.0 if norm == 2 else float(np.sqrt(n_features + 1)), norm)

    def mechanism(self, query: MomentQuery) -> Laplace | Gaussian:
        """Return the noise of the coefficients, per record."""
        (mechanism,) = split_noise([query], [1.0], budget=self._budget())
        return mechanism

    def _code(self, table: FloatArray) -> FloatArray:
        """Return the scaled rows with a constant unit [N, p + 1]."""
        return with_constant(scaled_rows(table, self.bounds, public_row_norm(self.row_norm, table.shape[1])))
