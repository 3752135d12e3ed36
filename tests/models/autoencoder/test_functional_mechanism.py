import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from tacit import Budget
from tacit.arrays import FloatArray
from tacit.models.autoencoder.functional_mechanism import (
    QUANTUM,
    MomentQuery,
    Norm,
    Polynomial,
    coefficient_bound,
    cross_entropy,
    printed_output_sensitivity,
    printed_reconstruction_sensitivity,
    printed_truncation_error,
    split_noise,
    squared_error,
    truncation_remainder,
    whole_products,
    whole_rows,
)
from tacit.models.autoencoder.layers import projection_range
from tacit.privacy import accounting
from tacit.privacy.events import SequentialEvent
from tacit.privacy.mechanisms import Gaussian, Laplace

# Three rows of two features, the hidden states of weights W = ((0.5, -1, 0.2), (0.1, 0.3, -0.7)), and the coefficients.
X = np.array([[0.6, 0.8], [0.0, 0.5], [0.3, 0.1]])
W = np.array([[0.5, -1.0, 0.2], [0.1, 0.3, -0.7]])
H = expit(X @ W)
LINEAR = [[0.3048443649, 0.3142003851, 0.2670171178], [0.0378040229, 0.0498749682, 0.0814777176]]
QUADRATIC = [
    [0.1133558658, 0.0941527767, 0.0891386882],
    [0.0941527767, 0.0806408946, 0.0748156298],
    [0.0891386882, 0.0748156298, 0.0714815355],
]
GRADIENT = [[0.2655501526, 0.2769976246, 0.2351171607], [-0.0078273014, 0.0123481786, 0.0441206834]]


def reconstruction() -> Polynomial:
    return cross_entropy(H.sum(axis=0), X.T @ H, H.T @ H)


def test_the_coefficients_of_the_reconstruction_are_the_worked_ones() -> None:
    polynomial = reconstruction()
    assert np.allclose(polynomial.linear, LINEAR, atol=1e-9)
    assert np.allclose(polynomial.quadratic, QUADRATIC, atol=1e-9)
    assert np.allclose(polynomial.gradient(W), GRADIENT, atol=1e-9)


def test_the_truncated_reconstruction_error_is_close_to_the_exact_one() -> None:
    Z = H @ W.T
    exact = float((np.logaddexp(0, Z) - X * Z).sum())
    assert math.isclose(exact, 4.022956501, abs_tol=1e-8)
    assert math.isclose(reconstruction().at(W) + 6 * math.log(2), 4.0229690035, abs_tol=1e-8)


def minimised(H: np.ndarray, y: np.ndarray, *, truncated: bool) -> float:
    """Return the mean exact cross-entropy at the minimiser of the truncated or of the exact one; |w| at most 8."""
    n = len(y)

    def exact(w: np.ndarray) -> float:
        z = H @ w
        return float((np.logaddexp(0, z) - y * z).mean())

    def polynomial(w: np.ndarray) -> float:
        return cross_entropy(H.sum(axis=0), (y @ H)[None], H.T @ H).at(w[None]) / n

    bounds = [(-8.0, 8.0)] * H.shape[1]
    found = minimize(polynomial if truncated else exact, np.zeros(H.shape[1]), bounds=bounds, method="L-BFGS-B")
    return exact(found.x)


def test_truncation_costs_no_more_than_the_printed_bound() -> None:
    """[dpa] Lemma 4, eq. 17, on random tables of every balance: the bound holds with much to spare."""
    rng = np.random.default_rng(0)
    gaps = []
    for _ in range(60):
        d = int(rng.integers(1, 5))
        H = rng.random((80, d)) / math.sqrt(d)
        y = (rng.random(80) < expit(8 * (H @ rng.normal(size=d)) + rng.normal())).astype(float)
        gaps.append(minimised(H, y, truncated=True) - minimised(H, y, truncated=False))
    assert min(gaps) > -1e-4
    assert max(gaps) < printed_truncation_error(1)
    # One class alone is the worst: the exact loss falls towards 0, the truncated one stops at a margin of 2.
    alone = minimised(np.ones((5, 1)), np.ones(5), truncated=True)
    assert alone == pytest.approx(math.log1p(math.exp(-2)), abs=1e-4)
    assert alone < printed_truncation_error(1)
    assert printed_truncation_error(7) == pytest.approx(7 * 0.3146623778, abs=1e-8)


def test_the_truncated_loss_is_within_its_remainder() -> None:
    for width in (0.5, 1.0, 3.0):
        z = np.linspace(-width, width, 1001)
        error = np.abs(np.logaddexp(0, z) - (math.log(2) + z / 2 + z**2 / 8)).max()
        assert error <= truncation_remainder(width)
        assert width > 1 or error > truncation_remainder(width) / 2


def test_one_output_is_logistic_regression() -> None:
    """Worked on the normalised hidden states, the ranges taken from the weights: x >= 0 and |x| <= 1."""
    low, high = (expit(end) for end in projection_range(W, nonnegative=True))
    assert np.allclose(low, [0.5, 0.2689414214, 0.3318122278])
    assert np.allclose(high, [0.6247834893, 0.5744425168, 0.5498339973])
    code, y = (H - low) / ((high - low) * math.sqrt(3)), np.array([[1.0], [0.0], [1.0]])
    polynomial = cross_entropy(code.sum(axis=0), y.T @ code, code.T @ code)
    assert np.allclose(polynomial.linear, [[-0.2805946354, -0.0354302755, -0.1907268115]], atol=1e-9)
    assert np.allclose(np.diagonal(polynomial.quadratic), [0.0282619324, 0.0531888442, 0.0330447663], atol=1e-9)


def test_the_gradient_is_the_finite_difference() -> None:
    polynomial, step = reconstruction(), 1e-6
    for j in range(2):
        for e in range(3):
            moved = np.zeros((2, 3))
            moved[j, e] = step
            slope = (polynomial.at(W + moved) - polynomial.at(W - moved)) / (2 * step)
            assert math.isclose(slope, polynomial.gradient(W)[j, e], abs_tol=1e-8)


def test_squared_error_has_the_minimiser_of_least_squares() -> None:
    rng = np.random.default_rng(0)
    rows, targets = rng.normal(size=(40, 3)), rng.normal(size=(40, 2))
    found = squared_error(targets.T @ rows, rows.T @ rows).minimiser(ridge=0.0)
    assert np.allclose(found.T, np.linalg.lstsq(rows, targets)[0])


def test_the_minimiser_with_a_ridge_is_what_a_search_finds() -> None:
    polynomial, ridge = reconstruction(), 0.3

    def penalised(w: FloatArray) -> float:
        return polynomial.at(w.reshape(2, 3)) + ridge * float((w**2).sum())

    search = minimize(penalised, np.zeros(6), tol=1e-12, method="BFGS")
    assert np.allclose(polynomial.minimiser(ridge=ridge).ravel(), search.x, atol=1e-5)


def test_an_objective_without_a_minimum_gets_one() -> None:
    broken = Polynomial(np.ones((1, 2)), np.diag([1.0, -5.0]))
    assert np.allclose(broken.minimiser(ridge=1.0), [[-0.25, -0.5]])


def test_sensitivities_are_the_worked_ones() -> None:
    """30 features and 200 units: as printed, and what holds when one record is replaced."""
    p, b = 30, 200
    assert printed_reconstruction_sensitivity(p, b) == 306_000
    assert printed_output_sensitivity(b) == 10_200
    bound = [
        2 * coefficient_bound(target, math.sqrt(b), quadratic=1 / 8, norm=1) for target in (15, 0.5 + 30**0.5, 0.5)
    ]
    assert np.allclose(bound, [474.2640687119, 219.061469472, 64.1421356237])


@pytest.mark.parametrize("norm", [1, 2])
def test_no_row_moves_the_query_further_than_declared(norm: Norm) -> None:
    """Rows on the surface, also those that fill one coordinate only; sums are exact, so the bound holds to the bit."""
    rng = np.random.default_rng(1)
    p, b = 5, 4
    bounds = (1.0, 1.0) if norm == 2 else (math.sqrt(p), math.sqrt(b))
    query = MomentQuery(p, b, *bounds, norm)
    largest = 0.0
    for _ in range(300):
        V, H = rng.normal(size=(50, p)), rng.normal(size=(50, b))
        V, H = V / np.linalg.norm(V, axis=1, keepdims=True), H / np.linalg.norm(H, axis=1, keepdims=True)
        V[-1], H[-1] = (
            ((1 / math.sqrt(p)), (1 / math.sqrt(b))) if norm == 1 else (np.eye(p)[0], np.eye(b)[rng.integers(b)])
        )
        moved = np.linalg.norm(query.total(V, H).values - query.total(V[:-1], H[:-1]).values, ord=norm)
        assert moved <= query.sensitivity
        largest = max(largest, float(moved))
    assert largest > 0.99 * query.sensitivity


@pytest.mark.parametrize("norm", [1, 2])
def test_moments_come_back_from_an_answer_without_noise(norm: Norm) -> None:
    rng = np.random.default_rng(2)
    V, H = (QUANTUM * whole_rows(rng.uniform(-0.4, 0.4, (30, width))) for width in (3, 4))
    query = MomentQuery(3, 4, 1.0, 1.0, norm)
    C, M = query.moments(query.total(V, H).values)
    assert np.allclose(C, V.T @ H)
    assert np.allclose(M, H.T @ H)
    assert len(query.total(V, H).integers) == query.coordinates


def test_cutting_never_lengthens_a_row() -> None:
    rows = np.random.default_rng(3).normal(size=(100, 7))
    cut = QUANTUM * whole_rows(rows)
    assert (np.abs(cut) <= np.abs(rows)).all()
    assert np.abs(cut - rows).max() < 2.0**-13


@pytest.mark.parametrize("norm", [1, 2])
def test_neither_order_nor_blocks_change_a_digit_and_parts_add_up(norm: Norm, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    V, H = rng.uniform(-1, 1, (300, 3)), rng.uniform(-1, 1, (300, 4))
    query = MomentQuery(3, 4, 2.0, 8.0, norm)  # the quadratic part weighs a quarter
    whole = query.total(V, H).integers.tolist()
    order = rng.permutation(300)
    monkeypatch.setattr("tacit.models.autoencoder.functional_mechanism.BLOCK_ROWS", 7)
    assert query.total(V[order], H[order]).integers.tolist() == whole
    parts = [query.total(V[part], H[part]).integers for part in (slice(0, 1), slice(1, 300))]
    assert (parts[0] + parts[1]).tolist() == whole


def test_sums_are_those_of_a_loop_over_whole_rows() -> None:
    rng = np.random.default_rng(5)
    V, H = rng.uniform(-1, 1, (20, 2)), rng.uniform(-1, 1, (20, 3))
    products = [np.outer((v * 2**13).astype(int), (h * 2**13).astype(int)) for v, h in zip(V, H, strict=True)]
    assert whole_products(V, H).tolist() == np.sum(products, axis=0).tolist()


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_split_noise_spends_the_budget_and_no_more(delta: float) -> None:
    queries = [MomentQuery(5, 4, 1.0, 1.0, 1 if delta == 0 else 2), MomentQuery(1, 3, 0.5, 1.0, 1 if delta == 0 else 2)]
    mechanisms = split_noise(queries, [0.25, 0.75], budget=Budget(1.0, delta, unit="record"))
    event = SequentialEvent(tuple(each.event for each in mechanisms))
    spent = accounting.epsilon(event, delta=delta)
    assert 0.999 < spent <= 1.0 + 1e-9
    assert all(isinstance(each, Laplace if delta == 0 else Gaussian) for each in mechanisms)


def test_the_ridge_is_about_the_spectral_norm_of_the_noise() -> None:
    query = MomentQuery(1, 40, 1.0, 1.0, 2)
    (mechanism,) = split_noise([query], [1.0], budget=Budget(1.0, 1e-6, unit="record"))
    assert isinstance(mechanism, Gaussian)
    answer = np.random.default_rng(4).normal(scale=mechanism.sigma, size=query.coordinates)
    _, noise = query.moments(answer)
    assert 0.5 < query.ridge(mechanism) / np.linalg.norm(noise, ord=2) < 1.0
