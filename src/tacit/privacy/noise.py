"""Exact noise on the integers, drawn as whole arrays: the one door through which randomness enters a release.

Every sampler decides each bit by comparing random digits with the binary expansion of a probability and asks for
more digits while they are equal, so probabilities are exact: no threshold is rounded and no bias is left to account.
"""

import math
from collections.abc import Callable, Iterator
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.arrays import BoolArray, FloatArray, IntArray
from tacit.privacy.stream import NoiseStream

# Rows worked on at a time: the few arrays of a chunk stay in a core's own cache.
CHUNK = 1 << 15
# Beyond e^-45 < 2^-64 a geometric variable starts afresh (it has no memory).
OVERFLOW = 45
# Doubles give e^-x to a relative 2^-40 for every x below 700; nearer calls are decided with exact arithmetic.
DOUBLE_DOUBT = 2.0**-38


class Probability:
    """A number in [0, 1) known to as many binary digits as anyone asks for.

    Parameters
    ----------
    floor : callable
        Takes a number of bits and returns the probability times 2^bits, rounded down without error.
    """

    def __init__(self, floor: Callable[[int], int]) -> None:
        self.floor = floor
        self._words: dict[int, int] = {}

    @classmethod
    def exp(cls, exponent: Fraction) -> "Probability":
        """Return e^(-exponent), exponent > 0."""
        return cls(lambda bits: _certain_floor(lambda context: _exp(-exponent, context), bits))

    @classmethod
    def logistic(cls, exponent: Fraction, weight: int = 1) -> "Probability":
        """Return w / (w + e^exponent), w the ``weight``, exponent of either sign but not 0."""

        def evaluate(context: Context) -> Decimal:
            return context.divide(Decimal(weight), context.add(Decimal(weight), _exp(exponent, context)))

        return cls(lambda bits: _certain_floor(evaluate, bits))

    @classmethod
    def ratio(cls, value: Fraction) -> "Probability":
        """Return the rational number ``value``."""
        return cls(lambda bits: (value.numerator << bits) // value.denominator)

    def word(self, index: int) -> int:
        """Return the binary expansion's word ``index``: 16 bits first, 64 in each one after.

        A word depends on its index alone, so that threads which fill the memory at the same time write the same.
        """
        word = self._words.get(index)
        if word is None:
            bits = 16 + 64 * index
            word = self.floor(bits) - (self.floor(bits - 64) << 64 if index else 0)
            self._words[index] = word
        return word


def bernoulli(stream: NoiseStream, count: int, probability: Probability) -> BoolArray:
    """Return ``count`` independent trials that are true with exactly ``probability``."""
    return _resolve(stream, stream.words(count, np.uint16), probability)


def discrete_laplace(stream: NoiseStream, count: int, scale: Fraction) -> IntArray:
    """Return integers with P(k) = tanh(1/2s) e^(-|k|/s), s the ``scale``: [discrete] for the law.

    One geometric variable g and one sign: g with probability 1/(1+r), else -1-g, r = e^(-1/s).
    """
    sampler = _geometric(scale)
    out = np.empty(count, np.int64)
    for part in _chunks(count):
        size = part.stop - part.start
        negative = bernoulli(stream, size, sampler.digits[0])
        # -1 - g is the bitwise complement of g, that is g xor -1.
        np.bitwise_xor(sampler.draw(stream, size), -negative.astype(np.int64), out=out[part])
    return out


def discrete_gaussian(stream: NoiseStream, count: int, sigma: float) -> IntArray:
    """Return integers with P(k) proportional to e^(-k²/2sigma²).

    Discrete Laplace proposals of scale t near sigma are kept with probability e^(-(|k| - sigma²/t)²/2sigma²):
    [discrete] Alg. 3, on whole arrays.
    """
    scale = Fraction(2) ** round(math.log2(sigma))
    variance = Fraction(sigma) ** 2
    middle = variance / scale

    def refuse(proposal: IntArray) -> FloatArray:
        shifted: FloatArray = (np.abs(proposal) - float(middle)) / sigma
        return 0.5 * shifted**2

    def refuse_exactly(proposal: int) -> Fraction:
        return (abs(proposal) - middle) ** 2 / (2 * variance)

    def propose(size: int) -> IntArray:
        return discrete_laplace(stream, size, scale)

    out = np.empty(count, np.int64)
    for part in _chunks(count):
        _fill_by_rejection(stream, out[part], propose, refuse, refuse_exactly)
    return out


def staircase(stream: NoiseStream, shape: tuple[int, int], *, epsilon: float, steps: int, first: int) -> IntArray:
    """Return integer rows x with P(x) proportional to e^(-epsilon j), j the plateau of the row's 1-norm.

    Plateau 0 holds norms below ``first``, each further one ``steps`` more: a row moved by at most ``steps`` in
    1-norm lands at most one plateau away. With one column this is [staircase]'s mechanism on the integers, with
    more its radial form. Rows of independent discrete Laplace noise of scale steps/epsilon are uniform given
    their norm, and are kept with probability e^(-epsilon (first + j steps - norm)/steps): a share that falls like
    e^-epsilon, so that numbers of their own are drawn plateau by plateau where epsilon is large.
    """
    if shape[1] == 1 and epsilon > 1:
        return _scalar_staircase(stream, shape[0], Fraction(epsilon), steps, first).reshape(shape)
    rate = Fraction(epsilon) / steps

    def short_of_edge(rows: IntArray) -> IntArray:
        norms = np.abs(rows).sum(axis=-1)
        plateau = np.where(norms < first, 0, (norms - first) // steps + 1)
        short: IntArray = first + plateau * steps - norms
        return short

    def refuse(rows: IntArray) -> FloatArray:
        return short_of_edge(rows).astype(np.float64) * float(rate)

    def refuse_exactly(row: IntArray) -> Fraction:
        return int(short_of_edge(row)) * rate

    def propose(size: int) -> IntArray:
        return discrete_laplace(stream, size * shape[1], 1 / rate).reshape(size, shape[1])

    out = np.empty(shape, np.int64)
    for part in _chunks(shape[0], max(1, CHUNK // shape[1])):
        _fill_by_rejection(stream, out[part], propose, refuse, refuse_exactly)
    return out


def _scalar_staircase(stream: NoiseStream, count: int, epsilon: Fraction, steps: int, first: int) -> IntArray:
    """Return staircase noise on the integers, epsilon above 1: the plateau first, then a uniform number on it.

    Plateau 0 has 2 first - 1 numbers, each other one 2 steps: with w = (2 first - 1)(e^epsilon - 1) it is plateau 0
    with probability w/(w + 2 steps), else one more than a geometric variable of ratio e^-epsilon.
    """

    def evaluate(context: Context) -> Decimal:
        weight = context.multiply(Decimal(2 * first - 1), context.subtract(_exp(epsilon, context), Decimal(1)))
        return context.divide(weight, context.add(weight, Decimal(2 * steps)))

    inner = bernoulli(stream, count, Probability(lambda bits: _certain_floor(evaluate, bits)))
    out = np.empty(count, np.int64)
    n_inner = int(np.count_nonzero(inner))
    n_outer = count - n_inner
    out[inner] = integers_below(stream, n_inner, 2 * first - 1) - (first - 1)
    plateaus = _geometric(1 / epsilon).draw(stream, n_outer)
    out[~inner] = signs(stream, (n_outer,)) * (first + plateaus * steps + integers_below(stream, n_outer, steps))
    return out


def integers_below(stream: NoiseStream, count: int, bound: int) -> IntArray:
    """Return ``count`` integers, uniform on 0 .. bound - 1."""
    bound = checks.whole("bound", bound)
    limit = (2**64 // bound) * bound - 1  # above it a remainder would favour small numbers
    out = np.empty(count, np.int64)
    filled = 0
    while filled < count:
        words = stream.words(count - filled, np.uint64)
        kept = words[words <= np.uint64(limit)] % np.uint64(bound)
        out[filled : filled + kept.size] = kept
        filled += kept.size
    return out


def signs(stream: NoiseStream, shape: tuple[int, ...]) -> NDArray[np.int8]:
    """Return an array of fair +1 and -1."""
    count = math.prod(shape)
    bits = np.unpackbits(stream.words(-(-count // 8), np.uint8), count=count)
    return (2 * bits.astype(np.int8) - 1).reshape(shape)


def select(stream: NoiseStream, costs: FloatArray) -> int:
    """Return index i with probability proportional to e^(-costs[i]), costs 0 or above with a smallest of 0.

    A uniform proposal is kept with probability e^(-cost): at most as many tries as there are indices, on average.
    """

    def refuse_exactly(index: int) -> Fraction:
        return Fraction(float(costs[index]))

    out = np.empty(1, np.int64)
    batch = min(costs.size, CHUNK)
    _fill_by_rejection(
        stream,
        out,
        lambda size: integers_below(stream, max(size, batch), costs.size),
        lambda index: costs[index],
        refuse_exactly,
    )
    return int(out[0])


def uniforms(stream: NoiseStream, shape: tuple[int, ...]) -> FloatArray:
    """Return doubles in (0, 1): odd multiples of 2^-54. Only for laws that have no integer form."""
    words = stream.words(math.prod(shape), np.uint64) >> np.uint64(11)
    return ((words.astype(np.float64) + 0.5) * 2.0**-53).reshape(shape)


def norm_gamma(stream: NoiseStream, shape: tuple[int, int], *, beta: float) -> FloatArray:
    """Return rows with density proportional to e^(-beta |b|), in double precision.

    The norm of d coordinates is Gamma(d, 1/beta): a sum of d exponentials; the direction is a normalised Gaussian.
    """
    from scipy.special import ndtri  # noqa: PLC0415 - slow to load, and for this law alone

    radii = -np.log(uniforms(stream, shape)).sum(axis=1, keepdims=True) / beta
    directions = ndtri(uniforms(stream, shape))
    rows: FloatArray = radii * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    return rows


class _Geometric:
    """Geometric variables, P(g) = (1 - r) r^g with r = e^(-1/scale), drawn one binary digit of g at a time.

    The digits of g are independent: digit j is 1 with probability r^(2^j)/(1 + r^(2^j)).
    """

    def __init__(self, scale: Fraction) -> None:
        rate = 1 / scale
        count = max(1, math.ceil(math.log2(OVERFLOW * float(scale))) if OVERFLOW * scale > 1 else 1)
        self.digits = [Probability.logistic(rate * 2**j) for j in range(count)]
        self._beyond = Probability.exp(rate * 2**count)

    def draw(self, stream: NoiseStream, count: int) -> IntArray:
        out = np.zeros(count, np.int64)
        for start in range(0, len(self.digits), 16):
            group = self.digits[start : start + 16]
            words = stream.words(len(group) * count, np.uint16).reshape(len(group), count)
            low = np.zeros(count, np.uint16)
            for j, (word, digit) in enumerate(zip(words, group, strict=True)):
                low |= np.multiply(_resolve(stream, word, digit), 1 << j, dtype=np.uint16)
            out |= low.astype(np.int64) << start
        for index in np.flatnonzero(bernoulli(stream, count, self._beyond)):
            # No memory: what lies beyond the largest digit is one more geometric variable.
            out[index] = (1 << len(self.digits)) + self.draw(stream, 1)[0]
        return out


@lru_cache(maxsize=64)
def _geometric(scale: Fraction) -> _Geometric:
    """Return the sampler of ``scale``; its digits are public numbers, worth keeping for the next draw."""
    return _Geometric(scale)


def _resolve(stream: NoiseStream, digits: NDArray[np.uint16], probability: Probability) -> BoolArray:
    """Return whether each number that begins with ``digits`` lies below ``probability``."""
    below: BoolArray = digits < probability.word(0)
    tied = np.flatnonzero(digits == probability.word(0))
    index = 1
    while tied.size:
        words = stream.words(tied.size, np.uint64)
        edge = np.uint64(probability.word(index))
        below[tied] = words < edge
        tied = tied[words == edge]
        index += 1
    return below


def _fill_by_rejection(
    stream: NoiseStream,
    out: IntArray,
    propose: Callable[[int], IntArray],
    refuse: Callable[[IntArray], FloatArray],
    refuse_exactly: Callable[..., Fraction],
) -> None:
    """Fill ``out`` with proposals, each kept with probability e^(-refuse(proposal))."""
    filled = 0
    while filled < len(out):
        proposals = propose(len(out) - filled)
        kept = proposals[_keep(stream, proposals, refuse(proposals), refuse_exactly)][: len(out) - filled]
        out[filled : filled + len(kept)] = kept
        filled += len(kept)


def _keep(stream: NoiseStream, proposals: IntArray, costs: FloatArray, exactly: Callable[..., Fraction]) -> BoolArray:
    """Return trials that are true with probability e^(-cost): by doubles where they decide, exactly where not."""
    words = stream.words(len(costs), np.uint64)
    numbers, edges = words * 2.0**-64, np.exp(-costs)
    kept: BoolArray = numbers < edges
    for index in np.flatnonzero(np.abs(numbers - edges) <= edges * DOUBLE_DOUBT + 2.0**-60):
        kept[index] = _below_exactly(stream, int(words[index]), exactly(proposals[index]))
    return kept


def _below_exactly(stream: NoiseStream, word: int, cost: Fraction) -> bool:
    if cost == 0:
        return True
    edge = Probability.exp(cost)
    bits, number = 64, word
    while number == (floor := edge.floor(bits)):
        bits, number = bits + 64, (number << 64) | int(stream.words(1, np.uint64)[0])
    return number < floor


def _chunks(count: int, size: int = CHUNK) -> Iterator[slice]:
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))


def _certain_floor(evaluate: Callable[[Context], Decimal], bits: int) -> int:
    """Return a transcendental number times 2^bits, rounded down, at whatever precision makes that certain.

    ``evaluate`` has a relative error of at most 10^(16 - precision): the rounded exponent (of at most 10^15) and
    three more roundings.
    """
    precision = 40 + math.ceil(bits * math.log10(2))
    while True:
        context = Context(prec=precision, Emax=MAX_EMAX, Emin=MIN_EMIN)
        scaled = context.multiply(evaluate(context), Decimal(2**bits))
        slack = context.scaleb(scaled, 17 - precision)
        low, high = math.floor(context.subtract(scaled, slack)), math.floor(context.add(scaled, slack))
        if low == high:
            return low
        precision *= 2


def _exp(exponent: Fraction, context: Context) -> Decimal:
    return context.exp(context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator)))
