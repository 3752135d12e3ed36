"""The private deep autoencoder with its private output layer: classification of a private table."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit import checks
from tacit.checks import FloatArray
from tacit.errors import InputError, ReleaseError
from tacit.models import printed_autoencoder as printed
from tacit.models.class_labels import checked_rows, chosen, decisions, encode_labels
from tacit.models.functional_mechanism import MomentQuery, split_noise
from tacit.models.linear_problems import n_problems
from tacit.models.private_autoencoder import because, layer_steps, noise_norm, public_row_norm, scaled_rows, widths
from tacit.models.private_layers import (
    Asked,
    Encoder,
    Layer,
    encode_stack,
    learn_stack,
    read_stack,
    stack_arrays,
    stack_asked,
    stack_queries,
    stack_shares,
    with_constant,
)
from tacit.models.private_output import functional_output, output_query, perturbed_output, perturbed_step
from tacit.privacy.account import Account, Step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.ledger import Ledger
from tacit.privacy.mechanisms import Gaussian, Laplace
from tacit.release.file import Release

KIND = "private_autoencoder_classifier"
ADJACENCY = "two tables are neighbours if one of them has one row more, with its label if it has one"
# What the layers get of the budget: with a delta, and under pure epsilon, where the output layer needs nearly all.
LAYER_SHARE, PURE_LAYER_SHARE = 0.4, 0.1


def _functional_step(query: MomentQuery, mechanism: Laplace | Gaussian) -> Step:
    return Step(mechanism, "the moments of the output layer: labels with code", because(query))


def read_network(arrays: Mapping[str, NDArray[Any]], n_classes: int) -> tuple[tuple[Layer, ...], FloatArray]:
    """Return the layers and the output layer of a release; malformed ones are refused."""
    layers = read_stack({name: array for name, array in arrays.items() if name != "output"})
    output = checks.finite_array("output", arrays["output"])
    if (
        output.ndim != 2
        or len(output) != n_problems(n_classes)
        or (layers and output.shape[1] != layers[-1].n_units + 1)
    ):
        raise InputError("the output layer must have weights for each unit of the last layer and a constant one.")
    return layers, output


class PrivateAutoencoderClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Stacked private autoencoders and a private logistic output layer.

    Protected: one record with its label, at (epsilon, delta), under adding or removing a record. Not protected: the
    list of classes, if it is read from ``y`` rather than given.

    Parameters
    ----------
    epsilon : float
        Privacy loss of one fit, over all layers.
    bounds : pair
        Public (low, high) of the features: numbers, or arrays with one number for each feature.
    delta : float, default 1e-6
        0 asks for pure epsilon: Laplace noise in the layers instead of Gaussian, and another output layer.
    hidden : sequence of int, default (30,)
        Units of each layer. An empty one leaves the output layer on the scaled features.
    layer_share : float or None
        The part of the budget that the layers get, in equal parts; the output layer gets the rest. None: 0.4, or 0.1
        under pure epsilon.
    output : {"functional", "objective"} or None
        How the output layer is learned: by the functional mechanism [functional], or by objective perturbation [erm],
        for pure epsilon, which more than two classes share. None: the second for two classes where delta is 0.
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
        layer_share: float | None = None,
        output: Literal["functional", "objective"] | None = None,
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
        self.output = output
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
        asked, output = self._plan(n_features, n_classes)
        return [*layer_steps(asked), output if isinstance(output, Step) else _functional_step(*output)]

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Charge the ledger, then learn the layers from all rows and the output layer from the labelled ones."""
        table, labels = checked_rows(self, X, y)
        classes, labelled, codes = self._encode(labels)
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
            warning=printed.WARNING if paper else "",
        )
        self.layers_: tuple[Encoder, ...]
        if paper:
            self.layers_, self.output_ = printed.learn(account, steps, rows, labelled, codes, hidden=self.hidden)
        else:
            self._learn(account, rows, labelled, codes, len(classes))
        self.classes_ = classes
        self.card_ = account.card(
            "private autoencoder",
            adjacency=ADJACENCY,
            assumptions=self._assumptions(table.shape[1]),
            not_protected=["the number of features and the list of classes"],
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
        return decisions(self._scores(X))

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return probabilities [N, C]: the sigmoid of the score for two classes, else the softmax of the scores."""
        scores = self._scores(X)
        if scores.shape[1] == 1:
            return expit(np.hstack([-scores, scores]))
        return np.asarray(softmax(scores, axis=1))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of the largest score."""
        decided = self.decision_function(X)
        return chosen(decided, self.classes_)

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

    @classmethod
    def from_release(cls, release: Release) -> "PrivateAutoencoderClassifier":
        """Return the classifier in ``release``, ready to predict."""
        if release.kind != KIND or release.settings.get("accounting") != "sound":
            raise ReleaseError(
                f"the release is of kind {release.kind!r}; a sound one of a PrivateAutoencoderClassifier is needed."
            )
        settings, card = release.settings, release.card
        try:
            classes = np.asarray(settings["classes"])
            layers, output = read_network(release.arrays, len(classes))
            bounds = np.asarray(settings["low"]), np.asarray(settings["high"])
            row_norm = checks.positive("row_norm", settings["row_norm"])
        except (KeyError, TypeError, ValueError, InputError) as problem:
            raise ReleaseError(f"the network in the release is malformed: {problem}") from problem
        hidden = tuple(layer.n_units for layer in layers)
        model = cls(card.epsilon, bounds=bounds, delta=card.delta, hidden=hidden, row_norm=row_norm)
        model.layers_, model.output_, model.classes_, model.card_ = layers, output, classes, card
        model.n_features_in_ = layers[0].weights.shape[0] if layers else output.shape[1] - 1
        return model

    def _scores(self, X: ArrayLike) -> FloatArray:
        scores: FloatArray = with_constant(self.code(X)) @ self.output_.T
        return scores

    def _learn(
        self, account: Account, rows: FloatArray, labelled: NDArray[np.bool_], codes: NDArray[np.intp], n_classes: int
    ) -> None:
        asked, output = self._plan(rows.shape[1], n_classes)
        self.layers_ = learn_stack(account, asked, rows)
        H = with_constant(encode_stack(self.layers_, rows[labelled]))
        if isinstance(output, Step):
            self.output_ = perturbed_output(account, output, H, codes, n_classes)
        else:
            self.output_ = functional_output(account, output, H, codes, n_classes)

    def _budget(self) -> Budget:
        return Budget(self.epsilon, self.delta, unit=Unit.RECORD)

    def _plan(self, n_features: int, n_classes: int) -> tuple[list[list[Asked]], Asked | Step]:
        """Return what each layer asks, and what the output layer asks or, by objective perturbation, its step."""
        hidden, budget = widths(self.hidden, least=0), self._budget()
        norm, n_units = noise_norm(budget.delta), (n_features, *hidden)[-1]
        queries = stack_queries(n_features, hidden, norm=norm)
        share = self._layer_share(budget) if hidden else 0.0
        every, shares = [query for layer in queries for query in layer], stack_shares(queries, share)
        if self._perturbed(budget, n_classes):
            asked = stack_asked(queries, split_noise(every, shares, budget=budget))
            return asked, perturbed_step(n_classes, n_units, budget.epsilon * (1 - share))
        last = output_query(n_classes, n_units, norm=norm)
        mechanisms = split_noise([*every, last], [*shares, 1 - share], budget=budget)
        return stack_asked(queries, mechanisms[:-1]), (last, mechanisms[-1])

    def _layer_share(self, budget: Budget) -> float:
        if self.layer_share is None:
            return LAYER_SHARE if budget.delta else PURE_LAYER_SHARE
        return checks.fraction("layer_share", self.layer_share)

    def _perturbed(self, budget: Budget, n_classes: int) -> bool:
        """Whether the output layer is learned by objective perturbation."""
        if self.output is None:
            return not budget.delta and n_classes == 2
        perturbed = checks.one_of("output", self.output, ("functional", "objective")) == "objective"
        if perturbed and budget.delta:
            raise InputError(f"output='objective' is for pure epsilon; got delta {budget.delta:g}. Set delta=0.")
        return perturbed

    def _encode(self, y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_], NDArray[np.intp]]:
        """Return the classes, which rows are labelled, and the codes of those."""
        # One by one: labels of another type than the mark differ from it, and are no error.
        labelled = np.array([self.unlabelled is None or label != self.unlabelled for label in y.tolist()])
        classes, codes = encode_labels(y[labelled], self.classes)
        if self.accounting == "paper" and len(classes) > 2:
            raise InputError(f"accounting='paper' is for two classes; got {len(classes)}. Use accounting='sound'.")
        return classes, labelled, codes

    def _assumptions(self, n_features: int) -> list[str]:
        row_norm = public_row_norm(self.row_norm, n_features)
        facts = ["the bounds of the features are public", f"rows are shortened to norm {row_norm:.6g}, a public number"]
        if self.unlabelled is not None:
            facts.append("a row without a label takes no part in the output layer")
        if self.classes is None:
            facts.append("the list of classes was read from the labels and is declared public")
        return facts
