"""Logistic regression by objective perturbation: pure epsilon for a whole record."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from tacit import checks
from tacit.arrays import FloatArray
from tacit.data.schemas.columns import Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.class_labels import CLASSES_READ, checked_rows, encode_labels
from tacit.models.estimator_input import full_labels
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.neighbours import LinearNeighbours, curvature, require_row_number
from tacit.models.linear.regularization import REGULARIZATION, default_regularization
from tacit.models.linear.release import LinearScores, linear_release, require_weights
from tacit.models.per_class import ScoreClassifierMixin
from tacit.models.per_person import PersonMixin, promised_plan
from tacit.models.private_estimator import PrivateEstimator
from tacit.models.row_weights import assumed_weights, weighted_rows
from tacit.models.schema_rows import schema_rows
from tacit.models.two_class_problems import (
    EVERY_CLASS,
    centred,
    class_probabilities,
    classes_query,
    n_problems,
    query_of,
    query_parts,
    row_factors,
    signs_of,
    with_shares,
)
from tacit.privacy.account import Account, Plan, Step
from tacit.privacy.budget import Budget, Relation, Unit
from tacit.privacy.card import Card
from tacit.privacy.mechanisms import (
    AgainstRest,
    Exponential,
    Mechanism,
    ObjectivePerturbation,
    TunedPerturbation,
    disjoint,
)
from tacit.releases.file import Release

BECAUSE = (
    "rows have length at most 1, so replacing one moves the gradient by at most 2 and the Hessian by at most 1/4 in "
    "one direction; the solver's gradient is at most {tolerance:.1g}, which noise of its own hides"
)
ADDED_BECAUSE = (
    "rows have length at most 1, so one more or less moves the gradient by at most 1 and the Hessian by at most 1/4 in "
    "one direction, and the regularisation does not depend on their number; the solver's gradient is at most "
    "{tolerance:.1g}, which noise of its own hides"
)
PARTS = (
    "; the parts of the rows are disjoint, by a keyed digest of what a row holds: a row that goes from one part to "
    "another is one less in the first and one more in the second, of which each costs about half"
)


def number_bounds(schema: Schema) -> tuple[FloatArray, FloatArray]:
    """Return public bounds of the encoded columns that bring numbers to [-1, 1] and leave indicators 0 and 1.

    The indicators of one column sum to 1, so that weights of them can be an intercept.
    """
    low = np.full(len(schema.encoded_names), -1.0)
    for column in schema.features:
        if isinstance(column, Numeric):
            low[schema.positions[column.name].start] = 0.0
    return low, np.ones_like(low)


def because_of(mechanism: ObjectivePerturbation) -> str:
    """Return the sentence that makes the loss of ``mechanism`` true."""
    words = ADDED_BECAUSE if mechanism.neighbours == "added" else BECAUSE
    return words.format(tolerance=mechanism.tolerance)


def expected_noise(mechanism: ObjectivePerturbation) -> float:
    """Return the expected length of the noise in the weights: d/beta, divided by the curvature."""
    return mechanism.dimension / (mechanism.beta * mechanism.curvature)


@dataclass(eq=False, repr=False, kw_only=True)
class PrivateLogisticRegression(ScoreClassifierMixin, PersonMixin, PrivateEstimator):
    """Logistic regression of a private table, by objective perturbation ([pptl] Alg. 1 in its sound form).

    Protected: one record with its label, at pure epsilon, under replacing a record; with ``n_rows`` also under adding
    or removing one; with ``relation="add-remove"`` under that alone, with half of the noise. Not protected: the number
    of rows without either, and the list of classes unless it is given. More than two classes are told apart one
    against the rest, each with an equal part of epsilon.

    Parameters
    ----------
    epsilon, ledger, random_state
        As in ``PrivateEstimator``.
    bounds : pair, Schema or None
        Public (low, high) of the features, which are brought to [-1, 1]. Give indicators of categories (-1, 1): they
        then stay 0 and 1, and a column of many categories is no longer than a number. None: features are used as they
        are; centre them by public numbers. A schema of mixed columns: rows are data frames with these columns, or
        encoded ones; numbers are brought to [-1, 1], indicators of categories stay 0 and 1.
    row_norm : float or None
        None: every row is scaled to length 1, by itself. A public number: longer rows are shortened to it.
    regularization : float, sequence or None
        lambda for rows of length 1. None: min(1, 2p/(n epsilon)), with bounds or a schema at most
        1500 p/(n epsilon)²; with a prior max(1, 2/(n epsilon)). A sequence is tuned privately within the same epsilon:
        each value learns on a part of the rows of its own, the last part chooses.
    prior : array [R, p] or None
        Public weights to stay close to, in the scaled features; what is learned is the change.
    accounting : {"tight", "chaudhuri"}
        "tight": regularisation of at least 2/epsilon in all, for which nothing is deducted from epsilon. "chaudhuri":
        the older deduction, for comparison; both are sound.
    classes : sequence or None
        The public list of labels. None: read from ``y`` and declared public.
    n_rows : int or None
        A public bound on the number of rows. None: their number is public. With relation "add-remove" a public guess,
        for which regularisation is made; None: then it is made for any number.
    relation : {"replace", "add-remove"} or None
        "add-remove": neighbours have one row more or less, whose number is not told. None: as ``n_rows`` allows.
    rows_per_person
        As in ``PrivateNearestMean``.

    Attributes
    ----------
    classes_ : array [C]
    coef_ : array [R, p]
        Weights of the scaled rows; one problem for two classes, else one for each class.
    card_ : Card

    Examples
    --------
    >>> rows, labels = [[-1.0, 0.2], [1.0, 0.1]] * 100, [0, 1] * 100
    >>> PrivateLogisticRegression(1.0, random_state=0).fit(rows, labels).predict([[2.0, 0.0]]).tolist()
    [1]
    """

    bounds: tuple[Any, Any] | Schema | None = None
    row_norm: float | None = None
    regularization: float | Sequence[float] | None = None
    prior: ArrayLike | None = None
    accounting: str = "tight"
    classes: Sequence[Any] | None = None
    n_rows: int | None = None
    relation: Relation | str | None = None

    def plan(self, n_features: int, *, n_rows: int | None, n_classes: int = 2) -> list[Step]:
        """Return the queries that a fit on ``n_rows`` rows will make; nothing is charged.

        ``n_rows`` is None where the number of rows is neither public nor guessed.
        """
        problems = n_problems(n_classes)
        epsilon = checks.positive("epsilon", self.epsilon) / problems
        strength, proved = self.regularization, self._neighbours().relations
        require_row_number(n_rows, strength)
        what = "weights of a logistic regression" + (", one class against the rest" if problems > 1 else "")
        if n_rows is not None and isinstance(strength, Sequence | np.ndarray):
            tuned = self._tuned(epsilon, strength, n_features, n_rows)
            because = BECAUSE.format(tolerance=tuned.settings[0].tolerance) + PARTS
            return [Step(tuned, what, because, problems, proved)]
        one = self._mechanism(epsilon, strength, n_features, n_rows)  # type: ignore[arg-type]  # one strength here
        because = because_of(one)
        if problems == 1:
            return [Step(one, what, because, relation=proved)]
        return [Step(AgainstRest(one, problems), what, because + EVERY_CLASS, relation=proved)]

    def fit(
        self, X: ArrayLike, y: ArrayLike, *, persons: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Charge the ledger, then release the weights learned from ``X`` and the labels ``y``.

        ``sample_weight`` [N] are shares in [0, 1] of a row: see `tacit.models.row_weights`. One
        `regularization` then, not several.
        """
        table, labels, weights = weighted_rows(self, persons, sample_weight, *self._checked(X, y))
        classes, codes = encode_labels(labels, self.classes)
        _, plan = promised_plan(self, lambda each: each.record_plan(table, len(classes)))
        (step,) = plan.steps
        prior = self._prior(table.shape[1], n_problems(len(classes)))
        queries = self._queries(step.mechanism, table, codes, prior, weights)
        account = self._open(plan, "logistic regression")
        # Behind the weights of a tuned problem stands the number of its setting.
        learned = np.vstack([account.release(step.mechanism, query) for query in queries])[:, : table.shape[1]]
        self.classes_ = classes
        self.coef_ = prior + learned
        self.card_ = self._card(account, weights)
        self._noise, self._strength = _noise_and_strength(step.mechanism, self._neighbours().planned_rows(len(table)))
        return self

    def _queries(
        self,
        mechanism: Mechanism,
        table: FloatArray,
        codes: NDArray[np.intp],
        prior: FloatArray,
        weights: FloatArray | None,
    ) -> Iterable[FloatArray]:
        """Return what ``mechanism`` asks of the rows: checked now, made one after the other, as large as the table."""
        rows, n_rows = centred(table, self._bounds()), self._neighbours().filled_rows(len(table))
        factors = row_factors(rows, self.row_norm)
        if isinstance(mechanism, AgainstRest):
            return [with_shares(classes_query(rows, factors, codes, prior, n_rows), weights)]
        problems = zip(signs_of(codes, max(len(prior), 2)), prior, strict=True)
        queries = (with_shares(query_of(rows, factors * s, w, n_rows), weights) for s, w in problems)
        if not isinstance(mechanism, TunedPerturbation):
            return queries
        if weights is not None:
            raise InputError(
                "sample_weight must be left out where regularization is a sequence: the best value is chosen by "
                "counting mistakes, each row once. Give one number, or None."
            )
        parts = query_parts(table, codes, len(mechanism.settings) + 1, n_rows)
        return (np.column_stack([parts, query]) for query in queries)

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C]; strong regularisation makes them modest."""
        return class_probabilities(self._scores(X))

    def release(self) -> Release:
        """Return the file to hand out: the weights and the card."""
        check_is_fitted(self)
        return linear_release(self._linear(), self.classes_, self.card_)

    def _checked(self, X: ArrayLike, y: ArrayLike) -> tuple[FloatArray, NDArray[Any]]:
        """Return rows as they are scaled, and labels."""
        schema = self._schema()
        if schema is None:
            return checked_rows(self, X, y)
        schema.require_public_bounds()
        rows, labels = schema_rows(self, X, schema, dtype=np.float64), full_labels(self, y)
        if labels.shape != (len(rows),) or rows.shape[1] != len(schema.encoded_names):
            raise InputError(
                f"X and y must have as many rows, and X the {len(schema.encoded_names)} encoded columns of the "
                f"schema; got {rows.shape} and {labels.shape}."
            )
        return rows, labels

    def _schema(self) -> Schema | None:
        return self.bounds if isinstance(self.bounds, Schema) else None

    def _bounds(self) -> tuple[Any, Any] | None:
        return number_bounds(self.bounds) if isinstance(self.bounds, Schema) else self.bounds

    def _scores(self, X: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        rows = schema_rows(self, X, self._schema(), dtype=np.float64, reset=False)
        return self._linear()(rows)

    def _linear(self) -> LinearScores:
        split = FeatureSplit.whole(self.coef_.shape[1])
        ones = np.ones((len(self.coef_), 1))
        noise, strength = np.array([self._noise]), None if self._strength is None else np.array([self._strength])
        return LinearScores(split, self.coef_, ones, noise, self._bounds(), self.row_norm, regularization=strength)

    def _neighbours(self) -> LinearNeighbours:
        tuned = isinstance(self.regularization, Sequence | np.ndarray)
        return LinearNeighbours(self.n_rows, self.relation, parts=tuned)

    def record_plan(self, table: FloatArray, n_classes: int) -> Plan:
        """Return what a fit on ``table`` is charged, per record."""
        n_features, neighbours = table.shape[1], self._neighbours()
        steps = self.plan(n_features, n_rows=neighbours.planned_rows(len(table)), n_classes=n_classes)
        budget = Budget(self.epsilon, unit=Unit.RECORD, relation=neighbours.relations[0])
        return Plan(budget, tuple(steps), n_features, neighbours.exact)

    def _tuned(self, epsilon: float, strengths: Sequence[float], n_features: int, n_rows: int) -> TunedPerturbation:
        # Each setting learns on its own part, and is calibrated for as many rows.
        part = n_rows // (len(strengths) + 1)

        def tuned(epsilon: float) -> TunedPerturbation:
            mechanisms = [self._mechanism(epsilon, strength, n_features, part) for strength in strengths]
            return TunedPerturbation(tuple(mechanisms), Exponential(epsilon, 1.0))

        return disjoint.for_epsilon(tuned, epsilon)

    def _mechanism(
        self, epsilon: float, regularization: float | None, n_features: int, n_rows: int | None
    ) -> ObjectivePerturbation:
        strength = checks.positive("regularization", REGULARIZATION if regularization is None else regularization)
        if regularization is None and self.prior is None and n_rows is not None:
            strength = default_regularization(n_rows, epsilon, n_features, bounded=self._bounds() is not None)
        return ObjectivePerturbation.for_epsilon(
            epsilon,
            curvature=curvature(strength, n_rows, dimension=n_features, epsilon=epsilon),
            dimension=n_features,
            accounting=self.accounting,
            neighbours=self._neighbours().kind,
        )

    def _prior(self, n_features: int, n_rows: int) -> FloatArray:
        if self.prior is None:
            return np.zeros((n_rows, n_features))
        prior = np.atleast_2d(checks.finite_array("prior", self.prior))
        if prior.shape != (n_rows, n_features):
            raise InputError(f"prior must have shape ({n_rows}, {n_features}); got {prior.shape}.")
        return require_weights("prior", prior)

    def _card(self, account: Account, weights: FloatArray | None) -> Card:
        public = ["the number of features", "the list of classes"]
        assumptions = ["rows are scaled to length 1 or less, each by itself and by public numbers"]
        if self._schema() is not None:
            assumptions.append("the schema: columns, bounds and categories")
        if self.classes is None:
            assumptions.append(CLASSES_READ)
        if self.prior is not None:
            assumptions.append("the prior weights are public, or come from a release")
        assumptions += assumed_weights(weights)
        neighbours = self._neighbours()
        if neighbours.exact:
            public.append("the number of rows")
        return account.card(
            "weights of a logistic regression",
            adjacency=neighbours.adjacency,
            assumptions=assumptions,
            not_protected=public,
        )


def _noise_and_strength(mechanism: Any, n_rows: int | None) -> tuple[float, float | None]:
    """Return the expected length of the noise, and lambda if it is one and made for a public number of rows."""
    if isinstance(mechanism, TunedPerturbation):
        return float(np.mean([expected_noise(candidate) for candidate in mechanism.settings])), None
    one = mechanism.each if isinstance(mechanism, AgainstRest) else mechanism
    return expected_noise(one), None if n_rows is None else one.curvature / max(n_rows, 1)
