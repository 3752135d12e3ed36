import numpy as np
import pytest

from tacit.errors import InputError
from tacit.models.pair_metric.sums import (
    PairSum,
    checked_radius,
    clip_rows_1,
    default_radius,
    feature_factors,
    indicator_mask,
)
from tacit.privacy import accounting
from tacit.privacy.mechanisms import Duchi, Gaussian, Laplace, Staircase
from tacit.privacy.stream import NoiseStream

KINDS = {"gaussian": Gaussian, "laplace": Laplace, "staircase": Staircase, "duchi": Duchi}


@pytest.mark.parametrize("mechanism", ["gaussian", "laplace", "staircase"])
def test_the_stated_noise_is_about_the_noise_drawn(mechanism: str) -> None:
    query = PairSum(mechanism, 1.0, 3, 1)
    noise = query.planned(1.0, 1e-6)
    drawn = noise.draw(np.zeros((3000, 3)), NoiseStream(0))
    assert drawn.std() == pytest.approx(query.noise(noise, 1), rel=0.25 if mechanism == "staircase" else 0.06)


def test_the_stated_noise_of_the_local_model_is_that_of_a_sum_over_pairs() -> None:
    query = PairSum("duchi", 1.0, 3, 1)
    noise = query.planned(1.0, 0.0)
    drawn = noise.draw(np.zeros((300 * 200, 3)), NoiseStream(0)).reshape(300, 200, 3).sum(axis=1)
    assert drawn.std() == pytest.approx(query.noise(noise, 200), rel=0.1)


def test_rows_are_shortened_to_a_1_norm_and_never_past_it() -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(200, 7)) * 10.0 ** rng.integers(-3, 3, (200, 1))
    short = clip_rows_1(rows, 1.3)
    assert np.abs(short).sum(axis=1).max() <= 1.3
    inside = np.abs(rows).sum(axis=1) < 1.2
    assert np.allclose(short[inside], rows[inside], atol=1e-7)


@pytest.mark.parametrize("mechanism", KINDS)
@pytest.mark.parametrize("kappa", [1, 3])
def test_a_planned_sum_costs_what_was_asked(mechanism: str, kappa: int) -> None:
    query = PairSum(mechanism, 0.7, 4, kappa)
    noise = query.planned(1.2, 1e-6, times=2)
    assert isinstance(noise, KINDS[mechanism])
    delta = 1e-6 if mechanism == "gaussian" else 0.0
    step = query.step(noise, "sums", times=2)
    assert accounting.epsilon(step.event, delta=delta) == pytest.approx(1.2, rel=1e-3)


def test_replacing_pairs_moves_a_sum_by_twice_their_radius_or_less_if_nothing_is_negative() -> None:
    assert PairSum("laplace", 0.5, 4, 3).sensitivity == pytest.approx(3.0)
    assert PairSum("gaussian", 0.5, 4, 3).sensitivity == pytest.approx(3.0)
    assert PairSum("gaussian", 0.5, 4, 3, nonnegative=True).sensitivity == pytest.approx(1.5 * np.sqrt(2))
    rng = np.random.default_rng(0)
    query = PairSum("gaussian", 0.5, 4, 1, nonnegative=True)
    rows = query.shorten(rng.random((400, 4)))
    assert np.linalg.norm(rows[:200] - rows[200:], axis=1).max() <= query.sensitivity


def test_slack_widens_the_noise() -> None:
    query = PairSum("laplace", 0.5, 4, 1)
    assert query.planned(1.0, 0.0, slack=0.5).scale == pytest.approx(1.5 * query.planned(1.0, 0.0).scale, rel=1e-3)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("mechanism", "batches", "draws"), [("laplace", 7, 1), ("gaussian", 7, 1), ("staircase", 7, 3), ("staircase", 2, 2)]
)
def test_disjoint_batches_cost_one_draw_or_one_for_each_batch_that_moves(
    mechanism: str, batches: int, draws: int
) -> None:
    query = PairSum(mechanism, 0.5, 4, kappa=3)
    assert query.touched(batches) == draws
    noise = query.planned(1.0, 1e-6)
    one, all_of_them = query.step(noise, "a sum"), query.step(noise, "sums", batches=batches)
    delta = 1e-6 if mechanism == "gaussian" else 0.0
    cost = [accounting.epsilon(step.event, delta=delta) for step in (one, all_of_them)]
    if mechanism != "gaussian":
        assert cost[1] == pytest.approx(draws * cost[0])
    assert all_of_them.times == batches


def test_numbers_of_the_local_model_are_cut_one_by_one() -> None:
    assert PairSum("duchi", 0.5, 2, 1).shorten(np.array([[2.0, -0.1]])).tolist() == [[0.5, -0.1]]


def test_a_staircase_at_a_large_epsilon_is_refused() -> None:
    with pytest.raises(InputError, match="epsilon must be at most 24 for mechanism='staircase'"):
        PairSum("staircase", 1.0, 2, 1).planned(30.0, 0.0, times=2)
    assert PairSum("staircase", 1.0, 1, 1).planned(30.0, 0.0, times=2) == Staircase(15.0, np.nextafter(2.0, 3.0))


def test_the_default_radius_is_half_the_diagonal_or_a_quarter_of_the_sum() -> None:
    assert [default_radius(name, 16) for name in ("gaussian", "laplace", "duchi")] == [2.0, 4.0, 1.0]
    assert checked_radius(None, "gaussian", 16) == 2.0
    assert checked_radius(0.3, "gaussian", 16) == 0.3
    with pytest.raises(InputError, match="radius"):
        checked_radius(0.0, "gaussian", 16)


def test_public_facts_of_features_have_one_value_each() -> None:
    assert feature_factors(None, 2) == (1.0, 1.0)
    assert feature_factors([2, 3], 2) == (2.0, 3.0)
    assert indicator_mask(None, 2) == (False, False)
    assert indicator_mask([True, False], 2) == (True, False)
    for wrong in ([1.0], [1.0, 0.0], [1.0, -1.0]):
        with pytest.raises(InputError, match="feature_scale must hold 2"):
            feature_factors(wrong, 2)
    for mask in ([True], [1, 0]):
        with pytest.raises(InputError, match="indicators must hold 2"):
            indicator_mask(mask, 2)
