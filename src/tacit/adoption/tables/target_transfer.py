"""The receiver's side for tables with a numeric target: releases become sources, and the average a model to keep."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.adoption.evidence.target_evidence import TargetEvidence
from tacit.adoption.evidence.target_figures import TargetFigures
from tacit.adoption.sources.release_sources import target_sources
from tacit.adoption.stored_model import ReceiverEstimator
from tacit.adoption.tables.adopted_regressor import AdoptedRegressor
from tacit.adoption.tables.storage import engine_parts, restore_engine, stored_sources
from tacit.arrays import FLOATS, Arrays, FloatArray, Rows
from tacit.data.schemas.columns import Target
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.schema_rows import require_encoded_columns
from tacit.models.scikit_learn import RegressorMixin
from tacit.releases.lesson import owner_schema


@dataclass(eq=False, repr=False, kw_only=True)
class TargetTransfer(RegressorMixin, ReceiverEstimator):
    """Learn a table's numeric target from any number of known values, other rows and the releases of others.

    An `AdoptedRegressor` whose sources are releases of the same target. The receiver's own table is not protected: a
    fitted model holds some of its rows. Adopting spends nothing.

    Parameters
    ----------
    releases : sequence of Release
        What owners handed out. Empty: the receiver's known values alone.
    schema : Schema or None
        The receiver's, with a column of kind "target". None: that of the first release.
    evidence, random_state
        As in `AdoptedRegressor`.

    Attributes
    ----------
    evidence_ : TargetEvidence
    engine_ : AdoptedRegressor
    """

    model_kind = "averaged_target"
    made_by = "`tacit adopt` of a numeric target"

    evidence: bool = True
    random_state: int | None = None

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from encoded rows ``X`` [N, p] and targets ``y`` [N], NaN where unknown."""
        rows = np.asarray(validate_data(self, X, dtype=FLOATS))
        self.schema_ = self._schema(rows)
        sources = target_sources(self.releases, self.schema_, rows)
        self.engine_ = AdoptedRegressor(
            sources, bounds=_target(self.schema_).bounds, evidence=self.evidence, random_state=self.random_state
        ).fit(rows, y)
        self.evidence_ = self.engine_.evidence_
        return self

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the target's mean [N]."""
        check_is_fitted(self)
        return self.engine_.predict(X)

    def predict_interval(self, X: ArrayLike) -> FloatArray:
        """Return the ends [N, 2] of intervals that are to cover nine of ten values."""
        check_is_fitted(self)
        return self.engine_.predict_interval(X)

    def alone_predict(self, X: ArrayLike) -> FloatArray:
        """Return the target's mean [N] by the known values without any release."""
        check_is_fitted(self)
        return self.engine_.alone_predict(X)

    def releases_predict(self, X: ArrayLike) -> FloatArray:
        """Return the target's mean [N] by the releases without any known value."""
        check_is_fitted(self)
        return self.engine_.releases_predict(X)

    def figures(self, X: ArrayLike, targets: FloatArray) -> tuple[TargetFigures, ...]:
        """Return how well each way to learn predicts ``targets`` [L] of rows that were not learned."""
        check_is_fitted(self)
        return self.engine_.figures(X, targets)

    def _parts(self) -> tuple[Arrays, dict[str, Any]]:
        engine = self.engine_
        arrays, settings = engine_parts(engine)
        settings |= {"centre": engine.centre_, "unit": engine.unit_, "stretch": engine.stretch_}
        return arrays, settings

    def _restore(self, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> None:
        engine = AdoptedRegressor(stored_sources(arrays, settings), bounds=_target(self.schema_).bounds)
        restore_engine(engine, arrays, settings)
        engine.n_features_in_ = self.n_features_in_
        engine.centre_, engine.unit_ = float(settings["centre"]), float(settings["unit"])
        engine.stretch_ = float(settings["stretch"])
        engine.evidence_ = TargetEvidence.from_dict(settings["evidence"])
        self.engine_, self.evidence_ = engine, engine.evidence_

    def _schema(self, rows: Rows) -> Schema:
        """Return the receiver's schema: as given, or of the first release."""
        schema = self.schema
        if schema is None:
            if not self.releases:
                raise InputError("schema must be given where there is no release: it names the target and its bounds.")
            schema = owner_schema(self.releases[0])
        _target(schema)
        return require_encoded_columns(schema, rows.shape[1])


def _target(schema: Schema) -> Target:
    if schema.target is None:
        raise InputError('the schema must have a column of kind "target", the number to predict; it has none.')
    return schema.target
