import math

import numpy as np
import pytest

from tacit.audit.game import (
    Game,
    epsilon_lower_bound,
    fit_samplers,
    furthest_pair,
    furthest_rows,
    mechanism_game,
)
from tacit.errors import InputError
from tacit.privacy.mechanisms import (
    Duchi,
    Exponential,
    Gaussian,
    Laplace,
    Mechanism,
    ObjectivePerturbation,
    RandomizedResponse,
    Staircase,
)


def laplace_game(scale: float, seed: int) -> Game:
    return mechanism_game(Laplace(scale, 1.0), np.array([0.0]), np.array([1.0]), epsilon=1.0, seed=seed)


def test_the_right_laplace_passes_and_the_bound_comes_close() -> None:
    result = laplace_game(1.01, seed=1).play(40_000)
    assert result.passed
    assert 0.85 < result.lower_bound <= 1.0


def test_halved_noise_is_caught_with_few_draws() -> None:
    caught = [not laplace_game(0.5, seed).play(800).passed for seed in range(20)]
    assert sum(caught) >= 15


def test_the_bound_is_rarely_wrong() -> None:
    """At 95 % confidence a tight mechanism may exceed its epsilon in at most one game of twenty, on average."""
    mechanism = RandomizedResponse(1.0, categories=2)
    game = [
        mechanism_game(mechanism, np.array([0.0]), np.array([1.0]), epsilon=1.0, seed=seed).play(400, confidence=0.95)
        for seed in range(200)
    ]
    wrong = sum(not result.passed for result in game)
    assert wrong <= 10 + 3 * math.sqrt(10)


def test_delta_is_granted_before_epsilon_is_bounded() -> None:
    first, second = np.zeros(1000), np.append(np.zeros(990), np.ones(10))
    assert epsilon_lower_bound(first, second, delta=0.1) == 0.0
    assert epsilon_lower_bound(np.zeros(1000), np.ones(1000), delta=0.1) > 4


def test_a_gaussian_with_too_little_noise_is_caught() -> None:
    right = Gaussian.for_budget(1.0, 1e-3, sensitivity=1.0)
    weak = Gaussian(right.sigma / 2, 1.0)
    for mechanism, passes in ((right, True), (weak, False)):
        game = mechanism_game(mechanism, np.zeros(1), np.ones(1), epsilon=1.0, delta=1e-3, seed=3)
        assert game.play(40_000).passed is passes


def test_equal_inputs_show_nothing() -> None:
    rng = np.random.default_rng(0)
    assert epsilon_lower_bound(rng.normal(size=2000), rng.normal(size=2000)) == 0.0


def test_inputs_that_are_no_neighbours_are_refused() -> None:
    with pytest.raises(InputError, match="neighbours"):
        mechanism_game(Laplace(1.0, 1.0), np.array([0.0]), np.array([2.0]), epsilon=1.0)


def test_a_game_of_no_draws_is_refused() -> None:
    with pytest.raises(InputError, match="draws"):
        laplace_game(1.0, 0).play(2)


def test_every_fit_gets_a_seed_of_its_own_and_a_game_repeats_as_a_whole() -> None:
    draws: list[list[int]] = []
    for seed in (0, 0, 1):
        seeds: list[int] = []
        sampler = fit_samplers(lambda table, draw, seeds=seeds: seeds.append(draw) or table, seed)  # type: ignore[misc]
        assert sampler(0.5)(3).tolist() == [0.5] * 3
        assert sampler(0.7)(2).tolist() == [0.7] * 2
        draws.append(seeds)
    assert len(set(draws[0])) == 5
    assert draws[0] == draws[1]
    assert draws[0] != draws[2]


@pytest.mark.parametrize(
    "mechanism",
    [
        Laplace.for_epsilon(1.0, sensitivity=3.0),
        Gaussian.for_budget(1.0, 1e-3, sensitivity=2.0),
        Staircase(1.0, 2.0, dimension=3),
        Duchi(1.0, 4),
        RandomizedResponse(1.0, 3),
        Exponential(1.0, 2.0),
    ],
    ids=lambda mechanism: mechanism.name,
)
def test_the_furthest_pair_uses_the_whole_sensitivity(mechanism: Mechanism) -> None:
    first, second = furthest_pair(mechanism)
    assert not np.array_equal(first, second)
    if math.isfinite(mechanism.sensitivity):
        assert mechanism.distance(first, second) == pytest.approx(mechanism.sensitivity)


def test_the_bound_is_that_of_clopper_pearson_on_the_testing_half() -> None:
    rng = np.random.default_rng(0)
    first, second = (rng.permutation(np.arange(1000.0) < ones).astype(float) for ones in (100, 900))
    bound = epsilon_lower_bound(first, second)
    # 0.9 against 0.1: the truth is log 9; 500 draws a side show somewhat less, and never more but with 1 in 1000.
    assert 1.5 < bound < math.log(9)


@pytest.mark.parametrize("rows", [1, 3])
def test_rows_of_one_person_move_a_sum_so_many_times_as_far(rows: int) -> None:
    mechanism = Laplace.for_epsilon(1.0, sensitivity=2.0)
    first, second = furthest_rows(mechanism, rows)
    assert mechanism.distance(first, second) == pytest.approx(2.0 * rows)
    game = mechanism_game(mechanism, first, second, epsilon=float(rows), rows=rows, seed=0)
    assert game.play(4000).passed
    if rows > 1:
        with pytest.raises(InputError, match="neighbours"):
            mechanism_game(mechanism, first, second, epsilon=1.0)


def test_rows_of_one_person_stand_several_times_in_a_table() -> None:
    mechanism = ObjectivePerturbation.for_epsilon(1.0, curvature=2.0, dimension=2)
    first, second = furthest_rows(mechanism, 3)
    single = furthest_pair(mechanism)
    assert first.tolist() == np.repeat(single[0], 3, axis=0).tolist()
    assert second.tolist() == np.repeat(single[1], 3, axis=0).tolist()
    response = RandomizedResponse(1.0, 3)
    assert [each.tolist() for each in furthest_rows(response, 3)] == [each.tolist() for each in furthest_pair(response)]


def test_a_single_value_of_few_may_give_the_game_away() -> None:
    """The middle value comes up on one side alone: no half line shows that, the value itself does."""
    rng = np.random.default_rng(0)
    first, second = rng.choice([0.0, 2.0], size=4000), rng.choice([0.0, 1.0, 2.0], size=4000)
    assert epsilon_lower_bound(first, second) > 3


def test_both_orders_of_the_inputs_are_tried() -> None:
    first, second = np.append(np.ones(300), np.zeros(700)), np.ones(1000)
    rng = np.random.default_rng(0)
    pair = rng.permutation(first), rng.permutation(second)
    assert epsilon_lower_bound(*pair) == pytest.approx(epsilon_lower_bound(*pair[::-1]))
    assert epsilon_lower_bound(*pair) > 1
