"""Private logistic regression on groups of features, alone or starting from the releases of others."""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.checks import FloatArray, one_of
from tacit.data.schema import Schema
from tacit.errors import InputError
from tacit.models.class_labels import checked_rows, chosen, decisions, encode_labels
from tacit.models.feature_split import FeatureSplit
from tacit.models.linear_problems import (
    ADDED,
    REPLACED,
    centred,
    n_problems,
    proved_relations,
    require_room,
    row_factors,
    schema_bounds,
    shares,
    signs_of,
)
from tacit.models.linear_release import LinearScores, linear_release, read_scores
from tacit.privacy.account import Account, Step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.conversions import Exact
from tacit.privacy.ledger import Ledger
from tacit.release.file import Release
from tacit.scenarios.split_transfer.hypothesis import Hypothesis, combine, place_by_schema, place_columns
from tacit.scenarios.split_transfer.learning import Learned, Problem, ask_average, ask_stack
from tacit.scenarios.split_transfer.planning import Settings, SplitPlan, plan_average, plan_paper, plan_stack


class FeatureSplitClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Logistic regression on groups of features, each with its part of epsilon: [pptl] Alg. 3, and Alg. 4 with sources.

    Protected: one record of our own table with its label, at pure epsilon, under replacing a record; with ``n_rows``
    also under adding or removing one. What others released is private already, and costs them nothing more. Not
    protected: the number of rows without ``n_rows``, and the list of classes unless it is given.

    Parameters
    ----------
    epsilon : float
        Privacy loss of one fit.
    split : FeatureSplit, int or None
        The groups of features; a number draws as many at random, publicly. None: as in the first source, or else all
        features in one group.
    sources : sequence of Release
        What others handed out, by ``tacit release --method linear`` or this estimator's ``release``.
    schema : Schema or None
        Of our own table, encoded to [0, 1]: columns and classes of the sources are then matched by name. None: the
        sources have our columns in our order, and our labels.
    aggregate : {"average", "stack"}
        "average": the groups' scores are weighed by public numbers, share² / size. "stack": the groups learn on every
        other row, and their weights on the rest, each at the full epsilon.
    prior_weight : float or None
        How much of the sources' weights to start from, in [0, 1]. None: by the public rule of ``trust``.
    bounds, row_norm, classes, n_rows, ledger, random_state
        As in ``PrivateLogisticRegression``; with a schema, bounds and classes are the schema's.
    accounting : {"tight", "paper"}
        "paper": [pptl] Alg. 3 as printed, with ``regularization`` as its lambda. What it really costs is charged, and
        the card warns if that is more than epsilon.
    regularization : float or None
        lambda for rows of unit length. None: max(1, 2/(n epsilon)), or more by the rule of ``trust``.
    purpose : str
        What the ledger's line says.

    Attributes
    ----------
    classes_ : array [C]
    split_ : FeatureSplit
    scores_ : LinearScores
    notes_ : list of str
        What each source has in common with our table.
    card_ : Card
    """

    def __init__(
        self,
        epsilon: float,
        *,
        split: FeatureSplit | int | None = None,
        sources: Sequence[Release] = (),
        schema: Schema | None = None,
        aggregate: str = "average",
        prior_weight: float | None = None,
        regularization: float | None = None,
        accounting: str = "tight",
        bounds: tuple[Any, Any] | None = None,
        row_norm: float | None = None,
        classes: Sequence[Any] | None = None,
        n_rows: int | None = None,
        ledger: Ledger | str | PathLike[str] | None = None,
        random_state: int | None = None,
        purpose: str = "feature-split regression",
    ) -> None:
        self.epsilon = epsilon
        self.split = split
        self.sources = sources
        self.schema = schema
        self.aggregate = aggregate
        self.prior_weight = prior_weight
        self.regularization = regularization
        self.accounting = accounting
        self.bounds = bounds
        self.row_norm = row_norm
        self.classes = classes
        self.n_rows = n_rows
        self.ledger = ledger
        self.random_state = random_state
        self.purpose = purpose

    def plan(self, n_features: int, *, n_rows: int, classes: Sequence[Any] = (0, 1)) -> list[Step]:
        """Return the queries that a fit on ``n_rows`` rows will make; nothing is charged."""
        return self._steps(self._plan(n_features, n_rows, classes))

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Charge the ledger, then release the weights learned from ``X`` and the labels ``y``."""
        table, labels = checked_rows(self, X, y)
        classes, codes = encode_labels(labels, self._known_classes())
        self._require_schema(table)
        n_rows = require_room(len(table), self.n_rows)
        plan = self._plan(table.shape[1], n_rows, classes.tolist())
        problem = self._problem(table, codes, len(classes), plan, n_rows)
        account = Account.open(
            self._steps(plan),
            budget=Budget(plan.epsilon, unit=Unit.RECORD, relation=proved_relations(self.n_rows)[0]),
            ledger=self.ledger,
            random_state=self.random_state,
            purpose=self.purpose,
            exact=(Exact.ROW_COUNT,) if self.n_rows is None else (),
            warning=plan.warning,
        )
        learned = (ask_stack if self.aggregate == "stack" else ask_average)(account, plan, problem)
        self.classes_ = classes
        self.split_ = plan.split
        self.scores_ = self._linear(plan, learned)
        self.notes_ = [each.note for each in self._hypotheses()]
        self.card_ = self._card(account, plan)
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return scores [N] of the second of two classes, or of each class against the rest [N, C]."""
        return decisions(self._scores(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row."""
        decided = self.decision_function(X)
        return chosen(decided, self.classes_)

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C]; strong regularisation makes them modest."""
        return shares(self._scores(X))

    def release(self) -> Release:
        """Return the file to hand out; whoever gets it may adopt it in turn."""
        check_is_fitted(self)
        schema = None if self.schema is None else self.schema.to_dict()
        adopted = tuple(f"{each.card.title}, epsilon {each.card.epsilon:g}" for each in self.sources)
        return linear_release(self.scores_, self.classes_, self.card_, schema=schema, adopted=adopted)

    @classmethod
    def from_release(cls, release: Release) -> "FeatureSplitClassifier":
        """Return a classifier that predicts with released weights."""
        scores = read_scores(release)
        schema = None if release.schema is None else Schema.from_dict(release.schema, source="the release's schema")
        model = cls(release.card.epsilon, schema=schema, bounds=scores.bounds, row_norm=scores.row_norm)
        model.classes_ = np.asarray(release.settings["classes"])
        model.split_, model.scores_, model.card_ = scores.split, scores, release.card
        model.notes_ = []
        model.n_features_in_ = scores.weights.shape[1]
        model._require_schema(scores.weights)
        return model

    def _scores(self, X: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        return self.scores_(validate_data(self, X, reset=False, dtype=np.float64))

    def _plan(self, n_features: int, n_rows: int, classes: Sequence[Any]) -> SplitPlan:
        split, prior, noise = self._start(n_features, classes)
        settings = Settings(
            epsilon=self.epsilon,
            n_rows=n_rows,
            n_problems=n_problems(len(classes)),
            regularization=self.regularization,
            prior_weight=self.prior_weight,
        )
        if one_of("accounting", self.accounting, ("tight", "paper")) == "paper":
            if self.aggregate != "average":
                raise InputError('accounting="paper" is [pptl] Alg. 3 alone: use aggregate="average" with it.')
            return plan_paper(split, prior, noise, settings)
        stacked = one_of("aggregate", self.aggregate, ("average", "stack")) == "stack"
        if stacked and self.n_rows is not None:
            raise InputError("n_rows must be None with stacking, whose halves are fixed by the rows' places.")
        return (plan_stack if stacked else plan_average)(split, prior, noise, settings)

    def _steps(self, plan: SplitPlan) -> list[Step]:
        proved = proved_relations(self.n_rows)
        return [replace(step, relation=proved) for step in plan.steps]

    def _start(self, n_features: int, classes: Sequence[Any]) -> tuple[FeatureSplit, FloatArray, FloatArray]:
        """Return the split, the sources' weights of our problems, and the noise in them; infinite without sources."""
        given = self.split
        if isinstance(given, int):
            given = FeatureSplit.random(n_features, given)
        hypotheses = self._hypotheses()
        if not hypotheses:
            split = (given or FeatureSplit.whole(n_features)).require(n_features)
            return split, np.zeros((n_problems(len(classes)), n_features)), np.full(len(split.shares), np.inf)
        split, prior, noise = combine(hypotheses, classes, n_features)
        if given is not None and given != split:
            raise InputError("split must be that of the sources: weights of one split mean nothing in another.")
        return split, prior, noise

    def _hypotheses(self) -> list[Hypothesis]:
        if self.schema is None:
            return [place_columns(each) for each in self.sources]
        return [place_by_schema(each, self.schema) for each in self.sources]

    def _problem(
        self, table: FloatArray, codes: NDArray[np.intp], n_classes: int, plan: SplitPlan, n_rows: int
    ) -> Problem:
        rows = centred(table, self._bounds())
        parts = [rows[:, list(group)] for group in plan.split.positions]
        factors = [row_factors(part, self.row_norm) for part in parts]
        return Problem(parts, factors, signs_of(codes, n_classes), plan.start, n_rows)

    def _linear(self, plan: SplitPlan, learned: Learned) -> LinearScores:
        return LinearScores(
            split=plan.split,
            weights=learned.weights,
            combination=learned.combination,
            noise=plan.noise,
            bounds=self._bounds(),
            row_norm=self.row_norm,
            stacked=self.aggregate == "stack",
        )

    def _bounds(self) -> tuple[Any, Any] | None:
        return self.bounds if self.schema is None else schema_bounds(self.schema)

    def _known_classes(self) -> Any:
        return self.classes if self.schema is None else np.arange(len(self.schema.classes))

    def _require_schema(self, table: FloatArray) -> None:
        if self.schema is None:
            return
        self.schema.require_public_bounds()
        if len(self.schema.encoded_names) != table.shape[1]:
            raise InputError(
                f"X must have the {len(self.schema.encoded_names)} encoded columns of the schema; got {table.shape[1]}."
            )

    def _card(self, account: Account, plan: SplitPlan) -> Any:
        public = ["the number of features and their groups", "the list of classes"]
        if self.n_rows is None:
            public.append("the number of rows")
        assumptions = ["each group's part of a row is scaled to length 1 or less, by itself and by public numbers"]
        if self.schema is not None:
            assumptions.append("the schema: columns, bounds, categories and classes")
        elif self.classes is None:
            assumptions.append("the list of classes was read from the labels and is declared public")
        if self.sources:
            assumptions.append("the weights of the sources were released by their owners")
        return account.card(
            "weights of logistic regressions on groups of features"
            if len(plan.split.shares) > 1
            else "weights of a logistic regression",
            adjacency=REPLACED if self.n_rows is None else ADDED,
            assumptions=assumptions,
            not_protected=public,
        )
