"""A private deep autoencoder as a transformer: every layer reads the table once, through noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from tacit.arrays import FloatArray
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError
from tacit.models.autoencoder.layers import NoisyQuery, encode_stack, learn_stack, stack_queries
from tacit.models.autoencoder.planning import calibrated_stack, layer_steps, layer_widths, noise_norm
from tacit.models.autoencoder.stack import EncoderStack
from tacit.models.bounded_rows import bound_assumptions, public_row_norm, scaled_rows
from tacit.models.class_labels import fitted_rows
from tacit.models.estimator_input import validate_data
from tacit.models.per_person import PersonMixin, contributed_rows, promised_plan
from tacit.models.private_estimator import PrivateEstimator
from tacit.models.scikit_learn import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from tacit.privacy.account import Plan, Step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.ledger import LedgerLike
from tacit.records import record
from tacit.releases.file import Release

KIND = "private_autoencoder"
ADJACENCY = "two tables are neighbours if one of them has one row more"


@dataclass(eq=False, repr=False, kw_only=True)
class PrivateAutoencoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PersonMixin, PrivateEstimator):
    """Features learned from a private table by stacked autoencoders, for use in a pipeline.

    Each layer codes its rows in public random directions, releases the products of rows and codes once, and ties its
    encoder to the decoder that reconstructs the rows best from those noisy products: [dpa] made sound. Under pure
    epsilon half of its budget goes to the sum of the rows, which such noise leaves readable for longer.

    Protected: one record, at (epsilon, delta), under adding or removing a record. Not protected: nothing but the number
    of features is read openly.

    Parameters
    ----------
    epsilon, bounds, row_norm, ledger, random_state
        As in ``PrivateNearestMean``.
    delta : float, default 1e-6
        0 asks for pure epsilon, which costs far more noise (Laplace instead of Gaussian).
    hidden : sequence of int, default (30,)
        Units of each layer. The budget is split equally between the layers.
    rows_per_person
        As in ``PrivateNearestMean``.

    Attributes
    ----------
    layers_ : tuple of Layer
    card_ : Card

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, _ = load_digits(return_X_y=True)
    >>> model = PrivateAutoencoder(epsilon=1.0, bounds=(0, 16), hidden=(12,), random_state=0).fit(X)
    >>> model.transform(X).shape
    (1797, 12)
    """

    bounds: tuple[Any, Any]
    delta: float = 1e-6
    hidden: Sequence[int] = (30,)
    row_norm: float | None = None

    def plan(self, n_features: int) -> list[Step]:
        """Return the queries that a fit on ``n_features`` columns will make; nothing is charged."""
        return list(self.plan_layers(n_features).steps)

    def plan_layers(self, n_features: int) -> "PlannedLayers":
        """Return the queries of each layer for tables of ``n_features`` columns; nothing is charged."""
        budget = self._budget()
        queries = stack_queries(n_features, layer_widths(self.hidden, least=1), norm=noise_norm(budget.delta))
        layers, _ = calibrated_stack(queries, 1.0, budget=budget)
        return PlannedLayers(self, layers, tuple(layer_steps(layers)))

    def fit(
        self,
        X: ArrayLike,
        y: object = None,  # noqa: ARG002 - scikit-learn's signature
        *,
        persons: ArrayLike | None = None,
        plan: "PlannedLayers | None" = None,
        charge: Plan | None = None,
        purpose: str = "private autoencoder",
    ) -> Self:
        """Charge the ledger, then learn each layer from its noisy moments.

        ``plan`` is the result of ``plan_layers`` for this number of columns, if it was made before; None: made here.
        ``charge`` is what is charged for it, if not the plan as it is per record: its steps for another unit.
        """
        (table,) = contributed_rows(self, persons, validate_data(self, X, dtype=np.float64))
        row_norm = public_row_norm(self.row_norm, table.shape[1])
        rows = scaled_rows(table, self.bounds, row_norm)
        if plan is None:
            each, charge = promised_plan(self, lambda each: each.record_plan(table.shape[1]))
            plan = each.plan_layers(table.shape[1])
        account = self._open(charge or self.record_plan(table.shape[1]), purpose)
        self.layers_ = learn_stack(account, plan.layers, rows)
        assumptions = [*bound_assumptions(row_norm), "the directions of each layer's first code are public"]
        self.card_ = account.card(
            "private autoencoder",
            adjacency=ADJACENCY,
            assumptions=assumptions,
            not_protected=["the number of features"],
        )
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """Return the code [N, b] of the last layer: rows of length 1."""
        return encode_stack(self.layers_, self._rows(X))

    def score(self, X: ArrayLike, y: object = None) -> float:  # noqa: ARG002 - scikit-learn's signature
        """Return minus the mean squared distance between scaled rows and what the first layer keeps of them."""
        rows = self._rows(X)
        lost = rows - self.layers_[0].reconstruct(rows)
        return -float((lost**2).sum(axis=1).mean())

    def release(self, *, schema: Schema | None = None) -> Release:
        """Return the file to hand out: weights and centres of the layers, and the card.

        ``schema``, of the encoded table, lets receivers match columns by name.
        """
        arrays, settings = self.stack().to_parts()
        return Release(KIND, arrays, settings, self.card_, None if schema is None else schema.to_dict())

    def stack(self) -> EncoderStack:
        """Return the fitted layers as a plain function of rows."""
        check_is_fitted(self)
        return EncoderStack(self.layers_, self.bounds, public_row_norm(self.row_norm, self.n_features_in_))

    @classmethod
    def from_release(cls, release: Release) -> "PrivateAutoencoder":
        """Return the transformer in ``release``, for rows of any other table with the same features."""
        if release.kind != KIND:
            raise ReleaseError(f"the release is of kind {release.kind!r}; an encoder comes from a PrivateAutoencoder.")
        try:
            stack = EncoderStack.from_parts(release.arrays, release.settings)
            hidden = layer_widths([layer.n_units for layer in stack.layers], least=1)
        except (KeyError, TypeError, ValueError, InputError) as problem:
            raise ReleaseError(f"the encoder in the release is malformed: {problem}") from problem
        card = release.card
        model = cls(card.epsilon, bounds=stack.bounds, delta=card.delta, hidden=hidden, row_norm=stack.row_norm)
        model.layers_, model.card_ = stack.layers, card
        model.n_features_in_ = stack.n_columns
        return model

    @property
    def _n_features_out(self) -> int:
        return self.layers_[-1].n_units

    def _rows(self, X: ArrayLike) -> FloatArray:
        table = fitted_rows(self, X)
        return scaled_rows(table, self.bounds, public_row_norm(self.row_norm, table.shape[1]))

    def record_plan(self, n_features: int) -> Plan:
        """Return what a fit is charged, per record."""
        return Plan(self._budget(), self.plan_layers(n_features).steps, n_features)

    def _budget(self) -> Budget:
        return Budget(self.epsilon, self.delta, unit=Unit.RECORD)


@record
class PlannedLayers:
    """The queries of a fit, made once: which estimator asks them, by layer, and as steps of an account."""

    planned_by: PrivateAutoencoder
    layers: list[list[NoisyQuery]]
    steps: tuple[Step, ...]

    def estimator(self, *, ledger: LedgerLike, random_state: int | None) -> PrivateAutoencoder:
        """Return an unfitted copy of the estimator with this ledger and source of noise."""
        copy: PrivateAutoencoder = clone(self.planned_by)
        copy.set_params(ledger=ledger, random_state=random_state)
        return copy
