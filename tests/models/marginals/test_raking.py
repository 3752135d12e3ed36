import numpy as np
import pytest

from tacit.data.rows.encoding import encode
from tacit.data.schemas.conditions import parse_condition
from tacit.models.marginals import raking
from tacit.models.marginals.model import MarginalModel, fitted_model
from tacit.models.marginals.raking import CONTRADICTED, CoarseRows, ReleasedCounts, excess_by_noise, towards
from tacit.models.marginals.tables import CoarseCounts, PairTable

from .conftest import CHURN, churn_like, measured

OFFSETS = np.array([0, 3, 5])


def released(counts: np.ndarray, variance: float = 1.0) -> ReleasedCounts:
    margins = CoarseCounts(counts, np.full(5, variance), counts[:, :3].sum(axis=1))
    return ReleasedCounts(margins, OFFSETS)


def independent_rows(n_rows: int = 60_000) -> CoarseRows:
    """Return rows of two classes in which all combinations of 3 x 2 cells are equally frequent."""
    places = np.arange(n_rows)
    return CoarseRows(np.column_stack([places % 3, places // 3 % 2]), places // 6 % 2)


def test_raked_rows_have_the_released_margins() -> None:
    rng = np.random.default_rng(0)
    rows = CoarseRows(np.column_stack([rng.integers(0, 3, 5000), rng.integers(0, 2, 5000)]), rng.integers(0, 2, 5000))
    counts = np.array([[200.0, 500, 300, 700, 300], [100.0, 50, 350, 250, 250]])
    weights = released(counts).raked(rows, np.ones(5000))
    for j, (first, end) in enumerate(((0, 3), (3, 5))):
        have = rows.counts((j,), (2, end - first), weights)
        assert np.abs(have - counts[:, first:end]).max() < 12


def test_margins_that_are_noise_are_not_followed() -> None:
    rng = np.random.default_rng(0)
    rows = independent_rows(6000)
    counts = 1000 + rng.normal(0, 100, (2, 5)) * np.array([1, 1, 1, 1, 1])
    counts[:, 3:] += 500
    weights = released(counts, 300.0**2).raked(rows, np.ones(6000))
    assert weights.std() < 0.05 * weights.mean()


def test_a_target_is_approached_as_far_as_noise_does_not_explain_it() -> None:
    start, target = np.zeros(5), np.full(5, 10.0)
    assert np.allclose(towards(target, start, np.full(5, 1e-6)), target)
    assert np.allclose(towards(target, start, np.full(5, 1e6)), start)
    assert towards(target, start, np.full(5, 25.0))[0] == pytest.approx(10 * (1 - 4 / 20))
    assert np.array_equal(towards(start, start, np.ones(5)), start)


def test_counts_by_class_are_those_of_a_slow_loop() -> None:
    rng = np.random.default_rng(1)
    rows = CoarseRows(rng.integers(0, (3, 2, 4), (200, 3)), rng.integers(0, 2, 200))
    weights = rng.random(200)
    slow = np.zeros((2, 3, 4))
    for cells, code, weight in zip(rows.cells, rows.classes, weights, strict=True):
        slow[code, cells[0], cells[2]] += weight
    assert np.allclose(rows.counts((0, 2), (2, 3, 4), weights), slow)


MARGINS = np.array([[300.0, 300, 300, 300, 600]] * 2)


def test_rows_that_a_table_contradicts_are_brought_to_it() -> None:
    # The second column follows from the first: 300 rows of either class in each of three combinations, none elsewhere.
    table = np.array([[[300.0, 0], [0, 300], [0, 300]]] * 2)
    rows = independent_rows()
    factors = released(MARGINS).factors(rows, [PairTable((0, 1), table)], sigma=5.0)
    weights = np.prod([each.of_rows(rows) for each in factors], axis=0)
    have = rows.counts((0, 1), (2, 3, 2), weights * (1800 / weights.sum()))
    assert np.abs(have - table).max() < 8


@pytest.mark.parametrize("sigma", [5.0, 50.0])
def test_tables_that_rows_agree_with_up_to_noise_yield_no_factors(sigma: float) -> None:
    rows = independent_rows()
    margins = np.array([[300.0, 300, 300, 450, 450]] * 2)
    for seed in range(20):
        noise = np.random.default_rng(seed).normal(0, sigma, (2, 3, 2))
        pair = PairTable((0, 1), 150 + noise)
        assert released(margins).factors(rows, [pair], sigma) == []


def test_large_tables_of_small_counts_are_not_contradicted_by_their_noise() -> None:
    # 88 times 19 cells of 130 rows with noise of 78: some eighty lie below 0 by noise alone. Six cells hold many more
    # rows than those at hand have there, which no noise explains, but contradicts none of them.
    truth = np.full((1, 88, 19), 130.0)
    truth[0, np.arange(6), np.arange(6)] += 1500
    counts = np.concatenate([truth.sum(axis=2), truth.sum(axis=1)], axis=1)
    big = ReleasedCounts(CoarseCounts(counts, np.ones(107), truth.sum(axis=(1, 2))), np.array([0, 88, 107]))
    places = np.arange(20 * 88 * 19)
    rows = CoarseRows(np.column_stack([places % 88, places // 88 % 19]), np.zeros_like(places))
    for seed in range(5):
        noisy = truth + np.random.default_rng(seed).normal(0, 78, truth.shape)
        assert big.factors(rows, [PairTable((0, 1), noisy)], 78.0) == []


def test_excess_by_noise_is_that_of_many_draws() -> None:
    counts = np.array([[0.0, 10, 50], [100, 200, 1000]])
    lost = []
    for seed in range(20_000):
        noisy = np.maximum(counts + np.random.default_rng(seed).normal(0, 60, counts.shape), 0)
        lost.append(((counts - noisy) * (noisy < CONTRADICTED * counts)).sum())
    assert excess_by_noise(counts, 60.0) == pytest.approx(np.mean(lost), rel=0.03)


def test_no_weight_grows_without_bound() -> None:
    table = np.array([[[300.0, 0], [0, 300], [0, 300]]] * 2)
    rows = independent_rows()
    # Hardly any of the rows are in the only combination of the first cell that the table knows.
    rare = (rows.cells[:, 0] > 0) | (rows.cells[:, 1] == 1) | (np.arange(len(rows.classes)) % 500 == 0)
    skewed = CoarseRows(rows.cells[rare], rows.classes[rare])
    factors = released(MARGINS).factors(skewed, [PairTable((0, 1), table)], sigma=5.0)
    assert all(each.values.min() >= 0 and each.values.max() <= raking.MOST_FACTOR for each in factors)
    assert max(each.values.max() for each in factors) == raking.MOST_FACTOR


def test_a_contradiction_that_noise_may_have_made_is_left() -> None:
    table = np.array([[[300.0, 0], [0, 300], [0, 300]]] * 2)
    assert released(MARGINS).factors(independent_rows(), [PairTable((0, 1), table)], sigma=400.0) == []


def contradictions(model: MarginalModel, count: int, where: str = "") -> float:
    conditions = [parse_condition(where, CHURN.columns)] if where else []
    places, classes = model.places(count, random_state=0, where=conditions)
    rows = model.layout.table(places, classes)
    wrong = [(rows[name] == "no line") != (rows["line"] == "no") for name in ("backup", "support", "films")]
    return float(np.mean([each.mean() for each in wrong]))


def test_rows_of_small_tables_seldom_contradict_what_the_noisy_tables_clearly_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = encode(churn_like(2000, 0), CHURN)
    measurement = measured(rows.X, rows.y, CHURN, epsilon=1.0)
    model = fitted_model(measurement, random_state=0)
    by_count = {count: contradictions(model, count) for count in (3000, 200)}
    conditioned = contradictions(model, 1000, "other0 = a")
    monkeypatch.setattr(raking, "LEAST_SHARE", 2.0)
    without = contradictions(MarginalModel(measurement, model.mixture), 3000)
    assert by_count[3000] < 0.5 * without
    assert by_count[200] < 0.7 * without
    assert conditioned < 0.5 * without
