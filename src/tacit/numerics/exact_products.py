"""Products of rows with a matrix without any rounding, so that no row's result depends on the rows beside it.

Libraries of matrix products round a row by where it stands in its block, in ways that differ between processors. What
is computed so of one row would move when another is added, by more than a declared sensitivity allows for.
"""

import numpy as np

from tacit.arrays import FloatArray, Rows
from tacit.records import record

# Bits of a double, and those of the entries of rows.
DOUBLE_BITS, ROW_BITS = 53, 26
# Columns whose entries sum up to less are cut to zeros: their grid would be finer than doubles are.
LEAST_LENGTH = 1e-200


@record
class ExactMatrix:
    """A matrix [p, k] to multiply rows with, cut to a grid.

    Entries x of rows are clipped to at most ``largest`` and cut to multiples of q, those of a column b of the matrix to
    multiples of r. Every partial sum of x_j b_j, in any order, is a multiple of q r and at most ``largest`` |b|_1 <=
    2^53 q r: a double holds it exactly, with or without fused operations.
    """

    values: FloatArray
    """[p, k]: multiples of r, which differs from column to column."""
    largest: float
    quantum: float
    """q."""

    @classmethod
    def of(cls, matrix: Rows, *, largest: float) -> "ExactMatrix":
        """Return the nearest such matrix to ``matrix`` for rows with entries of at most ``largest``."""
        whole = np.asarray(matrix, dtype=np.float64)
        quantum = float(_power_of_two(np.array(largest))) * 2.0**-ROW_BITS
        lengths = np.maximum(np.abs(whole).sum(axis=0), LEAST_LENGTH)
        # One bit more: cutting a column may lengthen it.
        grid = 2 * _power_of_two(largest * lengths) * 2.0**-DOUBLE_BITS / quantum
        return cls(np.ascontiguousarray(np.rint(whole / grid) * grid), largest, quantum)

    def cut(self, X: Rows) -> FloatArray:
        """Return rows [N, p] with their entries on the grid, each by itself."""
        rows: FloatArray = np.clip(X, -self.largest, self.largest, dtype=np.float64)
        rows /= self.quantum
        np.rint(rows, out=rows)
        rows *= self.quantum
        return rows

    def __call__(self, X: Rows) -> FloatArray:
        """Return the products [N, k] of rows [N, p] with the matrix."""
        return np.asarray(self.cut(X) @ self.values)


def _power_of_two(sizes: FloatArray) -> FloatArray:
    """Return the least power of two above each size, which is above 0."""
    return np.asarray(np.ldexp(1.0, np.frexp(sizes)[1]))
