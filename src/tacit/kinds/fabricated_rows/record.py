"""Fabrication per record: noisy sums and counts of the classes, then noisy products of what is left of each row."""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from tacit.arrays import Codes, FloatArray, IntArray
from tacit.data.rows.encoded_columns import EncodedColumns
from tacit.data.rows.stream import RowStream, Totals
from tacit.errors import InputError
from tacit.kinds.fabricated_rows.directions import BLOCK, Directions
from tacit.kinds.fabricated_rows.gaussians import NoisyMoments
from tacit.models.bounded_rows import clip_rows, row_quantum
from tacit.models.class_moments.features import class_sums, count_weight
from tacit.numerics.exact_sums import IntegerSum, WholeNumbers
from tacit.privacy.account import Account, Step
from tacit.privacy.accounting import calibrate
from tacit.privacy.budget import Budget
from tacit.privacy.events import Event, SequentialEvent
from tacit.privacy.mechanisms import Gaussian

# The part of the budget, as a share of squared signal over noise, that goes to the sums and counts.
MEAN_SHARE = 0.15
# Coordinates are cut to so many binary digits before they are added, and before they are multiplied.
SUM_DIGITS, DIGITS = 26, 13
# sqrt(2) in units of 2^-7, rounded down: within 0.01 %. Few digits, so that sums of several parties stay on one grid.
ROOT_BITS = 7
ROOT = math.isqrt(2 * 4**ROOT_BITS)


def record_steps(directions: Directions, budget: Budget) -> list[Step]:
    """Return the two queries: Gaussian noise on sums and counts, then on the products of coordinates.

    Adding one row moves one class sum by at most r and one count by 1, weighted w: sqrt(r² + w²) together. It moves
    the products of one class by z zᵀ, whose Frobenius norm |z|² is at most s², s the length to which z is shortened.
    Both queries are whole numbers: no rounding adds to either.
    """
    first = math.nextafter(math.hypot(directions.row_norm, count_weight(directions.row_norm)), math.inf)
    second = math.nextafter(directions.spread_norm**2, math.inf)
    n_products = _n_products(directions)

    def mechanisms(level: float) -> tuple[Gaussian, Gaussian]:
        return (
            Gaussian(level * first / math.sqrt(MEAN_SHARE), first, directions.size + 1),
            Gaussian(level * second / math.sqrt(1 - MEAN_SHARE), second, n_products),
        )

    def events(level: float) -> Event:
        return SequentialEvent(tuple(each.event for each in mechanisms(level)))

    sums, products = mechanisms(calibrate(events, budget))
    return [
        Step(
            sums,
            "class sums of public coordinates of the rows, and class counts",
            f"adding one row moves one class sum by at most {directions.row_norm:.6g}, to which its coordinates are "
            f"shortened, and one count by 1, weighted {count_weight(directions.row_norm):g}",
        ),
        Step(
            products,
            "class sums of products of two coordinates, less the released class mean",
            f"adding one row moves one class's products by at most {directions.spread_norm:.6g}², the square of the "
            "length to which the coordinates are shortened",
        ),
    ]


def class_totals(rows: RowStream, n_classes: int, directions: Directions) -> Totals:
    """Return class sums of the coordinates in whole quanta, and class counts: one pass, without any noise yet."""
    return rows.sums(partial(whole_sums, directions, n_classes))


def released_moments(account: Account, totals: Totals, rows: RowStream, directions: Directions) -> NoisyMoments:
    """Return noisy class moments from ``totals`` and one more pass, centred by the answer to the first query."""
    first, second = (step.mechanism for step in account.steps)
    if not isinstance(first, Gaussian) or not isinstance(second, Gaussian):
        raise InputError("a plan of moments holds Gaussian noise.")
    weight, quantum = count_weight(directions.row_norm), row_quantum(directions.row_norm, SUM_DIGITS)
    sums, counts = totals
    query = np.column_stack([sums.astype(object), counts.astype(object) * int(weight / quantum)])
    noisy = account.release(first, IntegerSum(query, quantum))
    sizes = np.maximum(noisy[:, -1] / weight, 1.0)
    means = noisy[:, :-1] / sizes[:, None]
    # No row is longer than its bound, so neither is a mean; noise on a small class can only be cut.
    means *= np.minimum(1.0, directions.row_norm / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-300))
    (products,) = rows.sums(partial(whole_products, directions, means))
    step = row_quantum(directions.spread_norm, DIGITS) ** 2 * 2.0**-ROOT_BITS
    triangle = account.release(second, IntegerSum(triangles(products), step))
    covariances = matrices(triangle, directions.size) / sizes[:, None, None]
    return NoisyMoments(
        means,
        covariances,
        sizes,
        directions.size * (first.sigma / sizes) ** 2,
        _n_products(directions) * (second.sigma / sizes) ** 2,
    )


def whole_sums(directions: Directions, n_classes: int, rows: EncodedColumns) -> Totals:
    """Return class sums of the shortened coordinates [C, d] in whole quanta, and class counts [C]."""
    sums = np.zeros((n_classes, directions.size), dtype=np.int64)
    quantum = row_quantum(directions.row_norm, SUM_DIGITS)
    for Z, codes in _coordinates(directions, rows):
        # Whole numbers below 2^27: sums of 4096 of them are exact in doubles, in any order.
        sums += class_sums(clip_rows(Z, directions.row_norm) / quantum, codes, n_classes)[0].astype(np.int64)
    return sums, np.bincount(rows.y, minlength=n_classes)


def whole_products(directions: Directions, means: FloatArray, rows: EncodedColumns) -> Totals:
    """Return class sums of the products of two shortened coordinates less their class's mean, in whole quanta.

    [C, d, d], or of squares alone [C, d] where directions are not correlated.
    """
    shape = (directions.size, directions.size) if directions.correlated else (directions.size,)
    products = np.zeros((len(means), *shape), dtype=np.int64)
    quantum = row_quantum(directions.spread_norm, DIGITS)
    for Z, codes in _coordinates(directions, rows):
        whole = shortened(Z - means[codes], directions.spread_norm) / quantum
        for code in np.unique(codes):
            of_class = whole[codes == code]
            # Below 2^28 each: sums of 4096 products are exact in doubles.
            products[code] += _squares(of_class, correlated=directions.correlated)
    return (products,)


def _squares(whole: FloatArray, *, correlated: bool) -> IntArray:
    products: FloatArray = whole.T @ whole if correlated else (whole**2).sum(axis=0)
    return products.astype(np.int64)


def _coordinates(directions: Directions, rows: EncodedColumns) -> Iterator[tuple[FloatArray, Codes]]:
    starts = range(0, len(rows), BLOCK)
    for start, block in zip(starts, rows.blocks(BLOCK), strict=True):
        codes = rows.y[start : start + BLOCK].astype(np.intp)
        yield directions.coordinates(block)[: len(codes)], codes


def shortened(Z: FloatArray, norm: float) -> FloatArray:
    """Return ``Z`` with rows no longer than ``norm``, cut to 13 binary digits."""
    lengths = np.linalg.norm(Z, axis=1, keepdims=True)
    inside = Z * np.minimum(1.0, norm * (1 - 2.0**-40) / np.maximum(lengths, np.finfo(float).tiny))
    quantum = row_quantum(norm, DIGITS)
    cut: FloatArray = np.trunc(inside / quantum) * quantum
    return cut


def _n_products(directions: Directions) -> int:
    d = directions.size
    return d * (d + 1) // 2 if directions.correlated else d


def triangles(products: IntArray) -> WholeNumbers:
    """Return the upper triangles of matrices [C, d, d] in units of 2^-7, off-diagonal entries times sqrt(2).

    The factor keeps the length: |triangle| is the Frobenius norm of the matrix, or less where it is rounded down.
    Diagonals [C, d] are taken as they are.
    """
    whole = products.astype(object)
    if products.ndim == 2:
        return np.asarray(whole << ROOT_BITS)
    rows, columns = np.triu_indices(products.shape[-1])
    factors = np.where(rows == columns, 1 << ROOT_BITS, ROOT).astype(object)
    return np.asarray(whole[:, rows, columns] * factors)


def matrices(released: FloatArray, size: int) -> FloatArray:
    """Return symmetric matrices [C, d, d] from released triangles or diagonals."""
    symmetric = np.zeros((len(released), size, size))
    if released.shape[1] == size:
        symmetric[:, np.arange(size), np.arange(size)] = released
        return symmetric
    rows, columns = np.triu_indices(size)
    values = released / np.where(rows == columns, 1.0, ROOT / (1 << ROOT_BITS))
    symmetric[:, rows, columns] = values
    symmetric[:, columns, rows] = values
    return symmetric
