"""The two-class problems of a table with rows of bounded length, as the mechanisms of linear classifiers read them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tacit import checks
from tacit.arrays import FloatArray, IntArray
from tacit.data.rows.parts import row_parts
from tacit.data.schemas.columns import Categorical
from tacit.data.schemas.schema import Schema
from tacit.models.bounded_rows import to_unit_cube

# Rows end a little inside the unit ball: room for the rounding of the division.
INSIDE = 1 - 2.0**-40
# The squares of anything shorter vanish in double precision: such a row counts as this long.
SHORTEST = 1e-150
# A margin under prior weights beyond which the loss is a line or nothing, in double precision.
FURTHEST_MARGIN = 1e6
REPLACED = "two tables are neighbours if one row, with its label, is another one; the number of rows is public"
EVERY_CLASS = "; a row takes part in the problem of every class, and each has an equal part of epsilon"
ADDED = "two tables are neighbours if one row, with its label, is added, removed or another one"


def centred(X: FloatArray, bounds: tuple[Any, Any] | None) -> FloatArray:
    """Return 2(X - low)/(high - low) - 1 in [-1, 1], or ``X`` itself without bounds."""
    if bounds is None:
        return X
    rows = to_unit_cube(X, bounds)
    rows *= 2
    rows -= 1
    return rows


def schema_bounds(schema: Schema) -> tuple[FloatArray, FloatArray]:
    """Return public bounds of the encoded columns of ``schema`` that centre them without looking at the rows.

    A number in [0, 1] becomes 2x - 1. One of k categories becomes x - 1/k: rows then differ by what they hold rather
    than share what they lack. A flag for missing stays as it is, since most cells are not.
    """
    low, high = [], []
    for column in schema.features:
        k = len(column.encoded_names)
        if isinstance(column, Categorical):
            low += [1 / k - 1] * k
            high += [1 / k + 1] * k
        else:
            low += [0.0, -1.0][:k]
            high += [1.0, 1.0][:k]
    return np.array(low), np.array(high)


def row_factors(X: FloatArray, row_norm: float | None = None) -> FloatArray:
    """Return by what each row is multiplied to have length 1, or, with a public ``row_norm``, at most 1.

    Each row is scaled by itself alone; with a row norm, shorter rows are divided by it. Rows of zeros stay zeros, and
    rows beyond 1e154, whose squares are infinite, become zeros.
    """
    with np.errstate(over="ignore"):
        lengths = np.sqrt(np.vecdot(X, X))
    if row_norm is not None:
        lengths = np.maximum(lengths, checks.positive("row_norm", row_norm))
    factors: FloatArray = INSIDE / np.maximum(lengths, SHORTEST)
    return factors


def unit_rows(X: FloatArray, row_norm: float | None = None) -> FloatArray:
    """Return the rows of ``X`` multiplied by their `row_factors`."""
    scaled: FloatArray = X * row_factors(X, row_norm)[:, None]
    return scaled


def n_problems(n_classes: int) -> int:
    """Return how many two-class problems tell ``n_classes`` apart: one for two classes, else one for each."""
    return 1 if n_classes == 2 else n_classes


def signs_of(codes: NDArray[np.intp], n_classes: int) -> FloatArray:
    """Return the label of each row in each problem [R, N]: 1 for the problem's class, -1 for the rest."""
    targets = np.arange(n_classes)[:, None] if n_classes > 2 else np.array([[1]])
    return np.where(codes == targets, 1.0, -1.0)


def query_of(X: FloatArray, factors: FloatArray, prior: FloatArray, n_rows: int) -> FloatArray:
    """Return the input of objective perturbation [n_rows, d+1]: rows times factors, and their margins under ``prior``.

    ``factors`` [N] are the row factors times the labels, -1 or 1. Rows of zeros, which weigh nothing, fill up to
    ``n_rows``, so that adding a row is replacing one.
    """
    n, d = X.shape
    values = np.empty((n_rows, d + 1))
    values[n:] = 0.0
    # One pass, in place: the table may be most of the memory.
    np.multiply(X, factors[:, None], out=values[:n, :d])
    values[:n, d] = saturated(values[:n, :d] @ prior) if prior.any() else 0.0
    return values


def query_parts(X: FloatArray, codes: NDArray[np.intp], n_parts: int, n_rows: int) -> IntArray:
    """Return in which of ``n_parts`` each row of a `query_of` lies [n_rows], by what it holds.

    The rows of zeros that fill up to ``n_rows`` lie in part 0; they weigh nothing in any part.
    """
    parts = np.zeros(n_rows, dtype=np.int64)
    parts[: len(X)] = row_parts(X, codes, n_parts)
    return parts


def classes_query(
    X: FloatArray, factors: FloatArray, codes: NDArray[np.intp], prior: FloatArray, n_rows: int
) -> FloatArray:
    """Return the input of `AgainstRest` [n_rows, d + 1 + R]: rows times factors, class codes, margins under each prior.

    ``prior`` is [R, d]; what is lacking to ``n_rows`` is filled up as in `query_of`.
    """
    n, d = X.shape
    values = np.zeros((n_rows, d + 1 + len(prior)))
    np.multiply(X, factors[:, None], out=values[:n, :d])
    values[:n, d] = codes
    if prior.any():
        values[:n, d + 1 :] = saturated(values[:n, :d] @ prior.T)
    return values


def with_shares(query: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Return ``query`` [n_rows, k] with a column of ``weights`` [N] behind it; rows that fill it up count nothing."""
    if weights is None:
        return query
    return np.column_stack([query, np.pad(weights, (0, len(query) - len(weights)))])


def saturated(margins: FloatArray) -> FloatArray:
    """Return ``margins``, those beyond 1e6 in size as 1e6: each row by itself, so that no inequality changes.

    The slope of the logistic loss is 0 or 1 there to the last digit, and no row can make a sum overflow.
    """
    clipped: FloatArray = np.clip(margins, -FURTHEST_MARGIN, FURTHEST_MARGIN)
    return clipped


def class_probabilities(scores: FloatArray) -> FloatArray:
    """Return class probabilities [N, C] from the scores of the problems [N, R], each taken as a logistic margin."""
    logistic: FloatArray = expit(scores)
    if scores.shape[1] == 1:
        return np.column_stack([1 - logistic[:, 0], logistic[:, 0]])
    normalised: FloatArray = logistic / np.maximum(logistic.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    return normalised
