"""Rows that an estimator is given, as levels: a matrix of numbers with public bounds, or a data frame with a schema."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from tacit.arrays import FloatArray
from tacit.data.reading.frames import polars_frame
from tacit.data.rows.encoding import encode
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.additive.levels import (
    ColumnLevels,
    LevelCodes,
    encoded_codes,
    levels_of,
    number_codes,
    number_levels,
)
from tacit.models.bounded_rows import to_unit_cube
from tacit.models.estimator_input import full_labels, validate_data
from tacit.models.scikit_learn import BaseEstimator


@dataclass(frozen=True)
class PublicColumns:
    """What is publicly known of the columns: bounds of numbers, or a schema.

    Parameters
    ----------
    bounds : pair or None
        (low, high) of all columns: numbers, or arrays with one number for each column.
    schema : Schema or None
        Rows are then data frames with its columns.
    """

    bounds: tuple[Any, Any] | None
    schema: Schema | None

    def __post_init__(self) -> None:
        if (self.bounds is None) == (self.schema is None):
            raise InputError(
                "bounds or schema must be given, one of them: public facts of the columns, never read from the rows."
            )

    def levels(self, n_features: int, names: NDArray[Any] | None = None) -> tuple[ColumnLevels, ...]:
        """Return the levels of each of ``n_features`` columns."""
        if self.schema is not None:
            self.schema.require_public_bounds()
            return levels_of(self.schema.features)
        low, high = column_bounds(self.bounds, n_features)
        called = [f"column {place + 1}" for place in range(n_features)] if names is None else names
        return tuple(number_levels(str(name), *ends) for name, *ends in zip(called, low, high, strict=True))

    def codes_to_fit(
        self, estimator: BaseEstimator, X: Any, y: ArrayLike, *, y_numeric: bool = False
    ) -> tuple[LevelCodes, tuple[ColumnLevels, ...], NDArray[Any]]:
        """Return levels of rows, levels of columns and what to learn, checked; ``estimator`` remembers the columns."""
        if self.schema is None:
            rows, target = validate_data(
                estimator,
                X,
                y if y_numeric else full_labels(estimator, y),
                dtype=np.float64,
                ensure_all_finite="allow-nan",
                y_numeric=y_numeric,
            )
            columns = self.levels(rows.shape[1], getattr(estimator, "feature_names_in_", None))
            return number_codes(rows, columns), columns, np.asarray(target)
        target = np.asarray(y) if y_numeric else full_labels(estimator, y)
        columns, codes = self.levels(0), self._frame_codes(X)
        if target.shape != (len(codes),):
            raise InputError(
                f"y must have one number or label for each of {len(codes)} rows; got shape {target.shape}."
            )
        estimator.n_features_in_ = len(columns)
        estimator.feature_names_in_ = np.array([column.name for column in columns], dtype=object)
        return codes, columns, target

    def codes_to_predict(self, estimator: BaseEstimator, X: Any, columns: tuple[ColumnLevels, ...]) -> LevelCodes:
        """Return the levels of rows with the columns that ``estimator`` was fitted on; an unfitted one is refused."""
        check_is_fitted(estimator)
        if self.schema is not None:
            return self._frame_codes(X)
        rows = validate_data(estimator, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan")
        return number_codes(rows, columns)

    def _frame_codes(self, X: Any) -> LevelCodes:
        if self.schema is None:
            raise InputError("schema must be given for data frames.")
        features = self.schema.features
        encoded = encode(features_of_frame(X, self.schema), self.schema)
        return encoded_codes(encoded.X, features, levels_of(features))


def features_of_frame(X: Any, schema: Schema) -> pl.DataFrame:
    """Return the feature columns of ``schema`` from a data frame of any library."""
    frame = polars_frame(X, name="X")
    lacking = [column.name for column in schema.features if column.name not in frame.columns]
    if lacking:
        raise InputError(f"X must be a data frame with the columns of the schema; it lacks {lacking[0]!r}.")
    return frame.select([column.name for column in schema.features])


def column_bounds(bounds: tuple[Any, Any] | None, n_features: int) -> tuple[FloatArray, FloatArray]:
    """Return the lower and the upper bound of each column."""
    to_unit_cube(np.zeros((1, n_features)), bounds)  # type: ignore[arg-type]  # refuses what is no pair of bounds
    low, high = (np.broadcast_to(np.asarray(bound, dtype=np.float64), n_features) for bound in bounds or ())
    return low, high
