import numpy as np
import pytest

from tacit.arrays import FloatArray
from tacit.models.pair_metric.metric import PairMetric
from tacit.models.pair_metric.printed import PrintedDescent
from tacit.models.pair_metric.solvers import PrintedSettings
from tacit.privacy.account import Account
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.mechanisms import Gaussian, Laplace

W = np.array([[1.0, 0.5], [-0.2, 0.3]])


def printed(*, reduced: bool, **more: float) -> PrintedDescent:
    settings = {"kappa": 3, "epsilon": 2.0, "clip": 0.5, "passes": 4, "batch_size": 50, **more}
    return PrintedDescent(200, 8, 8, radius=1.0, reduced=reduced, **settings)  # type: ignore[arg-type]


def test_the_scale_of_the_noise_is_the_printed_one() -> None:
    """κ = 3, h = 0.5, |B| = 50, ε = 2, T = 4: 0.12 for each entry of the mean gradient."""
    solver = printed(reduced=False)
    _, units = solver.query(np.ones((8, 8)), np.full((50, 8), 0.1), np.zeros(50, bool), 1.0)
    assert isinstance(solver.noise, Laplace)
    assert solver.noise.scale * units[0, 0] / 50 == pytest.approx(0.12, rel=1e-3)  # a little more for the grid


def test_the_counterparts_of_the_reduction_are_the_printed_ones() -> None:
    """min(h, max(4 |W_r|_1, 2 m sqrt(d'))) with h = 10, m = 0.5: 6 and 2."""
    solver = PrintedDescent(1, 2, 2, 1, 1.0, radius=1.0, clip=10.0, passes=1, batch_size=1, reduced=True)
    _, units = solver.query(W, np.zeros((1, 2)), np.zeros(1, bool), 0.5)
    assert units.ravel() == pytest.approx([6.0, 2.0])


def gaussian(*, reduced: bool, **more: float) -> PrintedDescent:
    settings = {"kappa": 1, "epsilon": 1.0, "clip": 10.0, "passes": 1, "batch_size": 50, "delta": 1e-5, **more}
    return PrintedDescent(200, 2, 2, radius=1.0, reduced=reduced, **settings)  # type: ignore[arg-type]


def test_the_counterparts_of_corollary_2_are_in_2_norm() -> None:
    """min(h, max(4 |W_r|_2, 2 m)) with h = 10, m = 0.5, and no factor of the root of d'."""
    _, units = gaussian(reduced=True).query(W, np.zeros((1, 2)), np.zeros(1, bool), 0.5)
    assert units.ravel() == pytest.approx([4 * np.hypot(1.0, 0.5), 4 * np.hypot(0.2, 0.3)])
    _, units = gaussian(reduced=True).query(W / 100, np.zeros((1, 2)), np.zeros(1, bool), 0.5)
    assert units.ravel() == pytest.approx([1.0, 1.0])


def test_the_peaks_of_corollary_2_are_the_longest_rows_in_2_norm() -> None:
    rng = np.random.default_rng(0)
    differences = rng.uniform(-0.4, 0.4, (30, 2))
    solver = gaussian(reduced=True)
    _, units = solver.query(W, differences, np.zeros(30, bool), 0.5)
    for r in range(2):
        longest = max(float(np.linalg.norm((row @ W[r]) * row)) for row in differences)
        assert units[r, 0] == pytest.approx(longest + max(4 * float(np.linalg.norm(W[r])), 1.0))


def test_the_gaussian_noise_is_the_printed_one() -> None:
    solver = gaussian(reduced=False, epsilon=0.5, passes=2)
    assert isinstance(solver.noise, Gaussian)
    assert solver.noise.sigma == pytest.approx(np.sqrt(2 * np.log(1.25 / 0.5e-5)) / 0.25)
    _, units = solver.query(W, np.full((50, 2), 0.1), np.zeros(50, bool), 1.0)
    assert units.ravel() == pytest.approx([20.0, 20.0])  # 2 kappa h


@pytest.mark.parametrize("reduced", [False, True])
def test_the_gaussian_form_learns_and_its_card_says_that_it_does_not_hold(reduced: bool) -> None:
    rng = np.random.default_rng(0)
    pairs, signs = rng.uniform(size=(120, 2, 3)), np.where(np.arange(120) % 2, 1, -1)
    solver = PrintedSettings(reduced=reduced, gaussian=True, passes=2)
    model = PairMetric(2.0, bounds=(0, 1), delta=1e-5, kappa=1, solver=solver, accounting="paper", random_state=0)
    card = model.fit(pairs, signs).card_
    assert model.components_.shape == (3, 3)
    assert not card.holds
    assert card.delta == 1e-5


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
