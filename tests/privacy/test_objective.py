"""Objective perturbation: its formulas against vectors, its guarantee against densities on a grid."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from tacit.errors import InputError, SensitivityError
from tacit.privacy.mechanisms import (
    AgainstRest,
    Exponential,
    ObjectivePerturbation,
    StackedPerturbation,
    TunedPerturbation,
    from_settings,
    settings_of,
)
from tacit.privacy.mechanisms.disjoint import for_epsilon, stacking_features
from tacit.privacy.mechanisms.objective import CLOSING_SHARE, chaudhuri_setting, loss_supremum, rows_apart
from tacit.privacy.stream import NoiseStream


def small(epsilon: float = 1.0, dimension: int = 2, curvature: float = 10.0) -> ObjectivePerturbation:
    return ObjectivePerturbation.for_epsilon(epsilon, curvature=curvature, dimension=dimension)


@pytest.mark.parametrize(
    ("beta", "curvature", "expected"),
    [(0.5, 1.0, 1.0484949507), (0.5, 2.0, 1.0), (0.5, 0.25, 1.4739281297), (0.4728217895, 1.0, 1.0)],
)
def test_the_loss_agrees_with_an_independent_implementation(beta: float, curvature: float, expected: float) -> None:
    assert loss_supremum(beta, curvature) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("beta", [0.01, 0.3, 5.0])
@pytest.mark.parametrize("curvature", [1e-3, 0.4, 3.0, 1e4])
@pytest.mark.parametrize("radius", [0.2, 1.0, 7.0])
@pytest.mark.parametrize("other", [0.0, 1.0])
def test_the_loss_is_the_maximum_over_slopes(beta: float, curvature: float, radius: float, other: float) -> None:
    s = np.linspace(0, 1, 200_001)
    slow = (beta * radius * (other + s) + np.log1p(radius**2 * s * (1 - s) / curvature)).max()
    fast = loss_supremum(beta, curvature, radius, other=other)
    assert fast == pytest.approx(slow, rel=1e-8)
    assert fast >= slow * (1 - 1e-14)


def test_the_older_accounting_agrees_with_an_independent_implementation() -> None:
    beta, curvature = chaudhuri_setting(1.0, 800 * 0.01)
    assert 2 * beta == pytest.approx(0.9384566827, abs=1e-9)
    assert curvature == 8.0
    beta, curvature = chaudhuri_setting(0.5, 400 * 0.001)
    assert 2 * beta == 0.25
    assert curvature / 400 - 0.001 == pytest.approx(0.0036940087, abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 8.0])
@pytest.mark.parametrize("curvature", [1e-3, 1.0, 1e5])
@pytest.mark.parametrize("accounting", ["tight", "chaudhuri"])
@pytest.mark.parametrize("neighbours", ["replaced", "added"])
def test_a_mechanism_costs_no_more_than_was_asked(
    epsilon: float, curvature: float, accounting: str, neighbours: str
) -> None:
    made = ObjectivePerturbation.for_epsilon(
        epsilon, curvature=curvature, dimension=3, accounting=accounting, neighbours=neighbours
    )
    assert made.curvature >= curvature
    assert made.event.epsilon <= epsilon * (1 + 1e-12)
    if accounting == "tight":
        assert made.event.epsilon == pytest.approx(epsilon, rel=1e-9)


def log_densities(mechanism: ObjectivePerturbation, table: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the log density of the exact minimiser in one dimension: that of b(u), times |db/du|."""
    margins = np.outer(u, table[:, 0]) + table[:, 1]
    slopes = expit(-margins)
    b = slopes @ table[:, 0] - mechanism.curvature * u
    slope = mechanism.curvature + (slopes * (1 - slopes)) @ table[:, 0] ** 2
    law: np.ndarray = np.log(mechanism.beta / 2 * slope) - mechanism.beta * np.abs(b)
    return law


@pytest.mark.parametrize("other", [0.0, 1.0])
def test_densities_of_neighbours_never_differ_by_more_than_the_loss(other: float) -> None:
    """A row is another one, or, for ``other`` 0, one of the two rows is no row."""
    rng = np.random.default_rng(0)
    closest = 0.0
    for _ in range(300):
        mechanism = ObjectivePerturbation(rng.uniform(0.05, 3), 10 ** rng.uniform(-1.5, 1), 1.0, 1, 1e-9)
        company = np.column_stack([rng.uniform(-1, 1, 3), rng.normal(0, 3, 3)])
        first, second = (np.vstack([company, [rng.choice([-1, 1]), rng.normal(0, 8)]]) for _ in range(2))
        second[-1] *= other
        u = np.linspace(-30, 30, 4001)
        ratio = np.abs(log_densities(mechanism, first, u) - log_densities(mechanism, second, u)).max()
        limit = loss_supremum(mechanism.beta, mechanism.curvature, other=other)
        assert ratio <= limit * (1 + 1e-9)
        closest = max(closest, ratio / limit)
    assert closest > 0.95  # the bound is reached, so this test can fail


def test_a_row_more_or_less_costs_half_of_a_replaced_one() -> None:
    replaced, added = (
        ObjectivePerturbation.for_epsilon(1.0, curvature=10.0, dimension=2, neighbours=each)
        for each in ("replaced", "added")
    )
    assert added.beta == 2 * replaced.beta
    row, other, none = (np.array([each]) for each in ([0.5, 0.5, 0.1], [0.5, 0.0, 0.1], [0.0, 0.0, 0.0]))
    assert [added.distance(row, each) for each in (row, none, other, np.vstack([other, none]))] == [0, 1, 2, 2]
    assert [replaced.distance(row, each) for each in (row, none, other)] == [0, 1, 1]
    with pytest.raises(InputError, match="neighbours"):
        ObjectivePerturbation.for_epsilon(1.0, curvature=10.0, dimension=2, neighbours="both")


def test_the_density_used_above_is_that_of_the_draws() -> None:
    mechanism = small(epsilon=2.0, dimension=1, curvature=1.5)
    table = np.array([[0.9, 0.5], [-0.4, 0.0], [1.0, -2.0]]) * np.array([0.999, 1.0])
    drawn = mechanism.draw(np.broadcast_to(table, (4000, 3, 2)), NoiseStream(1)).ravel()
    u = np.linspace(-40, 40, 400_001)
    cumulative = np.cumsum(np.exp(log_densities(mechanism, table, u))) * (u[1] - u[0])
    for quantile in (0.1, 0.5, 0.9):
        assert np.interp(np.quantile(drawn, quantile), u, cumulative) == pytest.approx(quantile, abs=0.03)


def test_without_rows_the_noise_has_the_length_of_a_gamma_variable() -> None:
    mechanism = small(dimension=100, curvature=50.0)
    drawn = mechanism.draw(np.zeros((300, 1, 101)), NoiseStream(0))
    # Gamma(100, 2) has mean 200 and standard deviation 20.
    assert np.linalg.norm(drawn, axis=1).mean() * 50 == pytest.approx(200 / (1 - CLOSING_SHARE), abs=6)


def test_rows_that_are_too_long_or_not_finite_are_refused() -> None:
    for row in ([1.0, 0.1, 0.0], [np.nan, 0.0, 0.0], [0.1, 0.1, np.inf]):
        with pytest.raises(SensitivityError, match="no longer than 1"):
            small().draw(np.array([row]), NoiseStream(0))
    with pytest.raises(InputError, match="shape"):
        small().draw(np.zeros((3, 2)), NoiseStream(0))


def test_the_order_of_rows_and_zeros_make_no_difference_to_the_distance() -> None:
    first = np.array([[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]])
    assert rows_apart(first, first[::-1]) == 0
    assert rows_apart(first, np.array([[3.0, 4.0], [-0.0, 0.0], [0.0, 0.0]])) == 1
    assert rows_apart(first, first[:1]) == 2


def test_a_row_of_zeros_weighs_nothing() -> None:
    table = np.array([[0.5, 0.5, 0.1]])
    padded = np.vstack([table, np.zeros((3, 3))])
    one, other = (small().draw(each, NoiseStream(3)) for each in (table, padded))
    assert one == pytest.approx(other, abs=1e-6)


def stacked(epsilon: float = 1.0) -> StackedPerturbation:
    return StackedPerturbation((small(0.3 * epsilon), small(0.7 * epsilon, 1)), small(epsilon))


def tuned() -> TunedPerturbation:
    return TunedPerturbation((small(), small(curvature=20.0)), Exponential(1.0, 1.0))


def added() -> ObjectivePerturbation:
    return ObjectivePerturbation.for_epsilon(1.0, curvature=10.0, dimension=2, neighbours="added")


@pytest.mark.parametrize(
    "mechanism",
    [small(), added(), stacked(), tuned(), AgainstRest(small(), 3), AgainstRest(added(), 2)],
    ids=["replaced", "added", "stacked", "tuned", "classes", "classes added"],
)
def test_a_card_can_make_it_again(mechanism: ObjectivePerturbation) -> None:
    assert from_settings(settings_of(mechanism)) == mechanism
    first, second = mechanism.opposite_rows()
    assert mechanism.distance(first, second) == 1
    assert mechanism.draw(first, NoiseStream(0)).shape == mechanism.output_direction.shape


def test_disjoint_parts_cost_the_most_of_one_of_them_or_half_of_two() -> None:
    # Two solvers meet a row that goes from one part to the other, each with a ten-thousandth for how it stopped.
    assert stacked().event.epsilon == pytest.approx(1.0001)
    assert StackedPerturbation((small(0.3), small(0.3)), small(1.0)).event.epsilon == pytest.approx(1.0)
    assert tuned().event.epsilon == pytest.approx(1.0001)
    assert TunedPerturbation((small(0.2), small(0.4)), Exponential(0.1, 1.0)).event.epsilon == pytest.approx(0.4)


def test_a_row_more_or_less_costs_what_a_mechanism_for_such_neighbours_states() -> None:
    for accounting in ("tight", "chaudhuri"):
        made = ObjectivePerturbation.for_epsilon(1.0, curvature=1.0, dimension=2, accounting=accounting)
        assert made.added_epsilon == replace(made, neighbours="added").event.epsilon
        assert made.added_epsilon < made.event.epsilon


@pytest.mark.parametrize("scores", [(5, 4), (0, 0), (9, 0)])
@pytest.mark.parametrize("moves", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_a_mistake_more_costs_half_of_the_choice(scores: tuple[int, int], moves: tuple[int, int]) -> None:
    def law(mistakes: np.ndarray) -> np.ndarray:
        weights = np.exp(-1.0 * mistakes / 2)  # the exponential mechanism at epsilon 1, sensitivity 1
        return np.asarray(weights / weights.sum())

    before, after = law(np.array(scores)), law(np.array(scores) + moves)
    assert np.abs(np.log(before / after)).max() <= 0.5 + 1e-12


@pytest.mark.parametrize("accounting", ["tight", "chaudhuri"])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 30.0])
def test_parts_are_calibrated_so_that_a_moved_row_costs_epsilon(epsilon: float, accounting: str) -> None:
    def make(part: float) -> TunedPerturbation:
        one = ObjectivePerturbation.for_epsilon(part, curvature=0.5, dimension=2, accounting=accounting)
        return TunedPerturbation((one, one), Exponential(part, 1.0))

    made = for_epsilon(make, epsilon)
    assert 0.99 * epsilon < made.event.epsilon <= epsilon
    assert made.moved_epsilon <= epsilon


def test_the_rows_of_one_part_do_not_touch_what_the_other_part_taught() -> None:
    rng = np.random.default_rng(0)
    table = np.column_stack([np.arange(20) % 2, rng.uniform(-0.5, 0.5, (20, 5))])
    changed = table.copy()
    changed[1::2, 1:] = 0.1
    one, other = (stacked().draw(each, NoiseStream(4)) for each in (table, changed))
    assert np.array_equal(one[:3], other[:3])
    assert not np.allclose(one[3:], other[3:], atol=1e-3)


def test_stacking_features_are_odd_and_short() -> None:
    margins = np.array([[1e9, -1e9, 0.2], [0.1, 0.0, -3.0]])
    assert np.array_equal(stacking_features(-margins), -stacking_features(margins))
    assert (np.linalg.norm(stacking_features(margins), axis=1) <= 1).all()


def test_tuning_chooses_what_makes_fewer_mistakes() -> None:
    # The second setting is nothing but noise: right about every row, or wrong about every row.
    made = TunedPerturbation((small(50.0), small(0.001)), Exponential(50.0, 1.0))
    row = np.array([0.9, 0.1, 0.0])
    table = np.column_stack([np.arange(300) % 3, np.tile(row, (300, 1))])
    drawn = [made.draw(table, NoiseStream(seed)) for seed in range(12)]
    assert all(each[:2] @ row[:2] > 0 for each in drawn)
    assert [each[-1] for each in drawn].count(0.0) >= 6


def test_malformed_parts_are_refused() -> None:
    with pytest.raises(InputError, match="dimension"):
        StackedPerturbation((small(), small()), small(dimension=3))
    with pytest.raises(InputError, match="sensitivity"):
        TunedPerturbation((small(),), Exponential(1.0, 0.5))
    with pytest.raises(InputError, match="at least one"):
        TunedPerturbation((), Exponential(1.0, 1.0))
    with pytest.raises(InputError, match="replaced"):
        TunedPerturbation((added(),), Exponential(1.0, 1.0))


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 1.0, 500.0])
@pytest.mark.parametrize("n_rows", [0, 1, 60, 4000])
@pytest.mark.parametrize("kind", ["random", "separated", "equal", "nearly zero", "far margins"])
def test_the_minimiser_is_found_for_every_table(epsilon: float, n_rows: int, kind: str) -> None:
    """A refusal after the charge would tell something about the rows: with the least regularisation there is none."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((n_rows, 6)) * np.array([1.0, 1.0, 0.3, 0.1, 0.01, 1e-6])
    margins = np.zeros(n_rows)
    match kind:
        case "separated":
            rows[:, 0] = np.abs(rows[:, 0]) + 3
        case "equal":
            rows[:] = rows[:1]
        case "nearly zero":
            rows *= 1e-300
        case "far margins":
            margins = rng.choice([-1e300, -50.0, 0.0, 50.0, 1e300], n_rows)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1.0) * (1 + 1e-12)
    made = ObjectivePerturbation.for_epsilon(epsilon, curvature=1e-9, dimension=6)
    drawn = made.draw(np.column_stack([rows, margins]), NoiseStream(1))
    assert np.isfinite(drawn).all()


def test_huge_noise_loosens_the_tolerance_and_the_promise_still_holds() -> None:
    usual, drowned = small(), small(epsilon=1e-9)
    assert usual.tolerance == 1e-6
    assert drowned.tolerance == pytest.approx(2.0**-46 * 2 / drowned.beta)
    assert drowned.event.epsilon == pytest.approx(1e-9)


def share_densities(mechanism: ObjectivePerturbation, row: np.ndarray, share: float, u: np.ndarray) -> np.ndarray:
    """Return the log density of the exact minimiser of one row's loss times ``share``, in one dimension."""
    slopes = expit(-(u * row[0] + row[1]))
    b = share * slopes * row[0] - mechanism.curvature * u
    slope = mechanism.curvature + share * slopes * (1 - slopes) * row[0] ** 2
    law: np.ndarray = np.log(mechanism.beta / 2 * slope) - mechanism.beta * np.abs(b)
    return law


def test_a_share_of_a_row_costs_no_more_than_the_row_and_more_than_a_row_would() -> None:
    mechanism = ObjectivePerturbation.for_epsilon(1.0, curvature=0.5, dimension=1, neighbours="added")
    limit = loss_supremum(mechanism.beta, mechanism.curvature, other=0.0)
    u, row, none = np.linspace(-60, 60, 100_001), np.array([1.0, -1e6]), np.zeros(2)

    def cost(share: float) -> float:
        first, second = share_densities(mechanism, row, share, u), share_densities(mechanism, none, 0.0, u)
        return float(np.abs(first - second).max())

    assert all(cost(share) <= limit * (1 + 1e-9) for share in (0.0, 0.2, 0.7, 1.0))
    assert cost(0.5) == pytest.approx(limit / 2, rel=1e-3)
    assert cost(2.0) > 1.9 * limit  # what a mechanism without the refusal below would give away


def test_shares_beyond_a_whole_row_are_refused() -> None:
    rows = np.array([[0.5, 0.1, 0.0]])
    for share in (1.0 + 1e-12, 2.0, -0.1):
        with pytest.raises(SensitivityError, match=r"shares of rows must lie in \[0, 1\]"):
            small().draw(np.column_stack([rows, [share]]), NoiseStream(0))
    for share, alike in ((1.0, rows), (0.0, rows[:0])):
        weighted = small().draw(np.column_stack([rows, [share]]), NoiseStream(0))
        assert weighted == pytest.approx(small().draw(alike, NoiseStream(0)), abs=1e-9)
