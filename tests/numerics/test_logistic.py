from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from tacit.arrays import FloatArray
from tacit.numerics.logistic import Minimum, minimise_together, newton_directions

X = np.array([[0.6, 0.0], [0.0, 0.8], [-0.6, 0.3], [0.1, -0.9]])
Y = np.array([1.0, -1.0, -1.0, 1.0])
Z = X * Y[:, None]


def minimise_logistic(rows: FloatArray, offsets: FloatArray, linear: FloatArray, **settings: Any) -> Minimum:
    minimum = minimise_together(rows, offsets[None], linear[None], **settings)
    return replace(minimum, point=minimum.point[0])


def solve(curvature: float, b: tuple[float, float] = (0.0, 0.0), prior: tuple[float, float] = (0.0, 0.0)) -> np.ndarray:
    start = np.array(prior)
    found = minimise_logistic(Z, Z @ start, np.array(b), curvature=curvature, tolerance=1e-12)
    assert found.gradient_norm <= 1e-12
    return start + found.point


@pytest.mark.parametrize(
    ("curvature", "b", "prior", "expected"),
    [
        (4 * 0.1, (0, 0), (0, 0), (0.9991253511, -1.2525019897)),
        (4 * 0.15, (0.5, -0.25), (0, 0), (0.1272179078, -0.7627937347)),
        # lambda 0.1, eta 0.3 and source weights (1, -1): a pull towards 0.7 times the source.
        (4 * 0.1, (0.5, -0.25), (0.7, -0.7), (0.6003273008, -1.3273870898)),
    ],
)
def test_weights_agree_with_an_independent_implementation(
    curvature: float, b: tuple[float, float], prior: tuple[float, float], expected: tuple[float, float]
) -> None:
    assert solve(curvature, b, prior) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("curvature", [1e-3, 1.0, 500.0])
@pytest.mark.parametrize("offset", [0.0, -30.0])
def test_the_minimiser_agrees_with_a_general_solver(curvature: float, offset: float) -> None:
    rng = np.random.default_rng(0)
    rows, b = rng.standard_normal((60, 5)), rng.standard_normal(5)
    offsets = np.full(60, offset)

    def objective(u: np.ndarray) -> float:
        return float(np.logaddexp(0, -(rows @ u + offsets)).sum() + b @ u + curvature / 2 * u @ u)

    slow = minimize(objective, np.zeros(5), method="BFGS", options={"gtol": 1e-7, "maxiter": 5000})
    fast = minimise_logistic(rows, offsets, b, curvature=curvature, tolerance=1e-9)
    assert fast.gradient_norm <= 1e-9
    assert fast.point == pytest.approx(slow.x, abs=1e-4 * max(1, float(np.abs(slow.x).max())))


def test_separable_rows_of_any_length_are_solved() -> None:
    rows = np.vstack([1e3 * np.eye(3), 1e-9 * np.eye(3), np.zeros((2, 3))])
    found = minimise_logistic(rows, np.zeros(8), np.zeros(3), curvature=1e-6, tolerance=1e-9)
    assert found.gradient_norm <= 1e-9
    assert (found.point > 0).all()


def test_no_rows_leave_the_noise_alone() -> None:
    b = np.array([3.0, -4.0])
    found = minimise_logistic(np.zeros((0, 2)), np.zeros(0), b, curvature=2.0, tolerance=1e-12)
    assert found.point == pytest.approx(-b / 2)


def test_an_unreachable_tolerance_ends_and_says_so() -> None:
    rows = np.random.default_rng(1).standard_normal((500, 4))
    found = minimise_logistic(rows, np.zeros(500), np.ones(4), curvature=1.0, tolerance=1e-30)
    assert 0 < found.gradient_norm < 1e-10


def test_a_newton_direction_solves_its_equation() -> None:
    rng = np.random.default_rng(2)
    rows, weights, gradient = rng.standard_normal((30, 6)), rng.random(30), rng.standard_normal(6)
    (direction,), (moved,) = newton_directions(rows, weights[None], gradient[None], 0.5, accuracy=1e-10)
    hessian = 0.5 * np.eye(6) + rows.T @ (weights[:, None] * rows)
    assert direction == pytest.approx(-np.linalg.solve(hessian, gradient), abs=1e-8)
    assert moved == pytest.approx(rows @ direction, abs=1e-8)


def test_a_preconditioner_changes_the_way_and_not_the_end() -> None:
    rng = np.random.default_rng(3)
    rows, weights, gradient = rng.standard_normal((300, 6)), rng.random(300), rng.standard_normal(6)
    hessian = 0.5 * np.eye(6) + rows.T @ (weights[:, None] * rows)
    rough = np.asarray(np.linalg.inv(hessian + np.diag(rng.random(6))), dtype=np.float64)
    (direction,), (moved,) = newton_directions(rows, weights[None], gradient[None], 0.5, accuracy=1e-10, inverse=rough)
    assert direction == pytest.approx(-np.linalg.solve(hessian, gradient), abs=1e-9)
    assert moved == pytest.approx(rows @ direction, abs=1e-9)


@pytest.mark.parametrize("sorted_by_class", [True, False])
def test_a_start_from_a_part_of_the_rows_leads_to_the_minimiser_of_all(sorted_by_class: bool) -> None:
    """Weak regularisation and many rows, also in an order in which no part is like the whole."""
    rng = np.random.default_rng(4)
    rows = rng.standard_normal((3000, 5)) * np.array([1.0, 0.5, 0.1, 0.01, 0.3])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows *= np.where(rows @ [1.0, -1.0, 3.0, 0.0, 0.5] + 0.5 * rng.standard_normal(3000) > 0, 1.0, -1.0)[:, None]
    if sorted_by_class:
        rows = rows[np.argsort(rows[:, 0])]
    b = 3 * rng.standard_normal(5)
    found = minimise_logistic(rows, np.zeros(3000), b, curvature=0.5, tolerance=1e-8)
    slopes = 1 / (1 + np.exp(rows @ found.point))
    assert np.linalg.norm(b + 0.5 * found.point - slopes @ rows) < 1e-7
    assert found.gradient_norm <= 1e-8


def test_rows_of_zeros_and_doubled_rows_do_not_stop_the_start() -> None:
    rows = np.zeros((400, 3))
    rows[200:] = [0.6, 0.0, 0.8]
    found = minimise_logistic(rows, np.zeros(400), np.zeros(3), curvature=1e-3, tolerance=1e-9)
    assert found.gradient_norm <= 1e-9


@pytest.mark.parametrize("curvature", [1e-2, 1.0, 1e5])
def test_problems_solved_together_are_solved_as_if_alone(curvature: float) -> None:
    """Easy and hard ones, many rows and weak regularisation among them; one has its minimum where the search starts."""
    rng = np.random.default_rng(7)
    rows = rng.standard_normal((900, 6)) / 3
    offsets = np.stack([np.zeros(900), np.full(900, -40.0), rng.standard_normal(900), np.full(900, 1e3)])
    linear = np.stack([rng.standard_normal(6), np.zeros(6), 1e3 * np.ones(6), np.zeros(6)])
    together = minimise_together(rows, offsets, linear, curvature=curvature, tolerance=1e-8)
    assert together.gradient_norm <= 1e-8
    for place in range(4):
        alone = minimise_logistic(rows, offsets[place], linear[place], curvature=curvature, tolerance=1e-8)
        assert together.point[place] == pytest.approx(alone.point, abs=3e-8 / curvature)


def test_one_problem_out_of_reach_is_said_of_all() -> None:
    rows = np.random.default_rng(1).standard_normal((500, 4))
    offsets = np.stack([np.full(500, 1e3), np.zeros(500)])
    found = minimise_together(rows, offsets, np.stack([np.zeros(4), np.ones(4)]), curvature=1.0, tolerance=1e-30)
    assert 0 < found.gradient_norm < 1e-10
    assert not found.point[0].any()


@pytest.mark.parametrize("curvature", [0.01, 3.0])
def test_a_share_of_a_loss_is_that_part_of_it(curvature: float) -> None:
    rng = np.random.default_rng(5)
    rows, b, shares = rng.standard_normal((60, 3)), rng.standard_normal(3), (np.arange(60) % 5) / 4
    times = (4 * shares).astype(int)
    weighted = minimise_logistic(rows, np.zeros(60), b, curvature=curvature, tolerance=1e-10, shares=shares)
    repeated = rows.repeat(times, axis=0)
    # Four times the whole objective has the same minimiser.
    slow = minimise_logistic(repeated, np.zeros(times.sum()), 4 * b, curvature=4 * curvature, tolerance=1e-10)
    assert weighted.point == pytest.approx(slow.point, abs=1e-8)


def test_shares_lead_a_start_from_a_part_to_the_same_end() -> None:
    rng = np.random.default_rng(6)
    rows, shares = rng.standard_normal((5000, 3)) / 2, rng.random(5000)
    minimum = minimise_logistic(rows, np.zeros(5000), np.ones(3), curvature=0.5, tolerance=1e-8, shares=shares)
    slopes = shares / (1 + np.exp(rows @ minimum.point))
    assert np.ones(3) + 0.5 * minimum.point - slopes @ rows == pytest.approx(0, abs=1e-7)
    assert minimum.gradient_norm <= 1e-8
