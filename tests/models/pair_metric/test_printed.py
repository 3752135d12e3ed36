import numpy as np
import pytest

from tacit.arrays import FloatArray
from tacit.models.pair_metric.printed import PrintedDescent
from tacit.privacy.account import Account
from tacit.privacy.budget import Budget, Unit

W = np.array([[1.0, 0.5], [-0.2, 0.3]])


def printed(*, reduced: bool, **more: float) -> PrintedDescent:
    settings = {"kappa": 3, "epsilon": 2.0, "clip": 0.5, "passes": 4, "batch_size": 50, **more}
    return PrintedDescent(200, 8, 8, radius=1.0, reduced=reduced, **settings)  # type: ignore[arg-type]


def test_the_scale_of_the_noise_is_the_printed_one() -> None:
    """κ = 3, h = 0.5, |B| = 50, ε = 2, T = 4: 0.12 for each entry of the mean gradient."""
    solver = printed(reduced=False)
    _, units = solver.query(np.ones((8, 8)), np.full((50, 8), 0.1), np.zeros(50, bool), 1.0)
    assert solver.noise.scale * units[0, 0] / 50 == pytest.approx(0.12, rel=1e-3)  # a little more for the grid


def test_the_counterparts_of_the_reduction_are_the_printed_ones() -> None:
    """min(h, max(4 |W_r|_1, 2 m sqrt(d'))) with h = 10, m = 0.5: 6 and 2."""
    solver = PrintedDescent(1, 2, 2, 1, 1.0, radius=1.0, clip=10.0, passes=1, batch_size=1, reduced=True)
    _, units = solver.query(W, np.zeros((1, 2)), np.zeros(1, bool), 0.5)
    assert units.ravel() == pytest.approx([6.0, 2.0])


def test_reduction_makes_the_noise_depend_on_the_batch() -> None:
    solver = printed(reduced=True)
    quiet, loud = np.full((50, 8), 1e-6), np.full((50, 8), 1e-6)
    loud[7] = 0.2
    sizes = [solver.query(np.ones((8, 8)), batch, np.zeros(50, bool), 1.0)[1][0, 0] for batch in (quiet, loud)]
    assert sizes[1] > 1.5 * sizes[0]


def test_the_plan_costs_what_the_paper_states_and_the_warning_what_it_costs() -> None:
    solver = printed(reduced=False)
    account = Account.open(solver.steps(), budget=Budget(2.0, unit=Unit.PAIR), random_state=0)
    rng = np.random.default_rng(0)
    differences: FloatArray = rng.uniform(-0.2, 0.2, (200, 8))
    learned, fell_back = solver.learn(account, differences, rng.random(200) < 0.5, random_state=0)
    assert learned.shape == (8, 8)
    assert not fell_back
    assert "epsilon 16, 8 times" in solver.warning
