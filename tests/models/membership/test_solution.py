import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.models.membership import solution
from tacit.models.membership.solution import (
    choose_basis,
    evaluate,
    first_passing,
    fixed_point_noise,
    kernel_variance,
    landmark_counts,
    landmark_limit,
    learn_on_basis,
    make_basis,
    mean_variance,
    output_spectrum,
    smoothing,
    smoothing_of_rows,
    updated_noise,
)
from tacit.numerics.kernels import Floats, feature_scales
from tacit.numerics.landmarks import cluster_centres

Doubles = NDArray[np.float64]
NU = 2.1

# Independent figures: samples are rows, landmarks given, nu = 2.1, beta iterated to 1e-13.
X1 = np.array([[0, 0], [1, 0], [0, 2], [1, 2], [0.5, 1], [0.25, 1.5]])
Y1 = np.array([[0, 1, 0], [0.2, 0.8, 0], [0.1, 0.3, 0.5], [0.4, 0.1, 0.6], [0.2, 0.5, 0.3], [0.15, 0.4, 0.4]])
A1 = np.array([[0.25, 0.5], [0.75, 1.5]])
NEW1 = np.array([[0.5, 0.5], [2.0, -1.0]])
FIGURES: dict[str, dict[str, Any]] = {
    "sigma² is 1": {
        "Y": Y1,
        "variance of outputs": 0.0638055556,
        "sigma²": 1.0,
        "beta": 36.5325583166,
        "updates": [22.22531667, 36.04391755, 36.52210949],
        "alpha": [[-0.19712888, 0.94581595, -0.27364287], [0.39142741, -0.37843569, 0.60919156]],
        "predictions": [[0.14374175, 0.59302306, 0.25584538], [0.04986724, 0.07507578, 0.08302252]],
    },
    "sigma² above 1": {
        "Y": 10 * Y1,
        "variance of outputs": 6.3805555556,
        "sigma²": 13.0044448761,
        "beta": 0.3143040462,
        "updates": [0.35196998, 0.31951571, 0.31508438],
        "alpha": [[-0.11843452, 0.63621520, -0.16141992], [0.26146238, -0.21855283, 0.40842544]],
        "predictions": [[1.41553321, 5.58804607, 2.50844353], [0.46128832, 0.75488351, 0.77063750]],
    },
}
TAU1 = 0.4906442079


class Slow:
    """[membership] Alg. 1 as printed, with explicit inverses and the landmarks given."""

    def __init__(self, X: Floats, Y: Floats, a: Floats, *, updates: int = 200) -> None:
        self.w = np.array([1 / np.ptp(column) ** 2 if np.ptp(column) > 0 else 0 for column in X.T])
        self.a = a
        self.tau = self.smoothing(X)
        spread = float(np.mean([np.var(column, ddof=1) for column in Y.T]))
        self.sigma2 = 1.0 if self.tau >= spread else spread / self.tau
        self.beta = 1.0
        for _ in range(updates):
            self.alpha = self.coefficients(X, Y)
            self.beta = 1 / float(np.mean((Y - self.predict(X)) ** 2))
        self.alpha = self.coefficients(X, Y)

    def kernel(self, X: Floats, Z: Floats, sigma2: float) -> Doubles:
        squares = (X[:, None, :] - Z[None, :, :]) ** 2
        return np.asarray(sigma2 * np.exp(-0.5 * (squares * self.w).sum(axis=2)))

    def smoothing(self, X: Floats) -> float:
        K_xx, K_xa, K_aa = self.kernel(X, X, 1), self.kernel(X, self.a, 1), self.kernel(self.a, self.a, 1)
        return float((np.trace(K_xx) - np.trace(np.linalg.inv(K_aa) @ K_xa.T @ K_xa)) / (NU + len(self.a) - 2))

    def coefficients(self, X: Floats, Y: Floats) -> Doubles:
        K_xa, K_aa = self.kernel(X, self.a, self.sigma2), self.kernel(self.a, self.a, self.sigma2)
        inner = K_xa.T @ K_xa + self.sigma2 * self.tau * K_aa + K_aa / self.beta
        return np.asarray(np.linalg.inv(inner) @ K_xa.T @ Y)

    def predict(self, X: Floats) -> Doubles:
        return np.asarray(self.kernel(X, self.a, self.sigma2) @ self.alpha)


def data(seed: int, n_rows: int, n_features: int, n_outputs: int) -> tuple[Doubles, Doubles]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    return X, np.sin(X @ rng.normal(size=(n_features, n_outputs))) + 0.1 * rng.normal(size=(n_rows, n_outputs))


def slow_choice(X: Floats, most: int, order: NDArray[np.intp]) -> tuple[int, float]:
    """[membership] Alg. 1, lines 3-8: one number of landmarks after another, from the top."""
    M = most
    while True:
        basis = make_basis(cluster_centres(X, M, order=order), feature_scales(X))
        tau = smoothing(basis, X)
        if tau >= 0.1 or M == 1:
            return len(basis.landmarks), tau
        M = min(math.ceil(9 * M / 10), M - 1)


@pytest.mark.parametrize("name", FIGURES)
def test_the_solution_reproduces_independent_figures(name: str) -> None:
    figures = FIGURES[name]
    Y = figures["Y"]
    basis = make_basis(A1, feature_scales(X1))
    tau = smoothing(basis, X1)
    mapping = learn_on_basis(basis, tau, X1, Y)
    places = [int(np.flatnonzero((mapping.landmarks == a).all(axis=1))[0]) for a in A1]
    assert mapping.scales**2 == pytest.approx([1.0, 0.25])
    assert tau == pytest.approx(TAU1, rel=1e-9)
    assert mean_variance(Y) == pytest.approx(figures["variance of outputs"], rel=1e-9)
    assert mapping.variance == pytest.approx(figures["sigma²"], rel=1e-9)
    assert 1 / mapping.noise == pytest.approx(figures["beta"], rel=1e-9)
    assert mapping.coefficients[places] / mapping.variance == pytest.approx(np.array(figures["alpha"]), abs=1e-8)
    assert evaluate(mapping, NEW1) == pytest.approx(np.array(figures["predictions"]), abs=1e-8)
    noise = 1.0
    for beta in figures["updates"]:
        noise = updated_noise(noise, output_spectrum(basis, X1, Y), tau=tau, variance=mapping.variance)
        assert 1 / noise == pytest.approx(beta, rel=1e-7)


def test_the_numbers_of_landmarks_are_those_of_the_paper_and_end_at_one() -> None:
    start = [500, 450, 405, 365, 329, 297, 268, 242, 218, 197, 178, 161, 145, 131, 118, 107, 97, 88, 80, 72, 65, 59]
    end = [54, 49, 45, 41, 37, 34, 31, 28, 26, 24, 22, 20, 18, *range(17, 0, -1)]
    assert landmark_counts(500) == start + end
    assert landmark_counts(10) == list(range(10, 0, -1))
    assert landmark_counts(1) == [1]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("scale", [0.3, 3.0])
def test_the_solution_equals_the_printed_algorithm(seed: int, scale: float) -> None:
    X, Y = data(seed, 60, 3, 4)
    Y *= scale
    a = X[:: 60 // (3 + seed)]
    slow = Slow(X, Y, a)
    basis = make_basis(a, feature_scales(X))
    mapping = learn_on_basis(basis, smoothing(basis, X), X, Y)
    assert mapping.smoothing == pytest.approx(slow.tau, rel=1e-9)
    assert mapping.variance == pytest.approx(slow.sigma2, rel=1e-9)
    assert 1 / mapping.noise == pytest.approx(slow.beta, rel=1e-8)
    new = X[:20] + 0.1
    assert np.allclose(evaluate(mapping, new), slow.predict(new), atol=1e-8 * scale)


def test_float32_gives_the_same_within_its_digits() -> None:
    X, Y = data(0, 300, 5, 6)
    a = X[::15]
    slow = Slow(X, Y, a)
    X32, Y32, a32 = (array.astype(np.float32) for array in (X, Y, a))
    basis = make_basis(a32, feature_scales(X32))
    mapping = learn_on_basis(basis, smoothing(basis, X32), X32, Y32)
    assert mapping.coefficients.dtype == np.float32
    assert mapping.noise == pytest.approx(1 / slow.beta, rel=1e-3)
    assert np.allclose(evaluate(mapping, X32), slow.predict(X), atol=1e-3)


@pytest.mark.parametrize("n_features", [2, 4, 8, 20])
def test_the_search_finds_what_trying_every_number_finds(n_features: int) -> None:
    X, _ = data(n_features, 300, n_features, 1)
    order = np.random.default_rng(1).permutation(300)
    basis, tau = choose_basis(X, max_landmarks=150, order=order)
    assert (len(basis.landmarks), tau) == pytest.approx(slow_choice(X, 150, order))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_factor_tells_the_smoothing_of_every_number_of_rows(dtype: Any) -> None:
    X, Y = data(7, 80, 6, 1)
    rows = np.random.default_rng(0).permutation(80)[:30]
    taus = smoothing_of_rows(X.astype(dtype), feature_scales(X).astype(dtype), rows)
    for M in (1, 2, 7, 30):
        assert taus[M - 1] == pytest.approx(Slow(X, Y, X[rows[:M]], updates=0).tau, rel=1e-2, abs=1e-3)


def test_equal_rows_have_a_smoothing_too() -> None:
    X = np.repeat(data(7, 5, 3, 1)[0], 8, axis=0)
    taus = smoothing_of_rows(X, feature_scales(X), np.arange(40))
    assert np.isfinite(taus).all()
    assert taus[-1] == pytest.approx(0, abs=1e-4)


def test_a_place_is_found_from_any_guess_and_soon_from_a_good_one() -> None:
    for last in range(60):
        for answer in range(last + 1):
            for guess in range(last + 1):
                asked: list[int] = []

                def passes(place: int, answer: int = answer, asked: list[int] = asked) -> bool:
                    asked.append(place)
                    return place >= answer

                assert first_passing(passes, last, guess=guess) == answer
                assert len(asked) == len(set(asked)) <= 2 + 2 * math.ceil(math.log2(abs(answer - guess) + 2))


def test_many_blocks_learn_what_one_block_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    X, Y = data(3, 200, 4, 3)
    basis = make_basis(X[:20], feature_scales(X))
    tau = smoothing(basis, X)
    whole = learn_on_basis(basis, tau, X, Y)
    outputs = evaluate(whole, X)
    monkeypatch.setattr("tacit.numerics.blocks.row_blocks.__kwdefaults__", {"entries": 300})
    assert smoothing(basis, X) == pytest.approx(tau)
    assert np.allclose(evaluate(learn_on_basis(basis, tau, X, Y), X), outputs, atol=1e-10)


def test_an_exact_fit_has_no_noise_and_interpolates() -> None:
    """As many landmarks as rows leave tau = 0; the limit of Alg. 1 there is interpolation."""
    X, Y = data(0, 12, 3, 2)
    basis = make_basis(X, feature_scales(X))
    mapping = learn_on_basis(basis, 0.0, X, Y)
    assert mapping.variance == math.inf
    assert mapping.noise < 1e-20
    assert np.allclose(evaluate(mapping, X), Y, atol=1e-9)


def test_rows_that_are_all_equal_are_mapped_to_the_mean_output() -> None:
    X = np.full((8, 3), 2.0)
    Y = np.random.default_rng(0).normal(size=(8, 2))
    basis, tau = choose_basis(X, max_landmarks=4, order=np.arange(8))
    mapping = learn_on_basis(basis, tau, X, Y)
    assert len(mapping.landmarks) == 1
    assert tau == pytest.approx(0, abs=1e-12)
    assert not mapping.scales.any()
    assert np.allclose(evaluate(mapping, X + 5), Y.mean(axis=0), atol=1e-9)


def test_one_row_is_mapped_to_its_output() -> None:
    X, Y = np.array([[1.0, 2.0]]), np.array([[3.0, -1.0, 0.5]])
    basis, tau = choose_basis(X, max_landmarks=1, order=np.arange(1))
    assert np.allclose(evaluate(learn_on_basis(basis, tau, X, Y), X), Y, rtol=1e-6)


def test_outputs_of_zero_are_mapped_to_zero() -> None:
    X, _ = data(0, 30, 3, 1)
    basis = make_basis(X[:5], feature_scales(X))
    mapping = learn_on_basis(basis, smoothing(basis, X), X, np.zeros((30, 2)))
    assert mapping.noise == 0
    assert not evaluate(mapping, X).any()


def test_more_landmarks_than_rows_and_landmarks_twice_change_nothing() -> None:
    X, Y = data(5, 20, 2, 2)
    scales = feature_scales(X)
    a = np.random.default_rng(2).normal(size=(7, 2))
    mappings = []
    for landmarks in (a, np.vstack([a, a, a, a])):
        basis = make_basis(landmarks, scales)
        assert len(basis.landmarks) == 7
        mappings.append(learn_on_basis(basis, smoothing(basis, X), X, Y))
    assert np.allclose(evaluate(mappings[0], X), evaluate(mappings[1], X), atol=1e-7)
    many = make_basis(np.random.default_rng(3).normal(size=(50, 2)), scales)
    mapping = learn_on_basis(many, smoothing(many, X), X, Y)
    assert np.isfinite(evaluate(mapping, X)).all()
    assert np.mean((evaluate(mapping, X) - Y) ** 2) == pytest.approx(mapping.noise, rel=1e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_noise_is_the_mean_squared_error_of_the_result(dtype: Any) -> None:
    X, Y = (array.astype(dtype) for array in data(1, 200, 4, 3))
    basis, tau = choose_basis(X, max_landmarks=100, order=np.arange(200))
    mapping = learn_on_basis(basis, tau, X, Y)
    assert mapping.noise == pytest.approx(float(np.mean((evaluate(mapping, X) - Y) ** 2)), rel=1e-4)


def test_the_fixed_point_is_one_and_few_updates_reach_it() -> None:
    X, Y = data(2, 200, 4, 3)
    basis, tau = choose_basis(X, max_landmarks=100, order=np.arange(200))
    variance = kernel_variance(tau, mean_variance(Y))
    spectrum = output_spectrum(basis, X, Y)
    fixed_point = fixed_point_noise(spectrum, tau=tau, variance=variance)
    assert updated_noise(fixed_point, spectrum, tau=tau, variance=variance) == pytest.approx(fixed_point, rel=1e-12)
    noise = 1.0
    for _ in range(4):
        noise = updated_noise(noise, spectrum, tau=tau, variance=variance)
    assert noise == pytest.approx(fixed_point, rel=1e-2)


@pytest.mark.parametrize(
    ("setting", "n_rows", "limit"),
    [(None, 3, 2), (None, 5000, 1000), (1, 9, 1), (50, 9, 9), (1.0, 9, 9), (0.5, 9, 5), (1e-6, 9, 1)],
)
def test_the_most_landmarks_are_a_number_a_share_or_the_papers(setting: Any, n_rows: int, limit: int) -> None:
    assert landmark_limit(setting, n_rows) == limit


@pytest.mark.parametrize("setting", [0, -1, 0.0, 1.5, math.nan, True, "many"])
def test_no_other_most_landmarks_are_taken(setting: Any) -> None:
    with pytest.raises(InputError, match="max_landmarks"):
        landmark_limit(setting, 9)


def test_constants_are_the_papers() -> None:
    assert (solution.DEGREES_OF_FREEDOM, solution.MIN_SMOOTHING) == (2.1, 0.1)
