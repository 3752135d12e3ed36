"""Descents with pairs on the way: what pairs add, when they are asked about, and how many steps are taken."""

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from tests.models.additive.tables import COLUMNS, classes, random_codes, random_targets

from tacit.models.additive import class_check, learning
from tacit.models.additive.fit import fit_classifier
from tacit.models.additive.learning import (
    FEWEST_STEPS,
    MOST_STEPS,
    STABLE,
    GradientLoss,
    n_steps,
    stable_step,
)
from tacit.models.additive.levels import LevelCodes
from tacit.models.additive.losses import class_residuals
from tacit.models.additive.model import AdditiveClassifier
from tacit.models.additive.plan import plan_additive
from tacit.models.additive.rows import batches_of


def crossed(n_rows: int, seed: int) -> tuple[LevelCodes, NDArray[np.intp]]:
    """Return rows whose class hangs on a column, and on two others only together."""
    codes = random_codes(n_rows, seed)
    both = (codes[:, 0] > 15) ^ (codes[:, 2] > 0)
    chance = 0.2 + 0.4 * both + 0.2 * (codes[:, 3] > 2)
    return codes, (np.random.default_rng(seed).random(n_rows) < chance).astype(np.intp)


def learned(
    codes: LevelCodes, target: NDArray[np.intp], n_classes: int = 2, seed: int = 0, epsilon: float = 2.0
) -> AdditiveClassifier:
    plan = plan_additive(COLUMNS, classes(n_classes), epsilon=epsilon, delta=1e-6)
    return fit_classifier(batches_of(codes, target, COLUMNS), plan, plan.as_plan.open(random_state=seed))


def test_what_hangs_on_two_columns_together_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    test, labels = crossed(5000, 2)
    model = learned(*crossed(8000, 1))
    area = roc_auc_score(labels, model.probabilities(test)[:, 1])
    assert (0, 2) in [pair.pair.columns for pair in model.curves.pairs]
    monkeypatch.setattr(learning, "PAIRS_FROM", 1e9)
    alone = learned(*crossed(8000, 1))
    assert alone.curves.pairs == ()
    assert area > roc_auc_score(labels, alone.probabilities(test)[:, 1]) + 0.1
    assert model.check.auc == pytest.approx(area, abs=0.05)


def test_more_epsilon_never_hurts_over_a_grid() -> None:
    """Steps, cells of the check, pairs and clips change with epsilon: no change may cost more than draws differ."""
    train, (test, labels) = crossed(4000, 1), crossed(5000, 2)
    areas = np.array(
        [
            [
                roc_auc_score(labels, learned(*train, seed=seed, epsilon=epsilon).probabilities(test)[:, 1])
                for seed in range(4)
            ]
            for epsilon in (0.1, 0.5, 1.0, 2.0, 4.0)
        ]
    )
    means, errors = areas.mean(axis=1), areas.std(axis=1) / np.sqrt(areas.shape[1] - 1)
    assert (np.diff(means) > -0.005 - 2 * np.hypot(errors[1:], errors[:-1])).all(), means
    assert means[-1] > means[0] + 0.1


def test_several_classes_share_their_pairs() -> None:
    codes, target = crossed(8000, 1)
    three = np.where(codes[:, 1] > 200, 2, target)
    test, labels = crossed(4000, 2)
    model = learned(codes, three, 3)
    assert model.curves.pairs[0].values.shape[1] == 3
    inside = test[:, 1] <= 200
    chances = model.probabilities(test[inside])
    assert roc_auc_score(labels[inside], chances[:, 1] / (chances[:, 0] + chances[:, 1])) > 0.65


def test_few_rows_ask_for_no_pairs() -> None:
    assert learned(*crossed(300, 1)).curves.pairs == ()


def test_few_rows_are_learned_better_with_public_rows_at_all_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of rows at 30 levels are mostly noise of 200 rows: bins read off them alone would be noise too."""
    test = random_codes(4000, 100)
    areas: dict[float, list[float]] = {learning.PUBLIC_AMOUNT: [], 0.0: []}
    for amount, found in areas.items():
        monkeypatch.setattr(learning, "PUBLIC_AMOUNT", amount)
        for seed in range(16):
            codes = random_codes(200, seed)
            labels = np.random.default_rng(seed).random(200) < 0.15 + 0.7 * (codes[:, 0] > 15)
            model = learned(codes, labels.astype(np.intp), seed=seed, epsilon=1.0)
            found.append(float(roc_auc_score(test[:, 0] > 15, model.probabilities(test)[:, 1])))
    with_rows, without = (np.mean(found) for found in areas.values())
    assert with_rows > without + 0.03


def test_many_rows_are_learned_from_their_own_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    codes, target = crossed(4000, 1)
    usual = learned(codes, target).curves.values
    monkeypatch.setattr(learning, "PUBLIC_AMOUNT", 1e6)
    assert (learned(codes, target).curves.values == usual).all()
    assert not np.array_equal(learned(codes[:300], target[:300]).curves.shares, learned(codes, target).curves.shares)


def test_random_labels_leave_few_pairs_of_little_weight() -> None:
    model = learned(random_codes(8000), random_targets(8000, 2))
    assert len(model.curves.pairs) <= 2
    assert sum(pair.energy for pair in model.curves.pairs) < 0.05


def test_neither_order_nor_batches_change_a_seeded_fit_with_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    codes, labels = crossed(5000, 1)
    first = learned(codes, labels)
    order = np.random.default_rng(0).permutation(5000)
    monkeypatch.setattr("tacit.models.additive.rows.BATCH_ROWS", 512)
    again = learned(codes[order], labels[order])
    assert first.curves.pairs
    np.testing.assert_array_equal(first.curves.pairs[0].values, again.curves.pairs[0].values)
    assert first.check.auc == again.check.auc


@pytest.mark.parametrize(("amount", "steps"), [(0.0, FEWEST_STEPS), (1e4, 100), (1e9, MOST_STEPS), (300.0, 10)])
def test_steps_grow_with_the_rows_beside_the_noise(amount: float, steps: int) -> None:
    assert n_steps(amount) == steps


def test_steps_are_shorter_where_one_direction_has_most_of_the_variance() -> None:
    loss = GradientLoss(class_residuals, np.zeros(2), np.array([0.1, 0.5]), clip=0.3, step=10.0)
    assert stable_step(loss, np.array([0.1, 0.05])) == 10.0
    assert stable_step(loss, np.array([0.8, 0.05])) * 0.8 * 0.5 == pytest.approx(STABLE)
    assert stable_step(loss, np.zeros(0)) == stable_step(loss, np.zeros(3)) == 10.0


def test_the_check_of_a_rare_class_stands_out_of_its_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """3000 rows of which a fifteenth are of one class: sixteen cells hide what four tell."""
    codes = random_codes(3000, 5)
    chance = 1 / (1 + np.exp(4.0 - 0.08 * codes[:, 0] - 0.5 * (codes[:, 3] > 2)))
    target = (np.random.default_rng(5).random(3000) < chance).astype(np.intp)
    assert 0.04 < target.mean() < 0.1

    def mean_z() -> float:
        checks = [learned(codes, target, seed=seed, epsilon=1.0).check for seed in range(6)]
        return float(np.mean([each.separation_z for each in checks]))

    told = mean_z()
    monkeypatch.setattr(class_check, "chosen_edges", lambda scores, **_: class_check.cell_edges(scores))
    assert told > 1.2 * mean_z() > 0
