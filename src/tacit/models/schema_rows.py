"""Data frames with the columns of a schema as encoded rows, inside an estimator or as a step of a pipeline."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.utils.validation import check_array

from tacit.arrays import FloatArray, Rows
from tacit.data.reading.frames import is_frame, polars_frame
from tacit.data.rows.encoding import encode
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.estimator_input import validate_data
from tacit.models.scikit_learn import BaseEstimator, TransformerMixin


def schema_rows(
    estimator: BaseEstimator, X: Any, schema: Schema | None, *, dtype: Any, reset: bool = True
) -> NDArray[Any]:
    """Return encoded rows: of a data frame with the columns of ``schema``, or ``X`` itself, which is encoded already.

    ``estimator`` remembers the columns, or with ``reset=False`` requires them again.
    """
    if schema is None or not has_columns(X, schema):
        if not reset and schema is not None and hasattr(estimator, "feature_names_in_") and not is_frame(X):
            # Fitted on a frame, asked about encoded rows: they have no names to compare.
            return _as_wide(check_array(X, dtype=dtype), estimator)
        return np.asarray(validate_data(estimator, X, dtype=dtype, reset=reset))
    rows = encode(polars_frame(X, name="X"), schema, dtype=_precision(dtype), source="X").X
    if not reset:
        return _as_wide(rows, estimator)
    estimator.n_features_in_ = rows.shape[1]
    estimator.feature_names_in_ = np.array([column.name for column in schema.features], dtype=object)
    return check_array(rows, dtype=dtype)  # type: ignore[no-any-return]  # refuses a frame without rows


def has_columns(X: Any, schema: Schema) -> bool:
    """Return whether ``X`` is a data frame with a column of ``schema``: one that is to be encoded by it."""
    if not is_frame(X):
        return False
    names = {str(name) for name in getattr(X, "column_names", None) or X.columns}
    features = {column.name for column in schema.features}
    # A frame of encoded rows may share names of plain numbers, and has all the encoded names.
    return bool(names & features) and not (set(schema.encoded_names) <= names and set(schema.encoded_names) != features)


def _as_wide(rows: NDArray[Any], estimator: BaseEstimator) -> NDArray[Any]:
    if rows.shape[1] != estimator.n_features_in_:
        raise InputError(
            f"X must have the {estimator.n_features_in_} encoded columns that {type(estimator).__name__} was fitted "
            f"on; got {rows.shape[1]}."
        )
    return rows


def _precision(dtype: Any) -> DTypeLike:
    first = dtype[0] if isinstance(dtype, list) else dtype
    return np.dtype(first)


class SchemaEncoder(TransformerMixin, BaseEstimator):
    """Encode data frames by a schema, as a step of a pipeline: numbers in [0, 1] by public bounds, categories one-hot.

    Nothing is learned from the rows, so that nothing of them is given away: an estimator behind it has
    ``bounds=(0, 1)``.

    Parameters
    ----------
    schema : Schema
        Columns with their public bounds and categories; the label's column is not needed.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : array of str

    Examples
    --------
    >>> import polars as pl
    >>> from tacit.data.schemas.columns import Categorical, Numeric
    >>> schema = Schema((Numeric("age", (0, 100)), Categorical("sex", ("f", "m"))))
    >>> SchemaEncoder(schema).fit_transform(pl.DataFrame({"age": [50, 25], "sex": ["m", "f"]})).tolist()
    [[0.5, 0.0, 1.0], [0.25, 1.0, 0.0]]
    """

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn passes it
        """Check that the frame ``X`` fits the schema; nothing else is kept of it."""
        self._encoded(X)
        self.feature_names_in_ = np.array([column.name for column in self.schema.features], dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return the encoded rows [N, encoded columns]."""
        return np.asarray(self._encoded(X), dtype=np.float64)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:  # noqa: ARG002 - as above
        """Return the names of the encoded columns."""
        return np.array(self.schema.encoded_names, dtype=object)

    def _encoded(self, X: Any) -> Rows:
        return encode(polars_frame(X, name="X"), self.schema, source="X").X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.no_validation = True
        tags.input_tags.two_d_array = False
        tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        return tags


def require_encoded_columns(schema: Schema, n_columns: int) -> Schema:
    """Return ``schema``; raise InputError unless rows encoded by it have ``n_columns`` columns."""
    if len(schema.encoded_names) != n_columns:
        raise InputError(f"X must have the {len(schema.encoded_names)} encoded columns of the schema; got {n_columns}.")
    return schema
