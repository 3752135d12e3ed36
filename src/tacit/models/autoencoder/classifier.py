"""The private deep autoencoder with its private output layer: classification of a private table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax
from sklearn.utils.validation import check_is_fitted

from tacit import checks
from tacit.arrays import BoolArray, FloatArray
from tacit.errors import InputError, ReleaseError
from tacit.models.autoencoder import printed
from tacit.models.autoencoder.functional_mechanism import MomentQuery
from tacit.models.autoencoder.layers import (
    Encoder,
    Layer,
    NoisyQuery,
    encode_stack,
    learn_stack,
    read_stack,
    stack_arrays,
    stack_queries,
    with_constant,
)
from tacit.models.autoencoder.output_layer import functional_output, output_query, perturbed_output, perturbed_step
from tacit.models.autoencoder.planning import because, calibrated_stack, layer_steps, layer_widths, noise_norm
from tacit.models.bounded_rows import bound_assumptions, bound_lists, public_row_norm, scaled_rows
from tacit.models.class_labels import CLASSES_READ, checked_rows, encode_labels, fitted_rows
from tacit.models.estimator_input import missing_cells
from tacit.models.per_class import ScoreClassifierMixin
from tacit.models.per_person import PersonMixin, contributed_rows, promised_plan
from tacit.models.private_estimator import PrivateEstimator
from tacit.models.two_class_problems import n_problems
from tacit.privacy.account import Account, Plan, Step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.mechanisms import Gaussian, Laplace
from tacit.releases.file import Release

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


@dataclass(eq=False, repr=False, kw_only=True)
class PrivateAutoencoderClassifier(ScoreClassifierMixin, PersonMixin, PrivateEstimator):
    """Stacked private autoencoders and a private logistic output layer.

    Protected: one record with its label, at (epsilon, delta), under adding or removing a record. Not protected: the
    number of features, and the list of classes if it is read from ``y`` rather than given.

    Parameters
    ----------
    epsilon, bounds, row_norm, classes, rows_per_person, ledger, random_state
        As in ``PrivateNearestMean``.
    delta : float, default 1e-6
        0 asks for pure epsilon: Laplace noise in the layers instead of Gaussian, and another output layer.
    hidden : sequence of int, default (30,)
        Units of each layer. An empty one leaves the output layer on the scaled features.
    output : {"functional", "objective"} or None
        How the output layer is learned: by the functional mechanism [functional], or by objective perturbation [erm],
        for pure epsilon, which more than two classes share. None: the second for two classes where delta is 0.
    unlabelled : label or None
        The label of rows that have none, such as -1: layers learn from them, the output layer does not.
    accounting : {"sound", "paper"}
        ``"paper"`` runs Algorithm 1 of [dpa] as printed, for two classes; its card says why nothing is guaranteed.

    Attributes
    ----------
    classes_ : array [C]
    layers_ : tuple of Layer
    output_ : array [1 or C, b + 1]
        Weights of the output layer, the last for the constant unit.
    card_ : Card

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(n_class=2, return_X_y=True)  # shades from 0 to 16, whatever is drawn: public bounds
    >>> model = PrivateAutoencoderClassifier(4.0, bounds=(0, 16), hidden=(8,), random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.8)
    True
    """

    bounds: tuple[Any, Any]
    delta: float = 1e-6
    hidden: Sequence[int] = (30,)
    output: Literal["functional", "objective"] | None = None
    row_norm: float | None = None
    classes: Sequence[Any] | None = None
    unlabelled: Any = None
    accounting: Literal["sound", "paper"] = "sound"

    def plan(self, n_features: int, n_classes: int) -> list[Step]:
        """Return the queries that a fit will make; nothing is charged."""
        if checks.one_of("accounting", self.accounting, ("sound", "paper")) == "paper":
            return printed.steps(n_features, layer_widths(self.hidden, least=1), self.epsilon)
        layers, output = self.network_plan(n_features, n_classes)
        return [*layer_steps(layers), output if isinstance(output, Step) else _functional_step(*output)]

    def fit(self, X: ArrayLike, y: ArrayLike, *, persons: ArrayLike | None = None) -> Self:
        """Charge the ledger, then learn the layers from all rows and the output layer from the labelled ones."""
        table, labels = contributed_rows(self, persons, *checked_rows(self, X, y, partial=True))
        classes, labelled, codes = self._encode(labels)
        rows = scaled_rows(table, self.bounds, public_row_norm(self.row_norm, table.shape[1]))
        each, plan = promised_plan(self, lambda each: each.record_plan(table.shape[1], len(classes)))
        account = self._open(plan, "private autoencoder")
        self.classes_ = classes
        self.layers_: tuple[Encoder, ...]
        if self.accounting == "paper":
            self.layers_, self.output_ = printed.learn(account, plan.steps, rows, labelled, codes, hidden=self.hidden)
        else:
            self._learn(account, each.network_plan(table.shape[1], len(classes)), rows, labelled, codes)
        self.card_ = account.card(
            "private autoencoder",
            adjacency=ADJACENCY,
            assumptions=self._assumptions(table.shape[1]),
            not_protected=["the number of features and the list of classes"],
        )
        return self

    def code(self, X: ArrayLike) -> FloatArray:
        """Return the code of the last layer [N, b]."""
        table = fitted_rows(self, X)
        rows = scaled_rows(table, self.bounds, public_row_norm(self.row_norm, table.shape[1]))
        return encode_stack(self.layers_, rows)

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return probabilities [N, C]: the sigmoid of the score for two classes, else the softmax of the scores."""
        scores = self._scores(X)
        if scores.shape[1] == 1:
            return expit(np.hstack([-scores, scores]))
        return np.asarray(softmax(scores, axis=1))

    def release(self) -> Release:
        """Return the file to hand out: the layers, the output layer, and the card."""
        check_is_fitted(self)
        row_norm = public_row_norm(self.row_norm, self.n_features_in_)
        settings = {"classes": self.classes_.tolist(), **bound_lists(self.bounds), "row_norm": row_norm}
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
        self,
        account: Account,
        plan: tuple[list[list[NoisyQuery]], NoisyQuery | Step],
        rows: FloatArray,
        labelled: BoolArray,
        codes: NDArray[np.intp],
    ) -> None:
        (layers, output), n_classes = plan, len(self.classes_)
        self.layers_ = learn_stack(account, layers, rows)
        H = with_constant(encode_stack(self.layers_, rows[labelled]))
        if isinstance(output, Step):
            self.output_ = perturbed_output(account, output, H, codes, n_classes)
        else:
            self.output_ = functional_output(account, output, H, codes, n_classes)

    def record_plan(self, n_features: int, n_classes: int) -> Plan:
        """Return what is charged per record."""
        steps = tuple(self.plan(n_features, n_classes))
        if self.accounting != "paper":
            return Plan(self._budget(), steps, n_features)
        # As printed, every layer spends the whole epsilon: the ledger is charged for each.
        budget = Budget(self.epsilon * len(steps), unit=Unit.RECORD)
        return Plan(budget, steps, n_features, warning=printed.WARNING)

    def _budget(self) -> Budget:
        return Budget(self.epsilon, self.delta, unit=Unit.RECORD)

    def network_plan(self, n_features: int, n_classes: int) -> tuple[list[list[NoisyQuery]], NoisyQuery | Step]:
        """Return the queries of each layer, and that of the output layer or, by objective perturbation, its step."""
        hidden, budget = layer_widths(self.hidden, least=0), self._budget()
        norm, n_units = noise_norm(budget.delta), (n_features, *hidden)[-1]
        queries = stack_queries(n_features, hidden, norm=norm)
        share = (LAYER_SHARE if budget.delta else PURE_LAYER_SHARE) if hidden else 0.0
        if self._perturbed(budget, n_classes):
            layers, _ = calibrated_stack(queries, share, budget=budget)
            return layers, perturbed_step(n_classes, n_units, budget.epsilon * (1 - share))
        layers, (output,) = calibrated_stack(
            queries, share, budget=budget, output=[output_query(n_classes, n_units, norm=norm)]
        )
        return layers, output

    def _perturbed(self, budget: Budget, n_classes: int) -> bool:
        """Whether the output layer is learned by objective perturbation."""
        if self.output is None:
            return not budget.delta and n_classes == 2
        perturbed = checks.one_of("output", self.output, ("functional", "objective")) == "objective"
        if perturbed and budget.delta:
            raise InputError(f"output='objective' is for pure epsilon; got delta {budget.delta:g}. Set delta=0.")
        return perturbed

    def _encode(self, y: NDArray[Any]) -> tuple[NDArray[Any], BoolArray, NDArray[np.intp]]:
        """Return the classes, which rows are labelled, and the codes of those."""
        # One by one: labels of another type than the mark differ from it, and are no error.
        unmarked = np.array([self.unlabelled is None or label != self.unlabelled for label in y.tolist()])
        labelled = unmarked & ~missing_cells(y)
        labels = np.asarray(y[labelled].tolist()) if y.dtype.kind == "O" else y[labelled]
        classes, codes = encode_labels(labels, self.classes)
        if self.accounting == "paper" and len(classes) > 2:
            raise InputError(f"accounting='paper' is for two classes; got {len(classes)}. Use accounting='sound'.")
        return classes, labelled, codes

    def _assumptions(self, n_features: int) -> list[str]:
        facts = bound_assumptions(public_row_norm(self.row_norm, n_features))
        if self.unlabelled is not None:
            facts.append("a row without a label takes no part in the output layer")
        if self.classes is None:
            facts.append(CLASSES_READ)
        return facts
