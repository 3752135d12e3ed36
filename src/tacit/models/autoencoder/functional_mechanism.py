"""The functional mechanism: objectives as polynomials of the weights, their coefficients released once with noise."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from tacit.arrays import FloatArray
from tacit.numerics.exact_sums import IntegerSum, WholeNumbers
from tacit.privacy.account import Account
from tacit.privacy.accounting import calibrate
from tacit.privacy.budget import Budget
from tacit.privacy.events import SequentialEvent
from tacit.privacy.mechanisms import Gaussian, Laplace

Norm = Literal[1, 2]
# Rows are cut to multiples of this: sums of products are whole numbers, exact in doubles for a block of rows.
QUANTUM = 2.0**-13
BLOCK_ROWS = 1 << 16
# Rows times their weights are cut to finer multiples: times a row they still leave 2^20 of them exact.
WEIGHTED_QUANTUM = 2.0**-20
# What an entry off the diagonal weighs: it stands for two. In 2-norm the square root of two, cut to few digits.
OFF_DIAGONAL: dict[Norm, float] = {1: 2.0, 2: 45 / 32}
ROOT_BITS = 5


@dataclass(frozen=True)
class Polynomial:
    """f(W) = sum over outputs j of linear[j] · W[j] + W[j] quadratic W[j]ᵀ, constants left out: [functional] eq. 1.

    ``linear`` is [m, b], ``quadratic`` [b, b] is shared by all outputs, weights W are [m, b].
    """

    linear: FloatArray
    quadratic: FloatArray

    def at(self, W: FloatArray) -> float:
        """Return f(W)."""
        return float((self.linear * W).sum() + np.einsum("je,ef,jf->", W, self.quadratic, W))

    def gradient(self, W: FloatArray) -> FloatArray:
        """Return the derivative by the weights [m, b]."""
        slope: FloatArray = self.linear + W @ (self.quadratic + self.quadratic.T)
        return slope

    def minimiser(self, *, ridge: float) -> FloatArray:
        """Return the weights that minimise f with ``quadratic`` made positive: eigenvalues cut at 0, plus ``ridge``.

        Noise leaves an objective without a minimum; both repairs read nothing but the noisy coefficients.
        """
        values, vectors = np.linalg.eigh((self.quadratic + self.quadratic.T) / 2)
        scaled = self.linear @ vectors / (-2 * (np.maximum(values, 0.0) + ridge))
        weights: FloatArray = scaled @ vectors.T
        return weights


def squared_error(C: FloatArray, M: FloatArray) -> Polynomial:
    """Return the objective of linear regression, sum |y - W h|², from C = sum y hᵀ [m, b] and M = sum h hᵀ [b, b].

    (y - w·h)² = y² - 2 y h·w + w h hᵀ wᵀ: exact. [functional] sect. 4.1.
    """
    return Polynomial(-2 * C, M)


def cross_entropy(S: FloatArray, C: FloatArray, M: FloatArray) -> Polynomial:
    """Return the truncated cross-entropy of targets t under sigmoid outputs of W h.

    log(1 + e^z) - t z = log 2 + (1/2 - t) z + z²/8 + O(z⁴), so linear = S/2 - C and quadratic = M/8 with S = sum h
    [b], C = sum t hᵀ [m, b] and M = sum h hᵀ. One output gives logistic regression ([dpa] eq. 14), the p features as
    targets the reconstruction ([dpa] eq. 11).
    """
    return Polynomial(S / 2 - C, M / 8)


def coefficient_bound(target: float, hidden: float, *, quadratic: float, norm: Norm) -> float:
    """Return how long the coefficients of one row can be: target · hidden and quadratic · hidden², joined.

    A row's linear coefficients are an outer product v hᵀ, whose p-norm is |v| |h|; its quadratic ones h hᵀ, each
    monomial once, have the 1-norm |h|² and, weighed by the square root of two off the diagonal, the 2-norm |h|².
    Replacing a row moves a sum by at most twice this, adding one by at most this.
    """
    parts = (target * hidden, quadratic * hidden**2)
    return sum(parts) if norm == 1 else math.hypot(*parts)


def printed_reconstruction_sensitivity(n_features: int, n_units: int) -> float:
    """Return d (b + b²/4), the sensitivity of [dpa] Lemma 2: quadratic coefficients are counted once per output."""
    return n_features * (n_units + n_units**2 / 4)


def printed_output_sensitivity(n_units: int) -> float:
    """Return b + b²/4, the sensitivity of [dpa] Lemma 3."""
    return n_units + n_units**2 / 4


def printed_truncation_error(n_outputs: int) -> float:
    """Return (e² + 2e - 1)/(e (1 + e)²) d, the bound of [dpa] Lemma 4 on what truncating costs on average over rows."""
    return (math.e**2 + 2 * math.e - 1) / (math.e * (1 + math.e) ** 2) * n_outputs


def truncation_remainder(width: float = 1.0) -> float:
    """Return how far log(1 + e^z) is from log 2 + z/2 + z²/8 at most where |z| <= ``width``.

    The fourth derivative of log(1 + e^z) is at most 1/8 in size and the third is 0 at 0: width⁴/192.
    """
    return width**4 / 192


def whole_rows(rows: FloatArray, quantum: float = QUANTUM) -> FloatArray:
    """Return ``rows`` in whole quanta, cut towards zero, which lengthens none of them."""
    return np.trunc(rows / quantum)


def whole_products(V: FloatArray, H: FloatArray, quantum: float = QUANTUM) -> WholeNumbers:
    """Return the sum over rows of v hᵀ [m, b] in whole products of quanta, exactly: blocks are added as integers.

    Entries of v and h within 2 have at most 2^21 and 2^14 quanta, and 2^16 products of them less than 2^53.
    """
    total = np.zeros((V.shape[1], H.shape[1]), dtype=object)
    for start in range(0, len(V), BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        total += (whole_rows(V[rows], quantum).T @ whole_rows(H[rows])).astype(np.int64).astype(object)
    return total


@dataclass(frozen=True)
class MomentQuery:
    """C = sum v hᵀ [m, b] and M = sum h hᵀ [b, b] as one vector: all that a layer asks of the data.

    Inequality: adding a row with |v| <= target_norm and |h| <= hidden_norm (both in the ``norm`` of the noise) moves
    the vector by at most ``sensitivity``, see ``coefficient_bound``.

    Parameters
    ----------
    n_targets, n_units : int
        m and b.
    target_norm, hidden_norm : float
    norm : 1 or 2
        1 for Laplace, 2 for Gaussian noise.
    weight : float
        What M weighs beside C, a power of two, so that products are exact. 0: as much as takes an equal part.
    """

    n_targets: int
    n_units: int
    target_norm: float
    hidden_norm: float
    norm: Norm
    weight: float = 0.0

    def __post_init__(self) -> None:
        if not self.weight:
            equal = 2.0 ** round(math.log2(self.target_norm / self.hidden_norm))
            object.__setattr__(self, "weight", equal)

    @property
    def sensitivity(self) -> float:
        """How far one row moves the vector."""
        bound = coefficient_bound(self.target_norm, self.hidden_norm, quadratic=self.weight, norm=self.norm)
        return math.nextafter(bound, math.inf)

    @property
    def coordinates(self) -> int:
        """The length of the vector."""
        return self.n_targets * self.n_units + self.n_units * (self.n_units + 1) // 2

    def total(self, V: FloatArray, H: FloatArray, weights: FloatArray | None = None) -> IntegerSum:
        """Return the true vector of rows ``V`` [N, m] and ``H`` [N, b], cut to the quantum: a sum of whole numbers.

        ``weights`` [N] in [0, 1] multiply each row's products, which makes none of them larger. Cutting towards zero
        lengthens no row, so that the sensitivity covers it; in whole numbers nothing else is rounded, and no order of
        the rows changes a digit.
        """
        quantum = QUANTUM if weights is None else WEIGHTED_QUANTUM
        weighted = (rows if weights is None else QUANTUM * whole_rows(rows) * weights[:, None] for rows in (V, H))
        C, M = (whole_products(rows, H, quantum) for rows in weighted)
        above, finest = M[np.triu_indices(self.n_units, 1)], min(self.weight, 1.0) * 2.0**-ROOT_BITS
        factors = (1.0, self.weight, self.weight * OFF_DIAGONAL[self.norm])
        parts = zip((C.ravel(), np.diagonal(M), above), factors, strict=True)
        integers = np.concatenate([part * int(factor / finest) for part, factor in parts])
        return IntegerSum(integers, QUANTUM * quantum * finest)

    def moments(self, answer: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return C and M from a noisy ``answer``."""
        first, second = self.n_targets * self.n_units, self.n_targets * self.n_units + self.n_units
        M = np.zeros((self.n_units, self.n_units))
        M[np.triu_indices(self.n_units, 1)] = answer[second:] / (OFF_DIAGONAL[self.norm] * self.weight)
        M += M.T + np.diag(answer[first:second] / self.weight)
        return answer[:first].reshape(self.n_targets, self.n_units), M

    def ridge(self, mechanism: Laplace | Gaussian) -> float:
        """Return about the spectral norm of the noise in M: eigenvalues below it are noise."""
        level = mechanism.sigma if isinstance(mechanism, Gaussian) else mechanism.scale
        return level / self.weight * math.sqrt(self.n_units)


def split_noise(
    queries: Sequence[MomentQuery], shares: Sequence[float], *, budget: Budget
) -> list[Laplace] | list[Gaussian]:
    """Return a mechanism for each query, together within ``budget``; ``shares`` add up to 1.

    With delta 0 a share is one of epsilon (Laplace noise), else one of 1/sigma², which is what Gaussians add up [gdp].
    """
    return _split_noise(tuple(queries), tuple(shares), budget)


@lru_cache(maxsize=64)  # a search for a noise level takes longer than a small fit
def _split_noise(
    queries: tuple[MomentQuery, ...], shares: tuple[float, ...], budget: Budget
) -> list[Laplace] | list[Gaussian]:
    if budget.delta == 0:
        return [
            Laplace.for_epsilon(budget.epsilon * share, sensitivity=query.sensitivity, coordinates=query.coordinates)
            for query, share in zip(queries, shares, strict=True)
        ]

    def at(level: float) -> list[Gaussian]:
        return [
            Gaussian(level * query.sensitivity / math.sqrt(share), query.sensitivity, query.coordinates)
            for query, share in zip(queries, shares, strict=True)
        ]

    return at(calibrate(lambda level: SequentialEvent(tuple(mechanism.event for mechanism in at(level))), budget))


def released_moments(
    account: Account,
    query: MomentQuery,
    mechanism: Laplace | Gaussian,
    V: FloatArray,
    H: FloatArray,
    *,
    weights: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return noisy C and M of the rows: the one reading of the data that a layer makes."""
    return query.moments(account.release(mechanism, query.total(V, H, weights)))
