import itertools
import json
import math

import numpy as np
import pytest
from scipy.stats import chisquare, kstest

from tacit.errors import InputError
from tacit.privacy import accounting
from tacit.privacy.budget import Budget
from tacit.privacy.events import RepeatedEvent
from tacit.privacy.mechanisms import (
    Duchi,
    EntryNoise,
    Exponential,
    Gaussian,
    Laplace,
    Mechanism,
    NormGamma,
    RandomizedResponse,
    Staircase,
    from_settings,
    settings_of,
)
from tacit.privacy.mechanisms.additive import entry_noise_quantile
from tacit.privacy.mechanisms.base import to_grid
from tacit.privacy.stream import NoiseStream

EVERY: list[Mechanism] = [
    Laplace.for_epsilon(0.7, sensitivity=3.0, coordinates=5),
    Gaussian.for_budget(0.7, 1e-6, sensitivity=3.0, coordinates=5),
    EntryNoise(0.7, 1e-6, 1.0),
    Staircase(0.7, 3.0, dimension=5),
    NormGamma(0.7, 1.0, dimension=5),
    Duchi(0.7, dimension=5),
    RandomizedResponse(0.7, categories=4),
    Exponential(0.7, 3.0),
]
ON_A_GRID: list[Laplace | Gaussian | EntryNoise | Staircase] = [
    Laplace.for_epsilon(1.0, sensitivity=1.0),
    Gaussian.for_budget(1.0, 1e-6, sensitivity=1.0),
    EntryNoise(1.0, 1e-6, 1.0),
    Staircase(1.0, 1.0),
]


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda each: each.name)
def test_a_mechanism_is_made_again_from_the_settings_on_its_card(mechanism: Mechanism) -> None:
    written = json.loads(json.dumps(settings_of(mechanism)))
    assert from_settings(written) == mechanism
    assert from_settings(written).event == mechanism.event


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda each: each.name)
def test_noise_repeats_under_a_seed_and_only_there(mechanism: Mechanism) -> None:
    values = np.array([0.0, 1.0, 1.0, 0.0, 0.0] * 40)
    seeded = [mechanism.draw(values, NoiseStream(1)) for _ in range(2)]
    assert np.array_equal(seeded[0], seeded[1])
    if mechanism.name != "exponential":
        assert not np.array_equal(mechanism.draw(values, NoiseStream()), mechanism.draw(values, NoiseStream()))


@pytest.mark.parametrize("settings", [{}, {"mechanism": "magic"}, {"mechanism": "laplace", "colour": 1}])
def test_unknown_settings_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(InputError):
        from_settings(settings)


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 3.3, 50.0])
def test_a_laplace_for_epsilon_costs_exactly_that(epsilon: float) -> None:
    cost = accounting.epsilon(Laplace.for_epsilon(epsilon, sensitivity=0.37, coordinates=784).event, delta=0)
    assert epsilon * (1 - 1e-12) <= cost <= epsilon


def test_the_price_of_the_grid_is_small() -> None:
    wide = Laplace.for_epsilon(1.0, sensitivity=1.0, coordinates=10**6)
    assert wide.scale < 1 + 2**-12


@pytest.mark.parametrize("times", [1, 60])
def test_a_gaussian_for_a_budget_keeps_it_with_little_room(times: int) -> None:
    mechanism = Gaussian.for_budget(1.0, 1e-6, sensitivity=2.0, coordinates=1000, times=times)
    repeated = RepeatedEvent(mechanism.event, times)
    assert accounting.fits(repeated, Budget(1.0, 1e-6, unit="record"))
    assert accounting.epsilon(repeated, delta=1e-6) > 0.999999


def test_the_gaussian_bias_bound_covers_the_ratio_to_the_rounded_gaussian() -> None:
    """Probabilities of the discrete and the rounded Gaussian, term by term out to 7 deviations, at a coarse grid."""
    for sigma in (4.0, 10.0, 33.0):
        k = np.arange(0, int(7 * sigma))
        discrete = np.exp(-(k**2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))
        tails = [math.erfc(x / (sigma * math.sqrt(2))) / 2 for x in (*(k - 0.5), k[-1] + 0.5)]
        ratios = np.abs(np.log(-np.diff(tails) / discrete))
        assert ratios.max() <= 1.01 * max(7**2, 1) / (8 * sigma**2)


def test_discrete_laplace_is_covered_by_continuous_laplace_one_step_further() -> None:
    """The inequality beside Laplace, by summing the excess probability of the discrete law."""
    for steps, scale in itertools.product((1, 2, 7), (0.5, 3.0, 20.0)):
        k = np.arange(-3000, 3001)
        first = math.tanh(0.5 / scale) * np.exp(-np.abs(k) / scale)
        second = math.tanh(0.5 / scale) * np.exp(-np.abs(k - steps) / scale)
        for epsilon in np.linspace(0, steps / scale, 9):
            discrete = np.maximum(first - math.exp(epsilon) * second, 0).sum()
            continuous = max(0.0, 1 - math.exp((epsilon - (steps + 1) / scale) / 2))
            assert discrete <= continuous + 1e-12


@pytest.mark.parametrize("mechanism", ON_A_GRID, ids=lambda each: each.name)
def test_every_output_can_come_from_every_input(mechanism: Laplace | Gaussian | EntryNoise | Staircase) -> None:
    """No output's digits rule out a neighbour: outputs of both inputs are whole grid steps away from both."""
    first, second = math.pi / 10, math.pi / 10 + 0.123456789
    stream = NoiseStream(2)
    for value in (first, second):
        outputs = mechanism.draw(np.full(20_000, value), stream)
        for origin in (first, second):
            start = to_grid(np.array([origin]), mechanism.step)[0] * mechanism.step
            cells = (outputs - start) / mechanism.step
            assert (cells == np.round(cells)).all()


def test_noise_in_doubles_would_give_itself_away() -> None:
    """The counter-example that the grid exists for: inverse-distribution noise misses many doubles."""
    uniforms = (np.arange(1 << 12) + 0.5) / (1 << 12)  # every uniform number of a small generator
    noises = np.where(uniforms < 0.5, np.log(2 * uniforms), -np.log(2 * (1 - uniforms)))
    first, second = set((0.3 + noises).tolist()), set((0.4234 + noises).tolist())
    assert len(first & second) < 0.01 * len(first)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 5), (2, 3, 5)])
def test_shapes_are_kept_and_values_come_back_as_doubles(shape: tuple[int, ...], dtype: type) -> None:
    for mechanism in ON_A_GRID:
        drawn = mechanism.draw(np.zeros(shape, dtype), NoiseStream(3))
        assert drawn.shape == shape
        assert drawn.dtype == np.float64


def test_laplace_noise_has_its_scale() -> None:
    drawn = Laplace(2.5, 1.0).draw(np.full(100_000, 0.7), NoiseStream(4)) - 0.7
    assert kstest(drawn / 2.5, "laplace").pvalue > 1e-4


def test_gaussian_noise_has_its_scale() -> None:
    drawn = Gaussian(2.5, 1.0).draw(np.full(100_000, 0.7), NoiseStream(5)) - 0.7
    assert kstest(drawn / 2.5, "norm").pvalue > 1e-4


def test_entry_noise_leaves_the_atom_and_is_laplace_elsewhere() -> None:
    mechanism = EntryNoise(1.0, 0.01, 1.0)
    drawn = mechanism.draw(np.zeros(200_000), NoiseStream(6))
    zeros = int((drawn == 0).sum())
    assert abs(zeros - 2000) < 5 * math.sqrt(2000) + 200_000 * mechanism.step
    assert kstest(drawn[drawn != 0], "laplace").pvalue > 1e-4


@pytest.mark.parametrize(
    ("epsilon", "t", "expected"),
    [
        (0.1, 1e-6, -131.2235337735),
        (0.1, 0.25, -6.9313718051),
        (0.1, 0.499994, -0.0000200002),
        (0.1, 0.4999975, 0.0),
        (0.1, 0.500006, 0.0000200002),
        (0.1, 0.75, 6.9313718051),
        (0.1, 0.999999, 131.2235337733),
        (1.0, 1e-6, -13.1223533774),
        (1.0, 0.75, 0.6931371805),
        (1.0, 0.999999, 13.1223533773),
    ],
)
def test_the_entry_noise_quantile_matches_the_independent_figures(epsilon: float, t: float, expected: float) -> None:
    value = entry_noise_quantile(np.array([t]), epsilon=epsilon, delta=1e-5, largest_change=1.0)
    assert value[0] == pytest.approx(expected, abs=1e-8)


def test_staircase_noise_is_smaller_than_laplace_noise_at_large_epsilon() -> None:
    staircase = np.abs(Staircase(5.0, 1.0).draw(np.zeros(50_000), NoiseStream(7))).mean()
    laplace = np.abs(Laplace.for_epsilon(5.0, sensitivity=1.0).draw(np.zeros(50_000), NoiseStream(7))).mean()
    # The expected size of optimal staircase noise is e^(epsilon/2)/(e^epsilon - 1) times the sensitivity.
    assert staircase == pytest.approx(math.exp(2.5) / math.expm1(5.0), rel=0.03)
    assert staircase < 0.5 * laplace


@pytest.mark.parametrize("epsilon", [12.0, 20.0, 60.0, 700.0])
def test_staircase_noise_of_a_large_epsilon_is_drawn_at_once(epsilon: float) -> None:
    """By rejection one draw in e^(epsilon/2)/epsilon is kept: at 60 nobody lives to see the second."""
    noise = np.abs(Staircase(epsilon, 1.0).draw(np.zeros(20_000), NoiseStream(8)))
    assert noise.max() <= 2.0
    # As many as the formula has beyond the first plateau: 1/(1 + e^(epsilon/2)) of them, give or take.
    expected = 20_000 / (1 + math.exp(epsilon / 2))
    assert abs(np.count_nonzero(noise > 2 / (1 + math.exp(epsilon / 2))) - expected) < 5 * math.sqrt(expected) + 5


def test_staircase_noise_of_rows_refuses_an_epsilon_it_could_not_draw() -> None:
    assert np.isfinite(Staircase(12.0, 1.0, dimension=2).draw(np.zeros((5, 2)), NoiseStream(9))).all()
    with pytest.raises(InputError, match=r"at most 12 for staircase noise of several numbers; got 12\.5"):
        Staircase(12.5, 1.0, dimension=2)


@pytest.mark.parametrize("dimension", [1, 2, 3, 4, 7])
def test_duchi_is_unbiased_and_lives_on_the_corners(dimension: int) -> None:
    mechanism = Duchi(1.0, dimension)
    row = np.linspace(-1, 1, dimension) if dimension > 1 else np.array([0.4])
    drawn = mechanism.draw(np.tile(row, (200_000, 1)), NoiseStream(8))
    assert set(np.unique(np.abs(drawn)).tolist()) == {mechanism.size}
    assert np.abs(drawn.mean(axis=0) - row).max() < 5 * mechanism.size / math.sqrt(200_000)


def test_duchi_in_one_dimension_has_the_known_variance() -> None:
    assert Duchi(1.0, 1).size ** 2 == pytest.approx(4.6826943768, rel=1e-9)


def test_duchi_corner_probabilities_have_ratio_e_to_the_epsilon() -> None:
    mechanism = Duchi(1.2, 2)
    counts = []
    for row in ([1.0, 1.0], [-1.0, -1.0]):
        drawn = mechanism.draw(np.tile(row, (300_000, 1)), NoiseStream(9))
        counts.append(int((drawn > 0).all(axis=1).sum()))
    # z = (1, 1) is one of 3 corners with z.v >= 0 under heads, and none of those with z.v <= 0.
    high, low = math.exp(1.2) / (1 + math.exp(1.2)) / 3, 1 / (1 + math.exp(1.2)) / 3
    assert counts[0] / 300_000 == pytest.approx(high, rel=0.02)
    assert counts[1] / 300_000 == pytest.approx(low, rel=0.04)


@pytest.mark.parametrize("categories", [2, 3, 10])
def test_randomized_response_has_its_exact_probabilities(categories: int) -> None:
    drawn = RandomizedResponse(1.0, categories).draw(np.full(100_000, 1), NoiseStream(10)).astype(int)
    keep = math.e / (math.e + categories - 1)
    expected = np.full(categories, (1 - keep) / (categories - 1))
    expected[1] = keep
    assert chisquare(np.bincount(drawn, minlength=categories), 100_000 * expected).pvalue > 1e-4
    if categories == 2:
        assert keep == pytest.approx(0.7310585786)


def test_the_exponential_mechanism_has_its_exact_probabilities() -> None:
    scores = np.array([3.0, 1.0, 2.5, -4.0])
    mechanism = Exponential(1.0, 0.5)
    stream = NoiseStream(11)
    picks = np.array([mechanism.draw(scores, stream)[0] for _ in range(5000)]).astype(int)
    weights = np.exp(scores)
    kept = np.bincount(picks, minlength=4)
    assert chisquare(kept[:3], kept[:3].sum() * weights[:3] / weights[:3].sum()).pvalue > 1e-4


def test_inputs_outside_a_local_mechanisms_range_are_refused() -> None:
    with pytest.raises(InputError, match=r"\[-1, 1\]"):
        Duchi(1.0, 2).draw(np.array([[0.0, 1.5]]), NoiseStream(1))
    with pytest.raises(InputError, match="codes 0 to 2"):
        RandomizedResponse(1.0, 3).draw(np.array([3.0]), NoiseStream(1))


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda each: each.name)
def test_missing_values_are_refused(mechanism: Mechanism) -> None:
    with pytest.raises(InputError, match="finite"):
        mechanism.draw(np.array([0.0, np.nan, 0.0, 0.0, 0.0]), NoiseStream(1))
