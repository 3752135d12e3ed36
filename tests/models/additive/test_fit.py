"""Whole fits: what they learn, that more budget helps, and few or strange rows."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.metrics import log_loss, roc_auc_score
from tests.models.additive.tables import COLUMNS, classes, random_codes, random_targets

from tacit.arrays import FloatArray
from tacit.models.additive.fit import (
    CLASS_CLIP,
    class_clip,
    fit_classifier,
    fit_regression,
)
from tacit.models.additive.levels import ColumnLevels, LevelCodes, number_codes, number_levels
from tacit.models.additive.model import AdditiveClassifier, AdditiveRegression
from tacit.models.additive.plan import UNITS, plan_additive
from tacit.models.additive.rows import batches_of
from tacit.privacy.account import observed_by
from tacit.privacy.mechanisms import Mechanism

PRICE = number_levels("price", -10.0, 10.0)


def true_scores(codes: LevelCodes) -> FloatArray:
    age, dose, sex, city = codes.astype(float).T
    scores: FloatArray = 0.15 * (age - 15) + 1.5 * np.sin(dose / 40) + sex - 1.2 * (city == 3) - 0.5
    return scores


def labelled(n_rows: int, seed: int) -> tuple[LevelCodes, NDArray[np.intp]]:
    codes = random_codes(n_rows, seed)
    return codes, (np.random.default_rng(seed).random(n_rows) < expit(true_scores(codes))).astype(np.intp)


def learned(
    codes: LevelCodes, target: NDArray[np.intp], n_classes: int = 2, *, epsilon: float = 1.0, seed: int = 0
) -> AdditiveClassifier:
    plan = plan_additive(COLUMNS, classes(n_classes), epsilon=epsilon, delta=1e-6)
    return fit_classifier(batches_of(codes, target, COLUMNS), plan, plan.as_plan.open(random_state=seed))


def regression(codes: LevelCodes, target: FloatArray, *, epsilon: float = 1.0, seed: int = 0) -> AdditiveRegression:
    plan = plan_additive(COLUMNS, PRICE, epsilon=epsilon, delta=1e-6)
    return fit_regression(batches_of(codes, target, COLUMNS), plan, plan.as_plan.open(random_state=seed))


def test_two_classes_are_told_apart_nearly_as_well_as_can_be() -> None:
    test, labels = labelled(8000, 2)
    model = learned(*labelled(8000, 1))
    best = roc_auc_score(labels, true_scores(test))
    assert roc_auc_score(labels, model.probabilities(test)[:, 1]) > best - 0.02


def test_more_epsilon_does_not_hurt() -> None:
    train, (test, labels) = labelled(2000, 1), labelled(8000, 2)
    areas = [
        np.mean(
            [
                roc_auc_score(labels, learned(*train, epsilon=epsilon, seed=seed).probabilities(test)[:, 1])
                for seed in range(2)
            ]
        )
        for epsilon in (0.1, 1.0, 6.0)
    ]
    assert areas[0] < areas[1] < areas[2] + 0.003


def test_probabilities_are_calibrated() -> None:
    test, labels = labelled(20_000, 2)
    chances = learned(*labelled(8000, 1)).probabilities(test)[:, 1]
    for low in (0.1, 0.3, 0.5, 0.7):
        inside = (chances >= low) & (chances < low + 0.2)
        assert labels[inside].mean() == pytest.approx(chances[inside].mean(), abs=0.06)


def test_the_private_check_is_near_the_truth() -> None:
    test, labels = labelled(20_000, 2)
    model = learned(*labelled(8000, 1), epsilon=3.0)
    assert model.check.auc == pytest.approx(roc_auc_score(labels, model.probabilities(test)[:, 1]), abs=0.03)
    assert model.check.separation_z > 5
    np.testing.assert_allclose(model.check.shares[1], labels.mean(), atol=0.03)
    assert model.size == pytest.approx(8000 * model.facts["mu"], rel=0.1)


@pytest.mark.parametrize("n_classes", [3, 4])
def test_several_classes_are_learned_together(n_classes: int) -> None:
    def drawn(seed: int) -> tuple[LevelCodes, NDArray[np.intp]]:
        codes = random_codes(6000, seed)
        noise = np.random.default_rng(seed).gumbel(size=(6000, n_classes))
        slopes = np.linspace(-2, 2, n_classes)
        return codes, np.argmax(slopes * (codes[:, :1] / 8.0 - 2) + noise, axis=1)

    test, labels = drawn(2)
    model = learned(*drawn(1), n_classes)
    chances = model.probabilities(test)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert (chances.argmax(axis=1) == labels).mean() > 1.3 / n_classes
    assert model.scores(test).log_odds.shape == (6000, n_classes)


def test_a_number_is_predicted_with_its_spread() -> None:
    def drawn(seed: int) -> tuple[LevelCodes, FloatArray]:
        codes = random_codes(8000, seed)
        return codes, np.clip(true_scores(codes) + np.random.default_rng(seed).normal(0, 0.8, 8000), -10, 10)

    test, numbers = drawn(2)
    model = regression(*drawn(1), epsilon=3.0)
    predictions = model.predict(test)
    explained = 1 - ((predictions.mean - numbers) ** 2).mean() / numbers.var()
    assert explained > 0.7
    assert model.check.r_squared == pytest.approx(explained, abs=0.1)
    assert ((numbers - predictions.mean) ** 2 / predictions.variance).mean() == pytest.approx(1, abs=0.35)
    assert predictions.mean.min() >= -10
    assert predictions.mean.max() <= 10


def test_few_rows_give_a_number_near_its_mean() -> None:
    codes = random_codes(400)
    numbers = np.clip(8 + 0.3 * np.random.default_rng(1).normal(size=400), -10, 10)
    means = [regression(codes, numbers, epsilon=1.0, seed=seed).predict(codes).mean.mean() for seed in range(5)]
    # The mean over a range of 20 is known to about 20/2 / (n mu sqrt(.07)), and by the noise in the number of rows.
    assert np.abs(np.array(means) - 8).max() < 2.5


@pytest.mark.parametrize("epsilon", [1.0, 8.0])
def test_the_check_of_random_labels_is_at_chance_however_well_they_were_learned(epsilon: float) -> None:
    checks = [
        learned(random_codes(4000, seed), random_targets(4000, 2, seed), epsilon=epsilon, seed=seed).check.separation_z
        for seed in range(5)
    ]
    # Without what fitting explains by chance it is near 4 at epsilon 8.
    assert max(checks) < 2
    assert np.mean(checks) > -3


def test_random_labels_leave_little_behind() -> None:
    codes = random_codes(3000)
    model = learned(codes, random_targets(3000, 2), epsilon=1.0)
    assert abs(model.check.separation_z) < 4
    chances = model.probabilities(random_codes(2000, 9))[:, 1]
    assert chances.std() < 0.15


@pytest.mark.parametrize("n_rows", [1, 3, 30])
@pytest.mark.parametrize("epsilon", [0.01, 5.0])
def test_few_rows_give_a_finite_model(n_rows: int, epsilon: float) -> None:
    model = learned(random_codes(n_rows), random_targets(n_rows, 3), 3, epsilon=epsilon)
    assert np.isfinite(model.probabilities(random_codes(50, 3))).all()


@pytest.mark.parametrize("seed", range(4))
def test_a_release_of_next_to_nothing_is_not_sure_of_anything(seed: int) -> None:
    model = learned(random_codes(30), random_targets(30, 2), epsilon=0.02, seed=seed)
    scores, _ = model.curves.scores(random_codes(200, 3))
    assert np.abs(scores - model.curves.intercept).std() < 10


def test_two_hundred_rows_still_teach() -> None:
    test, labels = labelled(4000, 2)
    areas = [
        roc_auc_score(labels, learned(*labelled(200, 5), epsilon=2.0, seed=seed).probabilities(test)[:, 1])
        for seed in range(6)
    ]
    assert np.mean(areas) > 0.62


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_probabilities_of_unequal_classes_that_differ_little_are_calibrated(epsilon: float) -> None:
    """Shortened gradients move a common class's intercept up, by which its calibrated share must not be moved down."""
    random = np.random.default_rng(5)
    codes = random_codes(12_000, 5)
    logits = np.log([0.57, 0.31, 0.12]) + np.outer(true_scores(codes) - true_scores(codes).mean(), [0.0, 0.4, -0.4])
    chances = softmax(logits, axis=1)
    labels = (random.random(12_000)[:, None] > np.cumsum(chances, axis=1)).sum(axis=1).astype(np.intp)
    model = learned(codes[:8000], labels[:8000], 3, epsilon=epsilon)
    said, true = model.probabilities(codes[8000:]), labels[8000:]
    np.testing.assert_allclose(said.mean(axis=0), np.bincount(true) / len(true), atol=0.02)
    best = log_loss(true, chances[8000:])
    nothing = log_loss(true, np.tile(np.bincount(true) / len(true), (len(true), 1)))
    assert log_loss(true, said) < best + 0.35 * (nothing - best)


def test_a_class_that_no_row_has_is_rare_and_does_no_harm() -> None:
    codes, labels = labelled(5000, 1)
    model = learned(codes, labels, 3)
    assert model.probabilities(codes)[:, 2].max() < 0.2


def test_a_table_of_zeros_and_ones_is_learned() -> None:
    columns = tuple(ColumnLevels(f"c{place}", np.zeros(0), ("0", "1")) for place in range(60))
    random = np.random.default_rng(0)
    codes = random.integers(0, 2, (4000, 60)).astype(np.uint8)
    target = (codes[:, :12].sum(axis=1) + random.normal(0, 1, 4000) > 6).astype(np.intp)
    plan = plan_additive(columns, classes(2), epsilon=1.0, delta=1e-6)
    model = fit_classifier(batches_of(codes, target, columns), plan, plan.as_plan.open(random_state=0))
    assert roc_auc_score(target, model.probabilities(codes)[:, 1]) > 0.85


@pytest.mark.parametrize(("n_rows", "epsilon"), [(300, 10.0), (3000, 1.0), (10_000, 1.0)])
def test_a_single_column_is_learned_however_many_rows(n_rows: int, epsilon: float) -> None:
    dose = number_levels("dose", 0.0, 1.0)
    values = np.random.default_rng(0).random(n_rows)
    plan = plan_additive((dose,), PRICE, epsilon=epsilon, delta=1e-6)
    codes = number_codes(values[:, None], (dose,))
    account = plan.as_plan.open(random_state=0)
    model = fit_regression(batches_of(codes, 20 * values - 10, (dose,)), plan, account)
    assert np.corrcoef(model.predict(codes).mean, values)[0, 1] > 0.95
    labels = (values + np.random.default_rng(1).normal(0, 0.2, n_rows) > 0.5).astype(np.intp)
    plan = plan_additive((dose,), classes(2), epsilon=epsilon, delta=1e-6)
    chances = fit_classifier(batches_of(codes, labels, (dose,)), plan, plan.as_plan.open(random_state=0))
    assert roc_auc_score(labels, chances.probabilities(codes)[:, 1]) > roc_auc_score(labels, values) - 0.02


def test_neither_order_nor_batches_change_a_seeded_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    codes, labels = labelled(700, 1)
    first = learned(codes, labels)
    order = np.random.default_rng(0).permutation(700)
    monkeypatch.setattr("tacit.models.additive.rows.BATCH_ROWS", 64)
    again = learned(codes[order], labels[order])
    np.testing.assert_array_equal(first.curves.values, again.curves.values)
    assert first.check.auc == again.check.auc


def test_every_unit_is_drawn_and_no_query_is_larger_than_declared() -> None:
    asked = []

    def observe(mechanism: Mechanism, values: FloatArray, draw: Callable[[], FloatArray]) -> FloatArray:
        asked.append(values.size <= getattr(mechanism, "coordinates", 0))
        return draw()

    with observed_by(observe):
        learned(*labelled(500, 1))
    assert len(asked) == 1 + UNITS
    assert all(asked)


def test_gradients_are_shortened_less_where_noise_is_small() -> None:
    clips = [class_clip(amount) for amount in (0.0, 2500.0, 20_000.0, 1e9)]
    assert clips[0] == clips[1] == CLASS_CLIP
    assert clips[1] < clips[2] < clips[3] == 2.5 * CLASS_CLIP


def test_the_bands_are_as_wide_as_curves_scatter_over_draws() -> None:
    """Shortened gradients leave little of the loss's curvature; bands that count on all of it are half as wide."""
    train = labelled(5000, 1)
    models = [learned(*train, epsilon=3.0, seed=seed) for seed in range(8)]
    curves = np.array([model.curves.values[:, 0] for model in models])
    shares, parts = models[0].curves.shares, list(models[0].curves.layout.parts())
    # Bins follow the noise of each draw: compared is what a column's scatter comes to, over its rows.
    scatter = np.array([shares[part] @ curves.var(axis=0, ddof=1)[part] for part in parts])
    bands = np.array([[shares[part] @ model.curves.deviations[part, 0] ** 2 for part in parts] for model in models])
    assert 0.7 < np.sqrt(bands.mean(axis=0).sum() / scatter.sum()) < 1.5
