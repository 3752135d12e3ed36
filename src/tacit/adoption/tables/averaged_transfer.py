"""The receiver's side for tables: releases become sources, and the average over hypotheses a model to keep."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from tacit.adoption.evidence.receiver_evidence import AdoptionEvidence
from tacit.adoption.receiver_table import known_schema, receiver_rows
from tacit.adoption.sources.class_shares import estimated_shares, stated_shares
from tacit.adoption.sources.release_sources import MOST_ROWS, release_sources
from tacit.adoption.sources.source import Source, all_scores
from tacit.adoption.stored_model import ReceiverEstimator
from tacit.adoption.tables.adopted_classifier import AdoptedClassifier
from tacit.adoption.tables.storage import engine_parts, restore_engine, stored_sources
from tacit.arrays import FLOATS, Arrays, FloatArray, Rows
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.class_labels import require_two_classes
from tacit.models.per_class import ProbabilityClassifierMixin, best_classes
from tacit.models.schema_rows import schema_rows

ESTIMATED = "estimated"
# Scores whose mean probabilities are this close to the released shares were made so.
CENTRED = 2e-3
Shares = Mapping[str, float] | str | None


@dataclass(eq=False, repr=False, kw_only=True)
class AveragedTransfer(ProbabilityClassifierMixin, ReceiverEstimator):
    """Learn a table's classes from any number of labels, unlabelled rows and the releases of others.

    An `AdoptedClassifier` whose sources are releases of any kinds: class scores enter as log-odds, features and metrics
    as other columns for the receiver's own learners.

    The receiver's own table is not protected: a fitted model holds some of its rows. Adopting spends nothing.

    Parameters
    ----------
    releases : sequence of Release
        What owners handed out. Empty: the receiver's labels alone.
    schema : Schema or None
        The receiver's. None: columns as in the first release, or anonymous numbers without one.
    shares : mapping, "estimated" or None
        The classes' shares among the receiver's rows: by class name; estimated from the rows, which is right only if
        nothing but the shares differs from the owner's; or None, as each release says.
    evidence : bool, default True
        Whether to learn again without each part of the labels, to show what adopting did.
    random_state : int or None
        Seed of folds and trees; no privacy depends on it.

    Attributes
    ----------
    classes_ : array [C]
        Classes of the schema, by name or by code as ``y`` has them; or the labels found in ``y``.
    evidence_ : AdoptionEvidence
    engine_ : AdoptedClassifier
    """

    model_kind = "averaged_model"
    made_by = "`tacit adopt`"

    shares: Shares = None
    evidence: bool = True
    random_state: int | None = None

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from rows ``X`` and labels ``y`` [N].

        ``X`` is encoded, or a data frame with the columns of the schema. ``y`` holds names of classes or their codes;
        -1, None, NaN or blank where unlabelled.
        """
        schema = known_schema(self.schema, self.releases)
        rows, self.classes_, codes = receiver_rows(self, X, y, schema, FLOATS)
        if schema is None:
            require_two_classes(codes)
        self.schema_ = _plain_schema(rows, self.classes_) if schema is None else schema
        sources = release_sources(self.releases, self.schema_, rows) if self.releases else []
        self.engine_ = AdoptedClassifier(
            sources,
            classes=self.schema_.classes,
            shares=self._stated(sources, rows),
            evidence=self.evidence,
            random_state=self.random_state,
        ).fit(rows, codes)
        self.evidence_ = self.engine_.evidence_
        return self

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C]."""
        rows = self._rows(X)
        return self.engine_.predict_proba(rows)

    def alone_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C] of the labels without any release."""
        rows = self._rows(X)
        return self.engine_.alone_proba(rows)

    def releases_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, C] of the releases without any label."""
        rows = self._rows(X)
        return self.engine_.releases_proba(rows)

    def target_only_predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row by the labels without any release."""
        return best_classes(self.alone_proba(X), self.classes_)

    def _parts(self) -> tuple[Arrays, dict[str, Any]]:
        engine = self.engine_
        arrays, content = engine_parts(engine)
        arrays |= {
            "classes": engine.classes_,
            "corrections": np.asarray(engine.corrections_).reshape(len(engine.sources), len(self.classes_)),
        }
        return arrays, content

    def _restore(self, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> None:
        engine = AdoptedClassifier(stored_sources(arrays, settings), classes=self.schema_.classes)
        restore_engine(engine, arrays, settings)
        engine.n_features_in_ = self.n_features_in_
        engine.classes_ = np.asarray(arrays["classes"])
        engine.corrections_ = list(np.asarray(arrays["corrections"]))
        engine.evidence_ = AdoptionEvidence.from_dict(settings["evidence"])
        self.engine_, self.classes_, self.evidence_ = engine, engine.classes_, engine.evidence_

    def _rows(self, X: ArrayLike) -> Rows:
        check_is_fitted(self)
        return schema_rows(self, X, self.schema_, dtype=FLOATS, reset=False)

    def _stated(self, sources: Sequence[Source], rows: Rows) -> FloatArray | None:
        """Return the classes' shares that the user stated, or that the rows suggest."""
        if self.shares is None:
            return None
        classes = self.schema_.classes
        if not isinstance(self.shares, str):
            return stated_shares(self.shares, classes)
        if self.shares != ESTIMATED:
            raise InputError(f"shares must be a share for each class, or {ESTIMATED!r}; got {self.shares!r}.")
        stating = [each for each in sources if each.shares is not None]
        if not stating:
            raise InputError("shares can be estimated only with a release that states its own: state them yourself.")
        best = max(stating, key=lambda each: each.reliability.trust)
        released = np.asarray(best.shares)
        scores = all_scores([best], rows[:: max(1, len(rows) // MOST_ROWS)], len(classes))[0].values
        if np.abs(softmax(scores, axis=1).mean(axis=0) - released).max() < CENTRED:
            raise InputError(
                f"the scores of {best.name} are centred on your rows and cannot say how common classes "
                "are: state the shares yourself."
            )
        return estimated_shares(scores, released)


def _plain_schema(rows: Rows, classes: NDArray[Any]) -> Schema:
    """Return the schema of anonymous numbers within the bounds that the rows have."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    columns = tuple(
        Numeric(f"x{place}", (float(low[place]), float(max(high[place], low[place] + 1))))
        for place in range(rows.shape[1])
    )
    return Schema((*columns, Label("label", tuple(str(each) for each in classes))))
