"""The private deep autoencoder with its private output layer: classification of a private table."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit import checks
from tacit.checks import FloatArray
from tacit.errors import InputError
from tacit.models import printed_autoencoder as printed
from tacit.models.functional_mechanism import MomentQuery, Polynomial, released_moments, split_noise
from tacit.models.private_autoencoder import (
    because,
    layer_steps,
    noise_norm,
    public_row_norm,
    scaled_rows,
    widths,
)
from tacit.models.private_layers import Encoder, encode_stack, learn_stack, stack_arrays, stack_queries, with_constant
from tacit.privacy.account import Account, Step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.ledger import Ledger
from tacit.privacy.mechanisms import Gaussian, Laplace
from tacit.release.file import Release

KIND = "private_autoencoder_classifier"
ADJACENCY = "two tables are neighbours if one of them has one row more, with its label if it has one"


def class_targets(codes: NDArray[np.intp], n_classes: int) -> FloatArray:
    """Return targets around zero: for two classes one column of ∓1/2, else the indicator of each class minus 1/C.

    What all outputs have in common moves all scores alike, so the indicator may be centred: a shorter target.
    """
    if n_classes == 2:
        return np.asarray(codes[:, None] - 0.5, dtype=np.float64)
    return np.asarray(np.eye(n_classes)[codes] - 1 / n_classes)


def output_query(n_classes: int, n_units: int, delta: float) -> MomentQuery:
    """Return the moments the output layer needs, of ``n_units`` code units and a constant one.

    Targets have 1-norm 1/2 for two classes, else 2 (1 - 1/C), and 2-norm 1/2 or sqrt(1 - 1/C); codes have length 1.
    """
    norm, kept = noise_norm(delta), 1 - 1 / n_classes
    outputs = 1 if n_classes == 2 else n_classes
    length = 0.5 if n_classes == 2 else (2 * kept if norm == 1 else float(np.sqrt(kept)))
    return MomentQuery(outputs, n_units + 1, length, 1.0 if norm == 2 else float(np.sqrt(n_units + 1)), norm)


class PrivateAutoencoderClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Stacked private autoencoders and a private logistic output layer, by the functional mechanism.

    Protected: one record with its label, at (epsilon, delta), under adding or removing a record. Not protected: the
    list of classes, if it is read from ``y`` rather than given.

    Parameters
    ----------
    epsilon : float
        Privacy loss of one fit, over all layers.
    bounds : pair
        Public (low, high) of the features: numbers, or arrays with one number for each feature.
    delta : float, default 1e-6
        0 asks for pure epsilon, which costs far more noise (Laplace instead of Gaussian).
    hidden : sequence of int, default (30,)
        Units of each layer. An empty one leaves the output layer on the scaled features: logistic regression by the
        functional mechanism [functional].
    layer_share : float, default 0.4
        The part of the budget that the layers get, in equal parts; the output layer gets the rest.
    row_norm : float or None
        Public bound on the Euclidean norm of a row scaled to [0, 1]; longer rows are shortened. None: sqrt(p).
    classes : sequence or None
        The public list of labels. None: read from ``y`` and declared public.
    unlabelled : label or None
        The label of rows that have none, such as -1: layers learn from them, the output layer does not.
    accounting : {"sound", "paper"}
        ``"paper"`` runs Algorithm 1 of [dpa] as printed, for two classes; its card says why nothing is guaranteed.
    ledger : Ledger, path or None
        The account of the private table.
    random_state : int or None
        None for secure noise; an int repeats itself and is marked as not private.

    Attributes
    ----------
    classes_ : array [C]
    layers_ : tuple of Layer
    output_ : array [1 or C, b + 1]
        Weights of the output layer, the last for the constant unit.
    card_ : Card

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = PrivateAutoencoderClassifier(4.0, bounds=(0, X.max(axis=0)), hidden=(8,), random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.8)
    True
    """

    def __init__(
        self,
        epsilon: float,
        *,
        bounds: tuple[Any, Any],
        delta: float = 1e-6,
        hidden: Sequence[int] = (30,),
        layer_share: float = 0.4,
        row_norm: float | None = None,
        classes: Sequence[Any] | None = None,
        unlabelled: Any = None,
        accounting: Literal["sound", "paper"] = "sound",
        ledger: Ledger | str | PathLike[str] | None = None,
        random_state: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.delta = delta
        self.hidden = hidden
        self.layer_share = layer_share
        self.row_norm = row_norm
        self.classes = classes
        self.unlabelled = unlabelled
        self.accounting = accounting
        self.ledger = ledger
        self.random_state = random_state

    def plan(self, n_features: int, n_classes: int) -> list[Step]:
        """Return the queries that a fit will make; nothing is charged."""
        if checks.one_of("accounting", self.accounting, ("sound", "paper")) == "paper":
            return printed.steps(n_features, widths(self.hidden, least=1), self.epsilon)
        queries, mechanisms = self._plan(n_features, n_classes)
        output = Step(mechanisms[-1], "the moments of the output layer: labels with code", because(queries[-1]))
        return [*layer_steps(queries[:-1], mechanisms[:-1]), output]

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Charge the ledger, then learn the layers from all rows and the output layer from the labelled ones."""
        table: FloatArray
        table, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        classes, labelled, codes = self._encode(np.asarray(y))
        rows = scaled_rows(table, self.bounds, public_row_norm(self.row_norm, table.shape[1]))
        steps = self.plan(table.shape[1], len(classes))
        paper = self.accounting == "paper"
        account = Account.open(
            steps,
            # As printed, every layer spends the whole epsilon: the ledger is charged for each.
            budget=Budget(self.epsilon * len(steps), unit=Unit.RECORD) if paper else self._budget(),
            ledger=self.ledger,
            random_state=self.random_state,
            purpose="private autoencoder",
        )
        self.layers_: tuple[Encoder, ...]
        if paper:
            self.layers_, self.output_ = printed.learn(account, steps, rows, labelled, codes, hidden=self.hidden)
        else:
            self._learn(account, rows, labelled, class_targets(codes, len(classes)))
        self.classes_ = classes
        self.card_ = account.card(
            "private autoencoder",
            adjacency=ADJACENCY,
            assumptions=self._assumptions(table.shape[1]),
            not_protected=["the number of features and the list of classes"],
            warning=printed.WARNING if paper else "",
        )
        return self

    def code(self, X: ArrayLike) -> FloatArray:
        """Return the code of the last layer [N, b]."""
        check_is_fitted(self)
        table: FloatArray = validate_data(self, X, reset=False, dtype=np.float64)
        rows = scaled_rows(table, self.bounds, public_row_norm(self.row_norm, table.shape[1]))
        return encode_stack(self.layers_, rows)

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the output layer's activation [N, C]; for two classes that of the second [N]."""
        scores: FloatArray = with_constant(self.code(X)) @ self.output_.T
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return probabilities [N, C]: the sigmoid of the score for two classes, else the softmax of the scores."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        return np.asarray(softmax(scores, axis=1))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of the largest score."""
        scores = self.decision_function(X)
        codes = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def release(self) -> Release:
        """Return the file to hand out: the layers, the output layer, and the card."""
        check_is_fitted(self)
        low, high = (np.asarray(bound, dtype=float).tolist() for bound in self.bounds)
        row_norm = public_row_norm(self.row_norm, self.n_features_in_)
        settings = {"classes": self.classes_.tolist(), "low": low, "high": high, "row_norm": row_norm}
        return Release(
            kind=KIND,
            arrays={**stack_arrays(self.layers_), "output": self.output_},
            settings={**settings, "accounting": self.accounting},
            card=self.card_,
        )

    def _learn(self, account: Account, rows: FloatArray, labelled: NDArray[np.bool_], targets: FloatArray) -> None:
        n_classes = 2 if targets.shape[1] == 1 else targets.shape[1]
        queries, mechanisms = self._plan(rows.shape[1], n_classes)
        self.layers_ = learn_stack(account, queries[:-1], mechanisms[:-1], rows)
        code = with_constant(encode_stack(self.layers_, rows[labelled]))
        C, M = released_moments(account, queries[-1], mechanisms[-1], targets, code)
        # The targets are already t - 1/2, so the linear coefficients are -C.
        self.output_ = Polynomial(-C, M / 8).minimiser(ridge=queries[-1].ridge(mechanisms[-1]) / 8)

    def _budget(self) -> Budget:
        return Budget(self.epsilon, self.delta, unit=Unit.RECORD)

    def _plan(self, n_features: int, n_classes: int) -> tuple[list[MomentQuery], list[Laplace] | list[Gaussian]]:
        hidden = widths(self.hidden, least=0)
        budget = self._budget()
        queries = stack_queries(n_features, hidden, norm=noise_norm(budget.delta))
        queries.append(output_query(n_classes, (n_features, *hidden)[-1], budget.delta))
        share = checks.fraction("layer_share", self.layer_share) if hidden else 0.0
        shares = [share / max(len(hidden), 1)] * len(hidden) + [1 - share]
        return queries, split_noise(queries, shares, budget=budget)

    def _encode(self, y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_], NDArray[np.intp]]:
        """Return the classes, which rows are labelled, and the codes of those."""
        # One by one: labels of another type than the mark differ from it, and are no error.
        labelled = np.array([self.unlabelled is None or label != self.unlabelled for label in y.tolist()])
        classes = np.unique(y[labelled]) if self.classes is None else np.unique(np.asarray(self.classes))
        if len(classes) < 2:
            raise InputError(
                f"y must hold at least two classes; got {len(classes)} class. Give `classes` or more rows."
            )
        if not np.isin(y[labelled], classes).all():
            raise InputError("y must hold labels of `classes`, or the one of `unlabelled` rows; got others.")
        if self.accounting == "paper" and len(classes) > 2:
            raise InputError(f"accounting='paper' is for two classes; got {len(classes)}. Use accounting='sound'.")
        return classes, labelled, np.searchsorted(classes, y[labelled])

    def _assumptions(self, n_features: int) -> list[str]:
        row_norm = public_row_norm(self.row_norm, n_features)
        facts = ["the bounds of the features are public", f"rows are shortened to norm {row_norm:.6g}, a public number"]
        if self.unlabelled is not None:
            facts.append("a row without a label takes no part in the output layer")
        if self.classes is None:
            facts.append("the list of classes was read from the labels and is declared public")
        return facts
