"""What estimators are given: arrays and data frames checked as scikit-learn does, in messages that quote no cell."""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.utils import validation

from tacit.arrays import BoolArray
from tacit.data.reading.frames import is_frame, is_missing_cell, polars_frame
from tacit.errors import InputError
from tacit.models.scikit_learn import BaseEstimator

NO_LABELS = "no_validation"


def validate_data(estimator: BaseEstimator, X: Any, y: Any = NO_LABELS, **settings: Any) -> Any:
    """Return ``X``, or ``X`` and ``y``, as scikit-learn's function of this name does; ``estimator`` knows the columns.

    Where text stands among numbers, scikit-learn shows the text. Here the message names the column instead.
    """
    try:
        return validation.validate_data(estimator, X, y, **settings)
    except ValueError as problem:
        if "could not convert" not in str(problem):
            raise
        raise _text_among_numbers(estimator, X) from None


def column_of(values: Any) -> NDArray[Any]:
    """Return a column (list, array, series of any library) as an array [N]; one cell is None where it is missing.

    Missing are None, NaN, what pandas calls NA, and blank texts. An array without missing cells keeps its type.
    """
    if values is None:
        raise InputError("fit requires y to be passed, but the target y is None.")
    cells = values if isinstance(values, np.ndarray) else _array(values)
    cells = np.asarray(validation.column_or_1d(cells, warn=True))
    missing = missing_cells(cells)
    if not missing.any():
        return np.asarray(cells.tolist()) if _is_plain_text(cells) else cells
    objects = cells.astype(object)
    objects[missing] = None
    return objects


def full_labels(estimator: BaseEstimator, y: Any) -> NDArray[Any]:
    """Return the labels ``y`` as an array [N]; rows without one are refused."""
    labels = column_of(y)
    if missing_cells(labels).any():
        raise InputError(
            "y must hold a label for every row; got rows without one (None, NaN or blank). "
            f"{type(estimator).__name__} learns from labelled rows: leave the others out."
        )
    return labels


def missing_cells(cells: NDArray[Any]) -> BoolArray:
    """Return which cells of a column [N] are missing."""
    match cells.dtype.kind:
        case "f":
            return np.asarray(np.isnan(cells))
        case "U":
            return np.asarray(np.char.strip(cells) == "")
        case "O":
            return np.fromiter((_is_missing(cell) for cell in cells), dtype=np.bool_, count=len(cells))
    return np.zeros(len(cells), dtype=np.bool_)


def _is_missing(cell: Any) -> bool:
    return not cell.strip() if isinstance(cell, str) else is_missing_cell(cell)


def _is_plain_text(cells: NDArray[Any]) -> bool:
    return cells.dtype.kind == "O" and all(isinstance(cell, str) for cell in cells)


def _array(values: Any) -> NDArray[Any]:
    if is_frame(values):
        frame = polars_frame(values, name="y")
        return frame.to_numpy() if frame.width != 1 else frame.to_series().to_numpy()
    # Series of polars, pandas and pyarrow know how to become arrays; a list with None becomes one of objects.
    return np.asarray(values)


def _text_among_numbers(estimator: BaseEstimator, X: Any) -> InputError:
    name = type(estimator).__name__
    column = _text_column(X)
    if column is None:
        return InputError(f"y must hold numbers for {name}; got text.")
    return InputError(
        f"X: column {column} holds text, and {name} learns from numbers. Encode it first: "
        "`tacit.encode(frame, schema).X`, a `SchemaEncoder` in a pipeline, or scikit-learn's OneHotEncoder."
    )


def _holds_text(series: pl.Series) -> bool:
    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        return False
    return series.cast(pl.Float64, strict=False).null_count() > series.null_count()


def _text_column(X: Any) -> str | None:
    """Return what to call the first column of ``X`` that holds text; None if there is none."""
    if is_frame(X):
        frame = polars_frame(X, name="X")
        return next((repr(series.name) for series in frame if _holds_text(series)), None)
    cells = np.asarray(X, dtype=object)
    columns = cells.reshape(len(cells), -1).T
    return next((str(place) for place, column in enumerate(columns) if any(isinstance(c, str) for c in column)), None)
