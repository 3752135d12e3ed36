from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tacit.models.affine_hull.layers import encodings, learn_deep
from tacit.models.affine_hull.solution import (
    FARTHEST,
    Hull,
    evaluate,
    fixed_point_smoothing,
    kernel_averages,
    learn_hull,
    nearest_kernel,
    regularised_solution,
)
from tacit.numerics.kernels import Floats

Matrix = NDArray[np.float64]


class Machine(NamedTuple):
    """What [hull] Def. 1 makes of a set of points, every matrix inverted."""

    Y: Matrix
    P: Matrix
    theta: Matrix
    smoothing: float
    inverse: Matrix
    """(K + lambda I)⁻¹"""


def kernel(x: Matrix, z: Matrix, theta: Matrix) -> float:
    """Return [hull] eq. 35."""
    return float(np.exp(-(x - z) @ np.linalg.inv(theta) @ (x - z) / (2 * len(x))))


def slow_machine(Y: Any, n: int) -> Machine:
    """Return the machine by the letter of Def. 1, with the plain iteration of eq. 43 for the smoothing."""
    Y = np.asarray(Y, dtype=float)
    N, p = Y.shape
    _, vectors = np.linalg.eigh(np.cov(Y, rowvar=False).reshape(p, p))
    P = vectors[:, ::-1][:, :n].T
    theta = np.cov(Y @ P.T, rowvar=False).reshape(n, n)
    K = np.array([[kernel(P @ a, P @ b, theta) for b in Y] for a in Y])
    tau = 2 * float((Y**2).sum()) / (p * N)
    e = tau / 4
    for _ in range(300):
        e = float(((Y - K @ np.linalg.inv(K + (e + tau) * np.eye(N)) @ Y) ** 2).sum()) / (p * N)
    return Machine(Y, P, theta, e + tau, np.linalg.inv(K + (e + tau) * np.eye(N)))


def slow_memberships(made: Machine, y: Matrix) -> Matrix:
    """Return h [N] at y, [hull] eq. 38."""
    k = np.array([kernel(made.P @ y, made.P @ row, made.theta) for row in made.Y])
    return np.asarray(made.inverse @ k)


def slow_image(made: Machine, y: Matrix) -> Matrix:
    h = slow_memberships(made, y)
    return np.asarray(h @ made.Y / h.sum())


def fast_images(Y: Floats, n: int, T: Floats) -> Floats:
    model = learn_deep(Y, n_components=n, n_layers=1, rank=None)
    Z = (T - model.mean) @ model.directions.T
    return model.mean + evaluate(model.layers[0], encodings(Z, model.scales)) @ model.directions


def some_rows(N: int, p: int, seed: int = 0) -> Matrix:
    rng = np.random.default_rng(seed)
    return np.clip(rng.random((N, 3)) @ rng.random((3, p)) / 2 + 0.1 * rng.random((N, p)), 0, 1)


@pytest.mark.parametrize(("N", "p", "n"), [(12, 4, 2), (12, 4, 4), (6, 9, 3), (25, 5, 1)])
def test_images_and_smoothing_are_those_of_the_definition(N: int, p: int, n: int) -> None:
    Y, T = some_rows(N, p), some_rows(8, p, seed=1)
    made = slow_machine(Y, n)
    model = learn_deep(Y, n_components=n, n_layers=1, rank=None)
    assert model.layers[0].smoothing == pytest.approx(made.smoothing, rel=1e-9)
    assert np.allclose(fast_images(Y, n, T), [slow_image(made, y) for y in T], atol=1e-8)


def test_the_numbers_of_an_independent_implementation_come_out() -> None:
    Y = np.array([[0, 0], [1, 0], [0, 2], [1, 1], [0.5, 0.25]])
    T = np.array([[0.5, 0.5], [2, -1], [0, 0], [-5, 7]])
    two, one = (learn_deep(Y, n_components=n, n_layers=1, rank=None).layers[0] for n in (2, 1))
    assert two.smoothing == pytest.approx(1.695747382895, abs=1e-10)
    assert one.smoothing == pytest.approx(1.729179495733, abs=1e-10)
    assert two.coefficients[:, -1] @ nearest_kernel(two.encodings, two.encodings)[0] == pytest.approx(
        slow_memberships(slow_machine(Y, 2), Y[0]).sum()
    )
    images = [
        [0.534761943924, 0.49739803322],
        [1.136080558133, 0.104258818979],
        [0.20451109584, 0.191276502419],
        [-0.19756012184, 2.478320946878],
    ]
    assert np.allclose(fast_images(Y, 2, T), images, atol=1e-8)
    images = [
        [0.595714057573, 0.434377938145],
        [0.635219194909, -0.133182198697],
        [0.580775425042, 0.223397106571],
        [-0.15474066871, 2.141674549422],
    ]
    assert np.allclose(fast_images(Y, 1, T), images, atol=1e-8)


CROSSING = np.array([[-0.2, 0.3], [-0.2, -0.3], [0.2, 0.1], [0.1, -0.1]])


def test_the_sum_of_memberships_does_cross_zero() -> None:
    """The printed bound of [hull] Theorem 2 is 5.31 here, and the printed image is 697 thousand long."""
    made = slow_machine(CROSSING, 2)
    hull = learn_deep(CROSSING, n_components=2, n_layers=1, rank=None).layers[0]
    assert hull.smoothing == pytest.approx(0.082890543953, abs=1e-10)
    assert np.allclose(
        hull.coefficients[:, -1], [0.588548441647, 0.668943120621, 0.644570781078, -0.05143206011], atol=1e-9
    )
    before = np.array([2.307437314743, -3.747070346097])
    assert np.linalg.norm(slow_image(made, before)) > 1e5
    assert slow_memberships(made, before).sum() > 0 > slow_memberships(made, 1.01 * before).sum()
    shipped = fast_images(CROSSING, 2, before[None])[0]
    k = np.array([kernel(made.P @ before, made.P @ row, made.theta) for row in CROSSING])
    assert np.allclose(shipped, k @ CROSSING / k.sum(), atol=1e-8)


def test_away_from_the_crossing_the_image_is_the_printed_one() -> None:
    made = slow_machine(CROSSING, 2)
    for far in ([4.7, -7.7], [1.0, -1.5], [-3.0, 2.0]):
        assert np.allclose(fast_images(CROSSING, 2, np.array([far])), slow_image(made, np.array(far)), atol=1e-6)


@settings(max_examples=80)
@given(seed=st.integers(0, 10**6), reach=st.floats(0, 6), single=st.booleans())
def test_no_image_is_farther_than_the_bound(seed: int, reach: float, single: bool) -> None:
    rng = np.random.default_rng(seed)
    dtype: Any = np.float32 if single else np.float64
    Y = rng.random((int(rng.integers(1, 9)), int(rng.integers(1, 4)))).astype(dtype)
    # A line of rows through the middle, which passes any crossing there is.
    line = np.linspace(-1, 1, 101)[:, None] * rng.normal(size=Y.shape[1]) * 10**reach
    images = fast_images(Y, 2, (Y.mean(axis=0) + line).astype(dtype))
    radius = np.linalg.norm(Y - Y.mean(axis=0), axis=1).max()
    assert np.isfinite(images).all()
    assert (np.linalg.norm(images - Y.mean(axis=0), axis=1) <= 1.01 * FARTHEST * radius + 1e-5).all()


def test_the_kernel_is_the_gaussian_one_over_its_largest_value() -> None:
    U, V = np.random.default_rng(0).normal(size=(5, 3)), np.random.default_rng(1).normal(size=(7, 3))
    slow = np.array([[np.exp(-0.5 * ((u - v) ** 2).sum()) for v in V] for u in U])
    assert np.allclose(nearest_kernel(U, V), slow / slow.max(axis=1, keepdims=True))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_however_far_a_row_is_the_nearest_point_speaks_for_it(dtype: Any) -> None:
    V = np.array([[0.0], [1.0], [2.0]], dtype=dtype)
    for far in (1e3, 1e30):
        assert np.allclose(nearest_kernel(np.array([[far], [-far]], dtype=dtype), V), [[0, 0, 1], [1, 0, 0]])


def test_the_solution_is_that_of_the_regularised_system() -> None:
    Y = some_rows(9, 4)
    K = nearest_kernel(Y, Y)
    assert np.allclose(regularised_solution(K, 0.3, Y), np.linalg.inv(K + 0.3 * np.eye(9)) @ Y)


def test_the_smoothing_is_the_fixed_point_in_few_evaluations() -> None:
    for scale in (0.01, 0.5, 0.99):
        tried: list[float] = []

        def error(smoothing: float, scale: float = scale, tried: list[float] = tried) -> float:
            tried.append(smoothing)
            return float(scale * 0.5 * (smoothing / (smoothing + 0.3)) ** 2)

        found = fixed_point_smoothing(error, 1.0, tolerance=1e-10)
        assert tried[-1] == found
        assert error(found) == pytest.approx(found - 1, abs=1e-9)
        assert len(tried) <= 7


def test_the_smoothing_grows_with_the_scale_of_the_data() -> None:
    """It is at least 2‖Y‖²/(pN): data in other units than [0, 1] is another problem."""
    Y = some_rows(30, 4)
    small, large = (learn_deep(scale * Y, n_components=2, n_layers=1, rank=None).layers[0] for scale in (1, 255))
    assert large.smoothing > 10_000 * small.smoothing


def make_hull(Y: Matrix, dtype: Any = np.float64) -> Hull:
    Z = (Y - Y.mean(axis=0)).astype(dtype)
    mean = Y.mean(axis=0)
    level = float(mean @ mean)
    return learn_hull(Z, Z, centre=mean.astype(dtype), level=level, n_features=Y.shape[1])


def test_the_training_rows_come_back_from_the_coefficients() -> None:
    Y = some_rows(20, 3)
    hull = make_hull(Y)
    averages = kernel_averages(hull, np.eye(20))
    assert np.allclose(averages, Y - Y.mean(axis=0), atol=1e-10)


def test_single_precision_agrees_with_double() -> None:
    Y = some_rows(200, 6)
    T = some_rows(50, 6, seed=3)
    single = fast_images(Y.astype(np.float32), 3, T.astype(np.float32))
    assert single.dtype == np.float32
    assert np.allclose(single, fast_images(Y, 3, T), atol=1e-3)


def test_data_near_zero_in_single_precision_is_solved_in_doubles() -> None:
    """lambda is about 2e-8 there, far below what a factor in single precision bears."""
    Y = 1e-4 * some_rows(200, 6)
    single, double = make_hull(Y, np.float32), make_hull(Y)
    assert single.coefficients.dtype == np.float32
    assert single.smoothing == pytest.approx(double.smoothing, rel=1e-3)
    assert np.isfinite(single.coefficients).all()


@pytest.mark.parametrize("row", [[0.0, 0.0], [0.3, 0.7]])
@pytest.mark.parametrize("count", [1, 2, 40])
def test_equal_rows_are_their_own_image(row: list[float], count: int) -> None:
    Y = np.tile(row, (count, 1))
    assert np.allclose(fast_images(Y, 2, np.array([[0.5, 0.1], [9.0, -9.0], row])), row, atol=1e-12)
