"""Noisy gradient descent: the gradient, its sensitivity by brute force, exact sums, and where it leads."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from tests.models.additive.tables import COLUMNS, random_codes, random_targets, with_row

from tacit.arrays import FloatArray
from tacit.models.additive.descent import (
    CONSTANT,
    CURVE_QUANTUM,
    Ask,
    MomentumDescent,
    MomentumSettings,
    Weights,
    exact_curves,
    gradient_query,
    level_tables,
    squared_norms,
    turned,
    whole_features,
)
from tacit.models.additive.features import LevelFeatureTable, table_features
from tacit.models.additive.losses import Residuals, class_residuals, limited, squared_residuals
from tacit.models.additive.rows import Batches, batch_list, batches_of
from tacit.numerics.exact_sums import ROW_BITS, IntegerSum

N_ROWS, CLIP = 120, 0.3


def features() -> LevelFeatureTable:
    random = np.random.default_rng(5)
    return table_features(COLUMNS, [random.integers(1, 100, one.size).astype(float) for one in COLUMNS])


FEATURES = features()


def weights(n_scores: int, size: float = 1.0) -> Weights:
    random = np.random.default_rng(6)
    return Weights(random.normal(0, size, (FEATURES.matrix.shape[1], n_scores)), random.normal(0, size, n_scores))


def slow_gradient(codes: np.ndarray, target: np.ndarray, at: Weights, residuals: Residuals, clip: float) -> FloatArray:
    """Return the sum over rows of residual times features, each row's matrix shortened to ``clip``."""
    dense, starts = FEATURES.matrix.toarray(), np.cumsum([0, *(one.size for one in COLUMNS)])
    total = np.zeros((dense.shape[1] + 1, len(at.constant)))
    for row, label in zip(codes, target, strict=True):
        x = np.append(sum(dense[starts[j] + int(level)] for j, level in enumerate(row)), CONSTANT)
        score = x[:-1] @ at.features + CONSTANT * at.constant
        part = np.outer(x, residuals(score[None], np.array([label]))[0])
        total += part * min(1.0, clip / np.linalg.norm(part))
    return total / clip


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_gradient_is_what_a_loop_over_rows_gives(n_classes: int) -> None:
    codes, target = random_codes(N_ROWS), random_targets(N_ROWS, n_classes)
    at = weights(1 if n_classes == 2 else n_classes)
    query = gradient_query(batches_of(codes, target, COLUMNS), FEATURES, at, class_residuals, CLIP).values
    np.testing.assert_allclose(query, slow_gradient(codes, target, at, class_residuals, CLIP), atol=2e-3)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_no_row_moves_the_gradient_by_more_than_one(n_classes: int) -> None:
    codes, target = random_codes(N_ROWS), random_targets(N_ROWS, n_classes)
    at = weights(1 if n_classes == 2 else n_classes, size=5.0)
    before = gradient_query(batches_of(codes, target, COLUMNS), FEATURES, at, class_residuals, CLIP).integers
    extremes = [sorted({0, one.size // 2, one.size - 1}) for one in COLUMNS]
    moved = []
    for row in itertools.product(*extremes):
        for label in range(n_classes):
            neighbour = with_row(codes, target, np.array([row], np.uint8), label)
            after = gradient_query(neighbour, FEATURES, at, class_residuals, CLIP).integers
            # In whole numbers: nothing is rounded on the way.
            moved.append(int(((after - before).astype(object) ** 2).sum()))
    assert max(moved) <= 4**ROW_BITS
    assert max(moved) > 0.8 * 4**ROW_BITS, "some row is wrong enough to be shortened"


def test_residuals_rounded_away_from_zero_would_move_it_further(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: nothing else makes room for rounding than that residuals are cut towards zero."""

    def outwards(residuals: FloatArray, limits: FloatArray) -> FloatArray:
        short = limited(residuals, limits)
        return short + np.sign(short)

    def longest() -> int:
        """Return the squared norm of the longest of 20 rows whose target is far off."""
        far, residuals = np.full(1, 1e6), squared_residuals(0.5, 0.01)
        parts = [
            gradient_query(batches_of(row, far, COLUMNS), FEATURES, weights(1), residuals, CLIP).integers
            for row in random_codes(20, 9)[:, None]
        ]
        return max(int((part.astype(object) ** 2).sum()) for part in parts)

    assert longest() <= 4**ROW_BITS
    monkeypatch.setattr("tacit.models.additive.descent.limited", outwards)
    assert longest() > 4**ROW_BITS


def test_an_outlying_number_moves_the_gradient_by_no_more_than_one() -> None:
    codes, target = random_codes(N_ROWS), np.linspace(0, 1, N_ROWS)
    residuals = squared_residuals(0.5, 0.01)
    before = gradient_query(batches_of(codes, target, COLUMNS), FEATURES, weights(1), residuals, 0.5).values
    neighbour = with_row(codes, target, random_codes(1, 9), 1e6)
    after = gradient_query(neighbour, FEATURES, weights(1), residuals, 0.5).values
    assert 0.99 < np.linalg.norm(after - before) <= 1


def test_neither_order_nor_batches_change_the_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    codes, target = random_codes(3000), random_targets(3000, 3)
    first = gradient_query(batches_of(codes, target, COLUMNS), FEATURES, weights(3), class_residuals, CLIP)
    order = np.random.default_rng(3).permutation(3000)
    monkeypatch.setattr("tacit.models.additive.rows.BATCH_ROWS", 101)
    again = gradient_query(
        batches_of(codes[order], target[order], COLUMNS), FEATURES, weights(3), class_residuals, CLIP
    )
    np.testing.assert_array_equal(first.integers, again.integers)


def test_parts_of_a_table_add_up_to_the_whole_bit_for_bit() -> None:
    codes, target = random_codes(300), random_targets(300, 3)
    of_parts = [
        gradient_query(batches_of(codes[part], target[part], COLUMNS), FEATURES, weights(3), class_residuals, CLIP)
        for part in (slice(0, 1), slice(1, 120), slice(120, 300))
    ]
    whole = gradient_query(batches_of(codes, target, COLUMNS), FEATURES, weights(3), class_residuals, CLIP)
    assert np.sum([part.integers for part in of_parts], axis=0).tolist() == whole.integers.tolist()


def test_sums_over_more_rows_than_64_bits_hold_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    codes, target = random_codes(200), random_targets(200, 2)
    batches = batches_of(codes, target, COLUMNS)
    expected = gradient_query(batches, FEATURES, weights(1), class_residuals, CLIP)
    monkeypatch.setattr("tacit.numerics.exact_sums.MOST_ROWS_IN_64_BITS", 10)
    wide = gradient_query(batches, FEATURES, weights(1), class_residuals, CLIP)
    assert wide.integers.dtype == object
    assert wide.integers.tolist() == expected.integers.tolist()


def test_features_of_levels_that_no_row_seems_to_have_stay_bounded() -> None:
    whole = whole_features(sparse.csr_array(np.array([[1e9, -1e9], [0.5, 2.0**-15]])))
    assert whole.toarray().tolist() == [[2**24, -(2**24)], [2**13, 0]]


def test_squared_norms_are_those_of_whole_features() -> None:
    whole = whole_features(FEATURES.matrix)
    exact = [sum(int(value) ** 2 for value in row) for row in whole.toarray()]
    assert squared_norms(whole).tolist() == exact


def test_curves_are_on_a_grid_and_bounded() -> None:
    curves = exact_curves(np.array([0.1, -1e9, 1e9]))
    assert curves[0] / CURVE_QUANTUM == round(0.1 / CURVE_QUANTUM)
    assert curves[1:].tolist() == [-256.0, 256.0]


def true_labels(codes: np.ndarray, at: Weights) -> np.ndarray:
    curves, intercept = level_tables(FEATURES, at)
    scores = batch_list(codes, np.zeros(len(codes)), COLUMNS)[0].indicator @ curves + intercept
    return (np.random.default_rng(0).random(len(codes)) < expit(scores[:, 0])).astype(np.intp)


def exact_descent(batches: Batches, n_rows: int, n_steps: int) -> Weights:
    settings = MomentumSettings((1,) * n_steps, CLIP, 40.0)
    descent = begun(settings, lambda query, _: query.values, n_rows=float(n_rows), sigma=1e-9)
    descent.run(batches, FEATURES, range(n_steps))
    return descent.averaged


def begun(settings: MomentumSettings, ask: Ask, *, n_rows: float = 50.0, sigma: float = 1.0) -> MomentumDescent:
    return MomentumDescent.begin(
        class_residuals,
        settings,
        ask=ask,
        sigma=sigma,
        n_rows=n_rows,
        start=np.zeros(1),
        n_features=FEATURES.matrix.shape[1],
    )


def test_without_noise_descent_finds_the_scores_that_made_the_labels() -> None:
    codes = random_codes(20_000, 8)
    truth = Weights(weights(1).features * 2, np.full(1, -1.0))
    target = true_labels(codes, truth)
    found = exact_descent(batches_of(codes, target, COLUMNS), 20_000, 100)
    expected, got = (level_tables(FEATURES, one)[0][:, 0] for one in (truth, found))
    assert np.corrcoef(expected, got)[0, 1] > 0.9


def test_each_step_asks_as_often_as_it_may() -> None:
    asked: list[int] = []

    def ask(query: IntegerSum, draws: int) -> FloatArray:
        asked.append(draws)
        return query.values

    batches = batches_of(random_codes(50), random_targets(50, 2), COLUMNS)
    settings = MomentumSettings((2, 3, 3), CLIP, 10.0)
    begun(settings, ask).run(batches, FEATURES, range(3))
    assert asked == [2, 3, 3]
    assert settings.averaged == slice(2, 3)


def test_a_descent_in_parts_is_the_descent_in_one() -> None:
    batches = batches_of(random_codes(50), random_targets(50, 2), COLUMNS)
    settings = MomentumSettings((1,) * 6, CLIP, 10.0)
    whole, parts = (begun(settings, lambda query, _: query.values) for _ in range(2))
    whole.run(batches, FEATURES, range(6))
    parts.run(batches, FEATURES, range(2))
    parts.run(batches, FEATURES, range(2, 6))
    np.testing.assert_array_equal(whole.averaged.features, parts.averaged.features)


def test_features_that_join_start_at_zero_and_move_no_other() -> None:
    descent = begun(MomentumSettings((1,) * 6, CLIP, 10.0), lambda query, _: query.values)
    batches = batches_of(random_codes(50), random_targets(50, 2), COLUMNS)
    descent.run(batches, FEATURES, range(2))
    before = descent.weights
    descent.join(7)
    np.testing.assert_array_equal(descent.weights.features, np.vstack([before.features, np.zeros((7, 1))]))
    np.testing.assert_array_equal(descent.weights.constant, before.constant)
    assert descent.velocity.shape == descent.before.shape == descent.mean.shape == descent.current.shape


def test_only_gradients_that_surely_turn_round_count_as_turned() -> None:
    random = np.random.default_rng(0)
    gradient = random.normal(0, 10, 200)
    assert turned(-gradient, gradient, 1.0)
    assert not turned(gradient, gradient, 1.0)
    noise = [turned(random.normal(0, 1, 200), random.normal(0, 1, 200), 1.0) for _ in range(300)]
    assert not any(noise)
