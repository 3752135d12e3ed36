"""The receiver's side with private rows: released class scores, and a correction of them that is private itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax

from tacit import checks
from tacit.adoption.average.storage import named, under
from tacit.adoption.evidence.picture_evidence import Evidence
from tacit.adoption.sources.public_scores import public_scores
from tacit.adoption.sources.release_sources import ReleaseScores
from tacit.adoption.sources.source import LARGEST_SCORE, clean_scores
from tacit.adoption.stored_model import StoredModelMixin
from tacit.arrays import Arrays, Codes, FloatArray
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.class_labels import checked_rows, encode_labels, fitted_rows
from tacit.models.linear.neighbours import LinearNeighbours
from tacit.models.per_class import ScoreClassifierMixin
from tacit.models.per_person import PersonMixin, contributed_rows, promised_plan
from tacit.models.private_estimator import PrivateEstimator
from tacit.models.schema_rows import require_encoded_columns
from tacit.models.two_class_problems import (
    EVERY_CLASS,
    centred,
    class_probabilities,
    n_problems,
    saturated,
    schema_bounds,
    signs_of,
    unit_rows,
)
from tacit.privacy.account import Account, Plan, Step
from tacit.privacy.budget import Budget, Relation, Unit
from tacit.privacy.card import Card
from tacit.privacy.mechanisms import AgainstRest, ObjectivePerturbation
from tacit.releases.file import Release

# Lengths of the three parts of a row: a constant, the released score, and the row itself. Their squares sum to 1.
CONSTANT, SCORE, ROW = 0.5, 0.5, np.sqrt(0.5)
# Standard deviation that noise may add to a log-odds; released ones have one of about 2.
NOISE_IN_SCORES = 0.15
# With fewer records for each column and unit of epsilon, the row itself is left out: noise would outweigh it.
RECORDS_PER_COLUMN = 20.0
INSIDE = 1 - 2.0**-40
BECAUSE = (
    "rows [1, score, columns] have length at most 1, so one more moves the gradient by at most 1, replacing one by at "
    "most 2, and the Hessian by at most 1/4 in one direction; the released score of a row is a public function of that "
    "row; the solver's gradient is at most {tolerance:.1g}, which noise of its own hides"
)


def correction_curvature(dimension: int, epsilon: float) -> float:
    """Return n lambda at which noise adds NOISE_IN_SCORES to a log-odds: 2 sqrt(d)/(epsilon s).

    The noise of the weights has length 2d/(n lambda epsilon) in a random direction, of which a row of length 1 sees one
    part in sqrt(d).
    """
    return 2 * float(np.sqrt(dimension)) / (epsilon * NOISE_IN_SCORES)


def uses_columns(n_columns: int, n_rows: int | None, epsilon: float) -> bool:
    """Return whether the table is publicly known to be large enough to correct by its own columns."""
    return n_rows is not None and n_rows * epsilon >= RECORDS_PER_COLUMN * n_columns


@dataclass(eq=False, repr=False, kw_only=True)
class PrivateTransfer(StoredModelMixin, ScoreClassifierMixin, PersonMixin, PrivateEstimator):
    """Class scores of releases, corrected by a private logistic regression of the receiver's labels.

    log-odds = s(x) + w [1, s(x), z(x)], s the released log-odds and z the row; w starts at 0 and is learned by
    objective perturbation, with so much regularisation that its noise hardly moves a score: the model is about as good
    as the releases where the table is too small to improve on them.

    Protected: one record of our own table with its label, at pure epsilon, under replacing a record; with ``n_rows``
    also under adding or removing one, and with relation "add-remove" under that alone. Not protected: the number of
    rows, without either. The sources are protected by their own releases.

    Parameters
    ----------
    releases : sequence of Release
        Of kinds whose scores depend on nothing but the release and the row: additive, linear, marginals.
    schema : Schema
        Of our own table, encoded to [0, 1].
    n_rows, relation
        What is publicly known of the number of rows, and which neighbours are protected: as in
        ``PrivateLogisticRegression``.
    epsilon, rows_per_person, ledger, random_state
        As in ``PrivateLogisticRegression``.
    purpose : str
        What the ledger's line says.

    Attributes
    ----------
    classes_ : array [C]
    coef_ : array [R, d]
        The correction: of a constant, the score and, of large tables, the row.
    scores_ : list of ReleaseScores
    notes_ : list of str
    card_ : Card
    """

    model_kind = "private_model"
    made_by = "`tacit adopt --epsilon`"
    stored_parameters = ("epsilon",)

    releases: Sequence[Release] = ()
    schema: Schema | None = None
    n_rows: int | None = None
    relation: Relation | str | None = None
    purpose: str = "private adoption"

    def fit(self, X: ArrayLike, y: ArrayLike, *, persons: ArrayLike | None = None) -> Self:
        """Charge the ledger, then release the correction learned from ``X`` and the class codes ``y``."""
        rows, labels = contributed_rows(self, persons, *checked_rows(self, X, y))
        self.schema_ = schema = self._schema(rows)
        lessons = [public_scores(each, schema) for each in self._required_releases()]
        self.scores_, self.notes_ = [scores for scores, _ in lessons], [note for _, note in lessons]
        self.classes_, codes = encode_labels(labels, np.arange(len(schema.classes)))
        n_filled = self._neighbours().filled_rows(len(rows))
        _, plan = promised_plan(self, lambda each: each.record_plan(rows))
        (step,) = plan.steps
        one = step.mechanism.each if isinstance(step.mechanism, AgainstRest) else step.mechanism
        self.with_columns_ = bool(getattr(one, "dimension", 2) > 2)
        account = self._open(plan, self.purpose)
        self.coef_ = np.atleast_2d(account.release(step.mechanism, self._query(rows, codes, n_filled)))
        self.card_ = self._card(account)
        self.evidence_ = self._evidence(len(rows))
        return self

    def plan(self, n_features: int, *, n_rows: int | None) -> list[Step]:
        """Return the one query that a fit on ``n_rows`` rows will make; None: on a hidden number of them."""
        problems = n_problems(2 if self.schema is None else len(self.schema.classes))
        epsilon = checks.positive("epsilon", self.epsilon) / problems
        dimension = 2 + n_features * uses_columns(n_features, n_rows, epsilon)
        one = ObjectivePerturbation.for_epsilon(
            epsilon,
            curvature=correction_curvature(dimension, epsilon),
            dimension=dimension,
            neighbours=self._neighbours().kind,
        )
        what, because = "correction of released class scores", BECAUSE.format(tolerance=one.tolerance)
        relation = self._neighbours().relations
        if problems == 1:
            return [Step(one, what, because, relation=relation)]
        return [Step(AgainstRest(one, problems), what, because + EVERY_CLASS, relation=relation)]

    def record_plan(self, rows: FloatArray) -> Plan:
        """Return what a fit on ``rows`` is charged, per record."""
        neighbours = self._neighbours()
        steps = self.plan(rows.shape[1], n_rows=neighbours.planned_rows(len(rows)))
        budget = Budget(self.epsilon, unit=Unit.RECORD, relation=neighbours.relations[0])
        return Plan(budget, tuple(steps), rows.shape[1], neighbours.exact)

    def _neighbours(self) -> LinearNeighbours:
        return LinearNeighbours(self.n_rows, self.relation)

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C]."""
        return class_probabilities(self._scores(X))

    def target_only_predict(self, X: ArrayLike) -> Any:
        """Return the class of each row by the releases alone: learning alone would be another charge."""
        rows = fitted_rows(self, X)
        return self.classes_[class_probabilities(self._released(rows)).argmax(axis=1)]

    def released_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C] of the releases alone."""
        rows = fitted_rows(self, X)
        return class_probabilities(self._released(rows))

    def _parts(self) -> tuple[Arrays, dict[str, Any]]:
        arrays: Arrays = {"classes": np.asarray(self.classes_), "correction": self.coef_}
        sources = []
        for place, scores in enumerate(self.scores_):
            more, settings = scores.to_parts()
            arrays |= named(more, f"source_{place}")
            sources.append(settings)
        content = {
            "sources": sources,
            "notes": list(self.notes_),
            "with_columns": self.with_columns_,
            "epsilon": self.epsilon,
            "card": self.card_.to_dict(),
            "evidence": self.evidence_.to_dict(),
        }
        return arrays, content

    def _restore(self, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> None:
        checks.positive("epsilon", self.epsilon)
        self.classes_, self.coef_ = np.asarray(arrays["classes"]), np.asarray(arrays["correction"])
        self.scores_ = [
            ReleaseScores.from_parts(under(arrays, f"source_{place}"), each)
            for place, each in enumerate(settings["sources"])
        ]
        self.notes_ = [str(note) for note in settings["notes"]]
        self.with_columns_ = bool(settings["with_columns"])
        self.card_ = Card.from_dict(settings["card"])
        self.evidence_ = Evidence.from_dict(settings["evidence"])

    def _scores(self, X: ArrayLike) -> FloatArray:
        rows = fitted_rows(self, X)
        offsets = self._released(rows)
        return np.asarray(offsets + self._features(rows, offsets) @ self.coef_.T)

    def _released(self, rows: FloatArray) -> FloatArray:
        """Return the mean log-odds [N, R] of the releases in each two-class problem."""
        n_classes = len(self.classes_)
        total = np.zeros((len(rows), n_problems(n_classes)))
        for each in self.scores_:
            logs = log_softmax(clean_scores(each(rows), len(rows), n_classes, name="a release").values, axis=1)
            if n_classes == 2:
                total[:, 0] += logs[:, 1] - logs[:, 0]
            else:
                total += logs - np.log(np.maximum(-np.expm1(np.minimum(logs, -1e-12)), 1e-12))
        return np.clip(total / len(self.scores_), -LARGEST_SCORE, LARGEST_SCORE)

    def _features(self, rows: FloatArray, offsets: FloatArray) -> FloatArray:
        """Return [1, score, row] [N, d] of length at most 1, each row by itself; of several scores the largest."""
        parts = [np.full((len(rows), 1), CONSTANT), SCORE * offsets.max(axis=1, keepdims=True) / LARGEST_SCORE]
        if self.with_columns_:
            parts.append(ROW * unit_rows(centred(rows, schema_bounds(self.schema_))))
        return INSIDE * np.hstack(parts)

    def _query(self, rows: FloatArray, codes: Codes, n_rows: int) -> FloatArray:
        """Return the mechanism's input: features times labels and the offsets; for several classes with their codes."""
        offsets, n = self._released(rows), len(rows)
        phi = self._features(rows, offsets)
        if offsets.shape[1] == 1:
            signs = signs_of(codes, 2).T
            values = np.zeros((n_rows, phi.shape[1] + 1))
            values[:n] = np.hstack([phi * signs, saturated(signs * offsets)])
        else:
            values = np.zeros((n_rows, phi.shape[1] + 1 + offsets.shape[1]))
            values[:n] = np.hstack([phi, codes[:, None], saturated(offsets)])
        return values

    def _required_releases(self) -> Sequence[Release]:
        if not self.releases:
            raise InputError("releases must hold at least one release; PrivateLogisticRegression learns alone.")
        return self.releases

    def _schema(self, rows: FloatArray) -> Schema:
        if self.schema is None:
            raise InputError("schema must be given: columns and classes of the releases are matched by name.")
        self.schema.require_public_bounds()
        return require_encoded_columns(self.schema, rows.shape[1])

    def _card(self, account: Account) -> Card:
        public = ["the number of features", "the schema: columns, bounds, categories and classes"]
        if self._neighbours().exact:
            public.append("the number of rows")
        return account.card(
            "private correction of released class scores",
            adjacency=self._neighbours().adjacency,
            assumptions=[
                "each row is scaled to length 1 or less, by itself and by public numbers",
                "the schema: columns, bounds, categories and classes",
                "the adopted releases were handed out by their owners, and say nothing of our rows",
            ],
            not_protected=public,
        )

    def _evidence(self, n_rows: int) -> Evidence:
        """Return the evidence of a private model: none, for measuring it would be another charge."""
        weights, nothing = tuple(1 / len(self.scores_) for _ in self.scores_), ()
        classes, notes = tuple(self.schema_.classes), tuple(self.notes_)
        return Evidence(n_rows, 0, classes, weights, notes, "", nothing, nothing, nothing, nothing)
