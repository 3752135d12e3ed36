"""Sums over rows in whole numbers: the same in whatever order, batches and places the rows are added.

A row's entries are written as multiples of a quantum, a power of two, and added in 64-bit integers. An entry of at most
2^22 quanta and a table of at most 2^40 rows stay below 2^62: public facts alone rule out an overflow.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray, IntArray, Rows
from tacit.errors import InputError
from tacit.records import record

# Quanta of the largest entry, and rows of the largest table. Doubles add entries of up to 2^30 rows exactly.
LARGEST_ENTRY = 1 << 22
MOST_ROWS = 1 << 40
# Up to so many classes a product sums faster than a count by class.
FEW_CLASSES = 4

WholeNumbers = NDArray[np.object_]  # Python integers, which never overflow
# The longest part of one row in a query of sensitivity 1 whose quantum is 2^-32, and the rows of which 64 bits hold it.
ROW_BITS = 32
MOST_ROWS_IN_64_BITS = 1 << 30


@record
class IntegerSum:
    """A sum over rows of whole numbers: what a query asks, the same however the rows are divided."""

    integers: NDArray[Any]
    """Of 64 bits, or Python integers where those could overflow."""
    quantum: float
    """A power of two: what each of them counts for."""

    @property
    def values(self) -> FloatArray:
        """The sum in doubles, to which it is rounded."""
        return self.integers.astype(np.float64) * self.quantum

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the sum."""
        return self.integers.shape

    def repeated(self, times: int) -> "IntegerSum":
        """Return the sum ``times`` times [times, ...]."""
        return IntegerSum(np.broadcast_to(self.integers, (times, *self.shape)), self.quantum)


def with_room(sums: IntArray, n_rows: int) -> NDArray[Any]:
    """Return ``sums`` over ``n_rows`` rows in a type that holds what rows of up to 2^32 quanta add up to."""
    return sums if n_rows <= MOST_ROWS_IN_64_BITS else sums.astype(object)


def unit_entry(width: int) -> tuple[int, float]:
    """Return the largest entry m, in quanta, and the quantum q of rows of ``width`` entries with norm at most 1.

    q = 2^-k and m = floor(2^k / sqrt(width)), both by integer arithmetic: ``width`` entries of at most m quanta have
    width m² <= 4^k, so that no row of them is longer than 1.

    >>> unit_entry(4)
    (4194304, 1.1920928955078125e-07)
    """
    bits = 22 + (width.bit_length() - 1) // 2
    return math.isqrt(4**bits // width), 2.0**-bits


def class_summation(codes: NDArray[np.integer], n_classes: int) -> Callable[[FloatArray], IntArray]:
    """Return the function that sums whole numbers [N] of at most 2^23 in size over each class [C].

    Up to 2^29 rows every partial sum is a whole number below 2^53, so that both ways are exact in any order: a product
    with the classes' rows of zeros and ones, several times faster for few classes, and a count by class.
    """
    if n_classes > FEW_CLASSES:
        return lambda values: np.bincount(codes, weights=values, minlength=n_classes).astype(np.int64)
    membership = np.empty((n_classes, len(codes)))  # [C, N]
    for code, row in enumerate(membership):
        np.equal(codes, code, out=row, casting="unsafe")
    return lambda values: (membership @ values).astype(np.int64)


def quanta(x: Rows, largest: int) -> FloatArray:
    """Return numbers from 0 to 1 as whole numbers from 0 to 2 largest, rounded: 2 x in quanta.

    Less ``largest`` for each row they are 2 x - 1, which lies between -largest and largest.
    """
    scaled: FloatArray = np.multiply(x, 2.0 * largest, dtype=np.float64)
    scaled += 0.5
    return np.floor(scaled, out=scaled)


def require_countable(n_rows: int, most: int = MOST_ROWS) -> None:
    """Raise InputError for more rows than sums have room for; ``most`` is a power of two."""
    if n_rows > most:
        power = most.bit_length() - 1
        raise InputError(
            f"a table must have at most 2^{power} rows for exact sums; got {n_rows:,}. Release parts of it."
        )
