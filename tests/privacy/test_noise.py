import math
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare, gamma, kstest

from tacit.privacy import noise
from tacit.privacy.noise import Probability
from tacit.privacy.stream import NoiseStream


def fits(values: NDArray[np.int64], probabilities: dict[int, float]) -> float:
    """Return the p-value of the draws under exact probabilities; values not listed are gathered in a tail cell."""
    common = {value: p for value, p in probabilities.items() if p * values.size > 50}
    counts = [int((values == value).sum()) for value in common]
    observed = [*counts, values.size - sum(counts)]
    expected = [values.size * p for p in common.values()]
    expected.append(values.size - sum(expected))
    if expected[-1] < 5:  # too few for a cell of its own
        observed[-2:], expected[-2:] = [sum(observed[-2:])], [sum(expected[-2:])]
    return float(chisquare(observed, expected).pvalue)


def laplace_probability(k: int, scale: float) -> float:
    return math.tanh(0.5 / scale) * math.exp(-abs(k) / scale)


@pytest.mark.parametrize("exponent", [Fraction(1, 3), Fraction(45), Fraction(1, 2**40), Fraction(700)])
def test_binary_digits_of_a_probability_are_certain(exponent: Fraction) -> None:
    context = Context(prec=500)
    value = context.exp(context.divide(Decimal(-exponent.numerator), Decimal(exponent.denominator)))
    probability = Probability.exp(exponent)
    words = [probability.word(index) for index in range(4)]
    assert words[0] < 2**16
    assert all(word < 2**64 for word in words[1:])
    number = words[0]
    for word in words[1:]:
        number = (number << 64) | word
    assert number == int(context.multiply(value, Decimal(2**208)))


def test_a_rational_probability_has_its_exact_digits() -> None:
    probability = Probability.ratio(Fraction(3, 8))
    assert [probability.word(0), probability.word(1)] == [3 * 2**13, 0]


@pytest.mark.parametrize(
    ("probability", "value"),
    [
        (Probability.exp(Fraction(1, 2)), math.exp(-0.5)),
        (Probability.logistic(Fraction(2)), 1 / (1 + math.exp(2))),
        (Probability.logistic(Fraction(-2)), 1 / (1 + math.exp(-2))),
        (Probability.logistic(Fraction(1), weight=3), 3 / (3 + math.e)),
        (Probability.ratio(Fraction(1, 2)), 0.5),
        (Probability.ratio(Fraction(1, 2**17)), 2.0**-17),
    ],
)
def test_trials_come_true_as_often_as_they_should(probability: Probability, value: float) -> None:
    n = 400_000
    hits = noise.bernoulli(NoiseStream(11), n, probability).sum()
    assert abs(hits - n * value) < 5 * math.sqrt(n * value * (1 - value))


def test_ties_are_resolved_by_further_digits() -> None:
    """At probability 2^-16 + 2^-20 a sixteenth of the tied draws are hits; dropping ties would lose them all."""
    value = Fraction(1, 2**16) + Fraction(1, 2**20)
    n = 1 << 22
    hits = int(noise.bernoulli(NoiseStream(12), n, Probability.ratio(value)).sum())
    expected = float(n * value)
    assert abs(hits - expected) < 5 * math.sqrt(expected)


@pytest.mark.parametrize("scale", [Fraction(1, 4), Fraction(1), Fraction(7, 3), Fraction(20)])
def test_discrete_laplace_has_its_exact_probabilities(scale: Fraction) -> None:
    values = noise.discrete_laplace(NoiseStream(21), 300_000, scale)
    reach = max(2, int(8 * scale))
    table = {k: laplace_probability(k, float(scale)) for k in range(-reach, reach + 1)}
    assert fits(values, table) > 1e-4


def test_discrete_laplace_of_a_huge_scale_is_laplace() -> None:
    values = noise.discrete_laplace(NoiseStream(22), 200_000, Fraction(2**40))
    assert kstest(values / 2.0**40, "laplace").pvalue > 1e-4


def test_the_low_digits_of_a_huge_scale_are_fair_coins() -> None:
    values = noise.discrete_laplace(NoiseStream(23), 100_000, Fraction(2**30))
    for digit in range(8):
        ones = int(((values >> digit) & 1).sum())
        assert abs(ones - 50_000) < 5 * math.sqrt(25_000)


def test_a_geometric_variable_beyond_its_digits_starts_afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """With three digits nearly half of the draws overflow; the law must not change."""
    monkeypatch.setattr(noise, "OVERFLOW", 0.5)
    noise._geometric.cache_clear()
    values = noise.discrete_laplace(NoiseStream(24), 20_000, Fraction(10))
    noise._geometric.cache_clear()
    table = {k: laplace_probability(k, 10.0) for k in range(-40, 41)}
    assert fits(values, table) > 1e-4


@pytest.mark.parametrize("sigma", [0.8, 1.0, 3.3, 17.0])
def test_discrete_gaussian_has_its_exact_probabilities(sigma: float) -> None:
    values = noise.discrete_gaussian(NoiseStream(31), 200_000, sigma)
    reach = int(12 * sigma) + 3
    weights = {k: math.exp(-(k**2) / (2 * sigma**2)) for k in range(-reach, reach + 1)}
    total = sum(weights.values())
    assert fits(values, {k: w / total for k, w in weights.items()}) > 1e-4


def test_discrete_gaussian_of_a_huge_scale_is_gaussian() -> None:
    sigma = 1.37 * 2**36
    assert kstest(noise.discrete_gaussian(NoiseStream(32), 200_000, sigma) / sigma, "norm").pvalue > 1e-4


def test_close_calls_are_decided_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a wide zone of doubt many draws take the exact way; the law must not change."""
    monkeypatch.setattr(noise, "DOUBLE_DOUBT", 0.05)
    values = noise.discrete_gaussian(NoiseStream(33), 10_000, 2.5)
    weights = {k: math.exp(-(k**2) / 12.5) for k in range(-30, 31)}
    total = sum(weights.values())
    assert fits(values, {k: w / total for k, w in weights.items()}) > 1e-4


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 1.25, 2.0, 4.0])
def test_scalar_staircase_has_its_exact_probabilities(epsilon: float) -> None:
    steps, first = 7, 3
    values = noise.staircase(NoiseStream(41), (200_000, 1), epsilon=epsilon, steps=steps, first=first).ravel()

    def weight(k: int) -> float:
        plateau = 0 if abs(k) < first else (abs(k) - first) // steps + 1
        return math.exp(-epsilon * plateau)

    total = sum(weight(k) for k in range(-2000, 2001))
    table = {k: weight(k) / total for k in range(-60, 61)}
    assert fits(values, table) > 1e-4


def test_a_staircase_of_one_narrow_plateau_is_even_on_all_others() -> None:
    """With plateau 0 a single number, both ways to draw it have the same law: shares of plateaus by their formula."""
    epsilon, steps = 1.5, 1000
    values = noise.staircase(NoiseStream(44), (100_000, 1), epsilon=epsilon, steps=steps, first=1).ravel()
    plateaus = (np.abs(values) - 1) // steps + 1
    weights = [1.0, *(2 * steps * math.exp(-epsilon * place) for place in range(1, 30))]
    assert fits(plateaus, {place: weight / sum(weights) for place, weight in enumerate(weights)}) > 1e-4
    within = (np.abs(values[values != 0]) - 1) % steps
    assert chisquare(np.bincount(within // 100, minlength=10)).pvalue > 1e-4
    assert chisquare(np.bincount((values[values != 0] > 0).astype(int))).pvalue > 1e-4


def test_radial_staircase_has_its_exact_probabilities() -> None:
    epsilon, steps, first = 1.5, 3, 2
    rows = noise.staircase(NoiseStream(42), (200_000, 2), epsilon=epsilon, steps=steps, first=first)

    def weight(i: int, j: int) -> float:
        norm = abs(i) + abs(j)
        return math.exp(-epsilon * (0 if norm < first else (norm - first) // steps + 1))

    total = sum(weight(i, j) for i in range(-90, 91) for j in range(-90, 91))
    codes = rows[:, 0] * 1000 + rows[:, 1]
    table = {i * 1000 + j: weight(i, j) / total for i in range(-7, 8) for j in range(-7, 8)}
    assert fits(codes, table) > 1e-4


@pytest.mark.parametrize("bound", [1, 3, 10, 2**33 + 1])
def test_integers_below_are_uniform(bound: int) -> None:
    values = noise.integers_below(NoiseStream(51), 100_000, bound)
    assert values.min() >= 0
    assert values.max() < bound
    cells = np.minimum(values * min(bound, 16) // bound, 15)
    assert bound == 1 or chisquare(np.bincount(cells, minlength=min(bound, 16))).pvalue > 1e-4


def test_signs_are_fair() -> None:
    assert abs(int(noise.signs(NoiseStream(52), (1001, 99)).sum(dtype=np.int64))) < 5 * math.sqrt(1001 * 99)


def test_selection_follows_its_weights() -> None:
    costs = np.array([0.0, 0.5, 3.0, 0.0])
    stream = NoiseStream(53)
    picks = np.array([noise.select(stream, costs) for _ in range(4000)])
    weights = np.exp(-costs)
    expected = 4000 * weights / weights.sum()
    assert chisquare(np.bincount(picks, minlength=4), expected).pvalue > 1e-4


def test_norm_gamma_rows_have_gamma_norms_and_uniform_directions() -> None:
    rows = noise.norm_gamma(NoiseStream(54), (50_000, 3), beta=2.0)
    norms = np.linalg.norm(rows, axis=1)
    assert kstest(norms, gamma(3, scale=0.5).cdf).pvalue > 1e-4
    assert kstest(rows[:, 0] / norms, "uniform", args=(-1, 2)).pvalue > 1e-4  # Archimedes: each coordinate is uniform


def test_no_draw_is_asked_for_and_none_is_given() -> None:
    stream = NoiseStream(55)
    assert noise.discrete_laplace(stream, 0, Fraction(3)).size == 0
    assert noise.discrete_gaussian(stream, 0, 3.0).size == 0


def printed_noise(uniform: NDArray[np.float64], epsilon: float, delta: float) -> NDArray[np.float64]:
    """Return [membership] eq. 77 at d = 1, in doubles."""
    edge = (1 - delta) / 2
    low = np.log(np.minimum(uniform, edge) / edge)
    high = np.log(np.minimum(1 - uniform, edge) / edge)
    return np.asarray((low - high) / epsilon)


def test_inverse_transform_in_doubles_rules_a_neighbour_out() -> None:
    """[membership] Remark 1: most outputs of the value 1 are outputs of the value 0 for no uniform double at all."""
    epsilon, delta, steps = 0.1, 1e-5, 2.0**53
    uniform = np.random.RandomState(0).randint(1, 2**53, 20_000, dtype=np.int64) / steps

    def possible(outputs: NDArray[np.float64]) -> NDArray[np.bool_]:
        tail = (1 - delta) / 2 * np.exp(-epsilon * np.abs(outputs))
        near = np.round(np.where(outputs < 0, tail, 1 - tail) * steps)[:, None] + np.arange(-8, 9)
        return np.asarray((printed_noise(near.clip(1, steps - 1) / steps, epsilon, delta) == outputs[:, None]).any(1))

    assert possible(printed_noise(uniform, epsilon, delta)).all()
    assert 0.75 < 1 - possible(1 + printed_noise(uniform, epsilon, delta)).mean() < 0.85
