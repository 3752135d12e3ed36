"""A private deep autoencoder as a transformer: every layer reads the table once, through noise."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit import checks
from tacit.arrays import Arrays, FloatArray
from tacit.data.bounds import clip_rows, to_unit_cube
from tacit.data.schema import Schema
from tacit.errors import InputError, ReleaseError
from tacit.models.autoencoder.functional_mechanism import MomentQuery, Norm, split_noise
from tacit.models.autoencoder.layers import (
    Asked,
    Layer,
    encode_stack,
    learn_stack,
    read_stack,
    stack_arrays,
    stack_asked,
    stack_queries,
    stack_shares,
)
from tacit.privacy.account import Account, Step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.ledger import LedgerLike
from tacit.releases.file import Release

KIND = "private_autoencoder"
ADJACENCY = "two tables are neighbours if one of them has one row more"


def widths(hidden: Sequence[int], *, least: int) -> tuple[int, ...]:
    """Return ``hidden`` as whole numbers, at least ``least`` of them."""
    try:
        given = tuple(checks.whole("hidden", width) for width in hidden)
    except TypeError:
        raise InputError(f"hidden must be a sequence of whole numbers such as (30,); got {hidden!r}.") from None
    if len(given) < least:
        raise InputError(f"hidden must name at least {least} layer's width; got none.")
    return given


def noise_norm(delta: float) -> Norm:
    """Return the norm of the noise: 1 (Laplace) for pure epsilon, 2 (Gaussian) with a delta."""
    return 1 if delta == 0 else 2


def public_row_norm(row_norm: float | None, n_features: int) -> float:
    """Return the bound on a row's length in the unit cube: sqrt(p), which shortens none, unless one is given."""
    return math.sqrt(n_features) if row_norm is None else checks.positive("row_norm", row_norm)


def scaled_rows(X: FloatArray, bounds: tuple[Any, Any], row_norm: float) -> FloatArray:
    """Return the rows in the unit cube, shortened to ``row_norm`` and divided by it: nonnegative, length at most 1."""
    return clip_rows(to_unit_cube(X, bounds), row_norm) / row_norm


def layer_steps(asked: Sequence[Sequence[Asked]]) -> list[Step]:
    """Return the planned releases of each layer."""
    return [
        Step(mechanism, f"the {what} of layer {depth}", because(query))
        for depth, layer in enumerate(asked, start=1)
        for what, (query, mechanism) in zip(
            ("moments of input and public code", "summed input and its count"), layer, strict=False
        )
    ]


def because(query: MomentQuery) -> str:
    """Return the sentence that makes the sensitivity of ``query`` true."""
    return (
        f"adding one row whose target has {query.norm}-norm at most {query.target_norm:.6g} and whose code has "
        f"{query.norm}-norm at most {query.hidden_norm:.6g} moves the products, those of the code weighted "
        f"{query.weight:g}, by at most {query.sensitivity:.6g}"
    )


class PrivateAutoencoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Features learned from a private table by stacked autoencoders, for use in a pipeline.

    Each layer codes its rows in public random directions, releases the products of rows and codes once, and ties its
    encoder to the decoder that reconstructs the rows best from those noisy products: [dpa] made sound. Under pure
    epsilon half of its budget goes to the sum of the rows, which such noise leaves readable for longer.

    Protected: one record, at (epsilon, delta), under adding or removing a record. Not protected: nothing but the number
    of features is read openly.

    Parameters
    ----------
    epsilon : float
        Privacy loss of one fit, over all layers.
    bounds : pair
        Public (low, high) of the features: numbers, or arrays with one number for each feature.
    delta : float, default 1e-6
        0 asks for pure epsilon, which costs far more noise (Laplace instead of Gaussian).
    hidden : sequence of int, default (30,)
        Units of each layer. The budget is split equally between the layers.
    row_norm : float or None
        Public bound on the Euclidean norm of a row scaled to [0, 1]; longer rows are shortened. None: sqrt(p), which
        shortens none.
    ledger : Ledger, path or None
        The account of the private table.
    random_state : int or None
        None for secure noise; an int repeats itself and is marked as not private.

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

    def __init__(
        self,
        epsilon: float,
        *,
        bounds: tuple[Any, Any],
        delta: float = 1e-6,
        hidden: Sequence[int] = (30,),
        row_norm: float | None = None,
        ledger: LedgerLike = None,
        random_state: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.delta = delta
        self.hidden = hidden
        self.row_norm = row_norm
        self.ledger = ledger
        self.random_state = random_state

    def plan(self, n_features: int) -> list[Step]:
        """Return the queries that a fit on ``n_features`` columns will make; nothing is charged."""
        return list(self.plan_layers(n_features).steps)

    def plan_layers(self, n_features: int) -> "PlannedLayers":
        """Return the queries of each layer for tables of ``n_features`` columns; nothing is charged."""
        asked = self._plan(n_features)
        return PlannedLayers(self, asked, tuple(layer_steps(asked)))

    def fit(
        self,
        X: ArrayLike,
        y: object = None,  # noqa: ARG002 - scikit-learn's signature
        *,
        plan: "PlannedLayers | None" = None,
        purpose: str = "private autoencoder",
    ) -> Self:
        """Charge the ledger, then learn each layer from its noisy moments.

        ``plan`` is the result of ``plan_layers`` for this number of columns, if it was made before; None: made here.
        """
        table: FloatArray = validate_data(self, X, dtype=np.float64)
        row_norm = public_row_norm(self.row_norm, table.shape[1])
        rows = scaled_rows(table, self.bounds, row_norm)
        planned = self.plan_layers(table.shape[1]) if plan is None else plan
        account = Account.open(
            planned.steps,
            budget=self._budget(),
            ledger=self.ledger,
            random_state=self.random_state,
            purpose=purpose,
        )
        self.layers_ = learn_stack(account, planned.asked, rows)
        self.card_ = account.card(
            "private autoencoder",
            adjacency=ADJACENCY,
            assumptions=[
                "the bounds of the features are public",
                f"rows are shortened to norm {row_norm:.6g}, a public number",
                "the directions of each layer's first code are public",
            ],
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

    def stack(self) -> "EncoderStack":
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
            hidden = widths([layer.n_units for layer in stack.layers], least=1)
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
        check_is_fitted(self)
        table: FloatArray = validate_data(self, X, reset=False, dtype=np.float64)
        return scaled_rows(table, self.bounds, public_row_norm(self.row_norm, table.shape[1]))

    def _budget(self) -> Budget:
        return Budget(self.epsilon, self.delta, unit=Unit.RECORD)

    def _plan(self, n_features: int) -> list[list[Asked]]:
        budget = self._budget()
        queries = stack_queries(n_features, widths(self.hidden, least=1), norm=noise_norm(budget.delta))
        every = [query for layer in queries for query in layer]
        return stack_asked(queries, split_noise(every, stack_shares(queries, 1.0), budget=budget))


@dataclass(frozen=True, eq=False)
class PlannedLayers:
    """The queries of a fit, made once: which estimator asks them, by layer, and as steps of an account."""

    planned_by: PrivateAutoencoder
    asked: list[list[Asked]]
    steps: tuple[Step, ...]

    def estimator(self, *, ledger: LedgerLike, random_state: int | None) -> PrivateAutoencoder:
        """Return an unfitted copy of the estimator with this ledger and source of noise."""
        copy: PrivateAutoencoder = clone(self.planned_by)
        copy.set_params(ledger=ledger, random_state=random_state)
        return copy


@dataclass(frozen=True, eq=False)
class EncoderStack:
    """Fitted layers, the public bounds of their input, and the public norm that rows are shortened to."""

    layers: tuple[Layer, ...]
    bounds: tuple[Any, Any]
    row_norm: float

    @property
    def n_columns(self) -> int:
        """Columns of the input."""
        return int(self.layers[0].weights.shape[0])

    def __call__(self, X: FloatArray) -> FloatArray:
        """Return the code [N, b] of the last layer: rows of length 1."""
        return encode_stack(self.layers, scaled_rows(X, self.bounds, self.row_norm))

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        low, high = (np.asarray(bound, dtype=float).tolist() for bound in self.bounds)
        return stack_arrays(self.layers), {"low": low, "high": high, "row_norm": self.row_norm}

    @classmethod
    def from_parts(cls, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> "EncoderStack":
        """Return the stack that ``to_parts`` took apart."""
        bounds = np.asarray(settings["low"]), np.asarray(settings["high"])
        return cls(read_stack(arrays), bounds, checks.positive("row_norm", settings["row_norm"]))
