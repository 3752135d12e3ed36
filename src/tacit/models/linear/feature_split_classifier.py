"""Private logistic regression on groups of features, alone or starting from the releases of others."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from tacit.arrays import FloatArray
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.class_labels import CLASSES_READ, checked_rows, encode_labels, fitted_rows
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.hypothesis import (
    LinearHypothesis,
    PriorWeights,
    combined_prior,
    no_prior,
    place_by_schema,
    place_columns,
)
from tacit.models.linear.neighbours import LinearNeighbours
from tacit.models.linear.planning import PublicNumbers, SplitPlan, SplitSettings, plan_split
from tacit.models.linear.queries import GroupedTable, SplitWeights, average_weights, stacked_weights
from tacit.models.linear.release import LinearScores, linear_release, read_scores
from tacit.models.per_class import ScoreClassifierMixin
from tacit.models.per_person import PersonMixin, contributed_rows, promised_plan
from tacit.models.private_estimator import PrivateEstimator
from tacit.models.schema_rows import require_encoded_columns
from tacit.models.two_class_problems import (
    centred,
    class_probabilities,
    n_problems,
    query_parts,
    row_factors,
    schema_bounds,
    signs_of,
)
from tacit.privacy.account import Account, Plan, Step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.card import Card
from tacit.releases.file import Release


@dataclass(eq=False, repr=False, kw_only=True)
class FeatureSplitClassifier(ScoreClassifierMixin, PersonMixin, PrivateEstimator):
    """Logistic regression on groups of features, each with its part of epsilon: [pptl] Alg. 3, and Alg. 4 with sources.

    Protected: one record of our own table with its label, at pure epsilon, under replacing a record; with ``n_rows``
    also under adding or removing one; with the setting ``relation="add-remove"`` under that alone, with half of the
    noise. What others released is private already, and costs them nothing more. Not
    protected: the number of rows without either, and the list of classes unless it is given.

    Parameters
    ----------
    split : FeatureSplit, int or None
        The groups of features; a number draws as many at random, publicly. None: as in the first source, or else all
        features in one group.
    sources : sequence of Release
        What others handed out, by ``tacit release --method linear`` or this estimator's ``release``.
    schema : Schema or None
        Of our own table, encoded to [0, 1]: columns and classes of the sources are then matched by name. None: the
        sources have our columns in our order, and our labels.
    settings : SplitSettings or None
        How groups are learned and combined. None: averaged, with the default regularisation and tight accounting.
    epsilon, bounds, row_norm, classes, n_rows, rows_per_person, ledger, random_state
        As in ``PrivateLogisticRegression``; with a schema, bounds and classes are the schema's.

    Attributes
    ----------
    classes_ : array [C]
    split_ : FeatureSplit
    scores_ : LinearScores
    notes_ : list of str
        What each source has in common with our table.
    card_ : Card
    """

    split: FeatureSplit | int | None = None
    sources: Sequence[Release] = ()
    schema: Schema | None = None
    settings: SplitSettings | None = None
    bounds: tuple[Any, Any] | None = None
    row_norm: float | None = None
    classes: Sequence[Any] | None = None
    n_rows: int | None = None

    def plan(self, n_features: int, *, n_rows: int | None, classes: Sequence[Any] = (0, 1)) -> list[Step]:
        """Return the queries that a fit on ``n_rows`` rows will make; nothing is charged."""
        return list(self.split_plan(n_features, n_rows, classes).steps)

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        persons: ArrayLike | None = None,
        plan: SplitPlan | None = None,
        charge: Plan | None = None,
        purpose: str = "feature-split regression",
    ) -> Self:
        """Charge the ledger, then release the weights learned from ``X`` and the labels ``y``.

        ``plan`` is the result of ``split_plan`` for this number of rows, if it was made before; None: made here.
        ``charge`` is what is charged for it, if not the plan as it is per record: its steps for another unit.
        ``purpose`` is what the ledger's line says.
        """
        rows, labels = contributed_rows(self, persons, *checked_rows(self, X, y))
        classes, codes = encode_labels(labels, self._public_classes())
        self._require_schema(rows)
        if plan is None:
            each, charge = promised_plan(self, lambda each: each.record_plan(rows, classes.tolist()))
            plan = each.table_plan(rows, classes.tolist())
        table = self._table(rows, codes, len(classes), plan, self._neighbours().filled_rows(len(rows)))
        account = self._open(charge or self._charge(plan, rows.shape[1]), purpose)
        weights = (stacked_weights if self._settings().stacked else average_weights)(account, plan, table)
        self.classes_ = classes
        self.split_ = plan.split
        self.scores_ = self._linear(plan, weights)
        self.notes_ = [hypothesis.note for hypothesis in self._hypotheses()]
        self.card_ = self._card(account, plan)
        return self

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C]; strong regularisation makes them modest."""
        return class_probabilities(self._scores(X))

    def release(self) -> Release:
        """Return the file to hand out; whoever gets it may adopt it in turn."""
        check_is_fitted(self)
        schema = None if self.schema is None else self.schema.to_dict()
        adopted = tuple(f"{source.card.title}, epsilon {source.card.epsilon:g}" for source in self.sources)
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
        rows = fitted_rows(self, X)
        return self.scores_(rows)

    def _settings(self) -> SplitSettings:
        if isinstance(self.settings, SplitSettings | None):
            return self.settings or SplitSettings()
        raise InputError(f"settings must be a SplitSettings or None; got a {type(self.settings).__name__}.")

    def split_plan(self, n_features: int, n_rows: int | None, classes: Sequence[Any]) -> SplitPlan:
        """Return the mechanism and the starting weights of each group; nothing is charged."""
        neighbours = self._neighbours()
        numbers = PublicNumbers(
            self.epsilon, n_rows, n_problems(len(classes)), neighbours.kind, self._bounds() is not None
        )
        plan = plan_split(self._prior(n_features, classes), numbers, self._settings())
        return replace(plan, steps=tuple(replace(step, relation=neighbours.relations) for step in plan.steps))

    def _neighbours(self) -> LinearNeighbours:
        settings = self._settings()
        return LinearNeighbours(self.n_rows, settings.relation, parts=settings.stacked)

    def table_plan(self, rows: FloatArray, classes: Sequence[Any]) -> SplitPlan:
        """Return the plan of a fit on ``rows``: for their number, a public one, or any."""
        return self.split_plan(rows.shape[1], self._neighbours().planned_rows(len(rows)), classes)

    def record_plan(self, rows: FloatArray, classes: Sequence[Any]) -> Plan:
        """Return what a fit on ``rows`` is charged, per record."""
        return self._charge(self.table_plan(rows, classes), rows.shape[1])

    def _charge(self, plan: SplitPlan, n_features: int) -> Plan:
        """Return what is charged for ``plan`` per record."""
        neighbours = self._neighbours()
        budget = Budget(plan.epsilon, unit=Unit.RECORD, relation=neighbours.relations[0])
        return Plan(budget, plan.steps, n_features, neighbours.exact, warning=plan.warning)

    def _prior(self, n_features: int, classes: Sequence[Any]) -> PriorWeights:
        """Return the sources' weights of our problems; without sources none, under our own split."""
        split = FeatureSplit.random(n_features, self.split) if isinstance(self.split, int) else self.split
        hypotheses = self._hypotheses()
        if not hypotheses:
            return no_prior(split or FeatureSplit.whole(n_features), n_features, len(classes))
        prior = combined_prior(hypotheses, classes, n_features)
        if split is not None and split != prior.split:
            raise InputError("split must be that of the sources: weights of one split mean nothing in another.")
        return prior

    def _hypotheses(self) -> list[LinearHypothesis]:
        if self.schema is None:
            return [place_columns(source) for source in self.sources]
        return [place_by_schema(source, self.schema) for source in self.sources]

    def _table(
        self, X: FloatArray, codes: NDArray[np.intp], n_classes: int, plan: SplitPlan, n_rows: int
    ) -> GroupedTable:
        rows = centred(X, self._bounds())
        parts = [rows[:, list(group)] for group in plan.split.positions]
        factors = [row_factors(part, self.row_norm) for part in parts]
        halves = query_parts(X, codes, 2 if self._settings().stacked else 1, n_rows)
        return GroupedTable(parts, factors, signs_of(codes, n_classes), plan.start, n_rows, halves)

    def _linear(self, plan: SplitPlan, learned: SplitWeights) -> LinearScores:
        return LinearScores(
            split=plan.split,
            weights=learned.weights,
            combination=learned.combination,
            noise=plan.noise,
            bounds=self._bounds(),
            row_norm=self.row_norm,
            stacked=self._settings().stacked,
            regularization=plan.regularization,
        )

    def _bounds(self) -> tuple[Any, Any] | None:
        return self.bounds if self.schema is None else schema_bounds(self.schema)

    def _public_classes(self) -> Any:
        return self.classes if self.schema is None else np.arange(len(self.schema.classes))

    def _require_schema(self, table: FloatArray) -> None:
        if self.schema is None:
            return
        self.schema.require_public_bounds()
        require_encoded_columns(self.schema, table.shape[1])

    def _card(self, account: Account, plan: SplitPlan) -> Card:
        public = ["the number of features and their groups", "the list of classes"]
        neighbours = self._neighbours()
        if neighbours.exact:
            public.append("the number of rows")
        assumptions = ["each group's part of a row is scaled to length 1 or less, by itself and by public numbers"]
        if self.schema is not None:
            assumptions.append("the schema: columns, bounds, categories and classes")
        elif self.classes is None:
            assumptions.append(CLASSES_READ)
        if self.sources:
            assumptions.append("the weights of the sources were released by their owners")
        return account.card(
            "weights of logistic regressions on groups of features"
            if len(plan.split.shares) > 1
            else "weights of a logistic regression",
            adjacency=neighbours.adjacency,
            assumptions=assumptions,
            not_protected=public,
        )
