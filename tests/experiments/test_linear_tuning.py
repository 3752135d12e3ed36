"""Three folds choose lambda on rows that are not tested on, and every published method is tuned."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tacit.experiments import linear_tuning
from tacit.experiments.linear_runs import DIRECT, SIMPLE, SOURCE, LinearTask
from tacit.experiments.linear_tuning import TUNED, public_area, tuned_areas
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.logistic import PrivateLogisticRegression

RNG = np.random.default_rng(0)


def table(n: int) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(n) % 2
    return RNG.normal(0, 1, (n, 6)) + np.where(y, 1, -1)[:, None], y


TASK = LinearTask(table(300), table(150), table(200))


def test_every_published_method_is_tuned_and_a_seed_repeats_it() -> None:
    first, again = (tuned_areas(TASK, 8.0, {"FS": FeatureSplit.random(6, 2)}, seed=3) for _ in range(2))
    assert first == again
    assert set(first) == {f"{name}, {TUNED}" for name in (DIRECT, SIMPLE, SOURCE, "FS")}
    assert min(first.values()) > 0.9


def test_the_lambda_with_the_best_folds_is_taken_and_test_rows_decide_nothing() -> None:
    asked: list[tuple[int, float]] = []

    def learner(task: LinearTask, strength: float, seed: int) -> float:
        asked.append((len(task.test[1]), strength))
        # On folds 0.1 is the best; on the test rows it would be the worst.
        return -abs(strength - 0.1) if len(task.test[1]) == 50 else strength

    folds = linear_tuning._target_folds(TASK, 0)
    assert linear_tuning._tuned(learner, TASK, folds, 0) == 0.1
    assert asked[:-1] == [(50, strength) for strength in linear_tuning.STRENGTHS for _ in range(3)]
    assert asked[-1] == (200, 0.1)


def test_folds_are_thirds_of_the_target_each_judged_once() -> None:
    folds = linear_tuning._target_folds(TASK, 0)
    judged = np.concatenate([fold.test[0] for fold in folds])
    assert sorted(judged[:, 0].tolist()) == sorted(TASK.target[0][:, 0].tolist())
    for fold in folds:
        assert len(fold.target[1]) == 100
        assert not set(fold.target[0][:, 0]) & set(fold.test[0][:, 0])
        assert fold.source is TASK.source


def test_the_source_alone_is_tuned_on_its_own_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_tuning, "STRENGTHS", (0.1,))
    area = tuned_areas(TASK, 8.0, {}, seed=0)[f"{SOURCE}, {TUNED}"]
    model = PrivateLogisticRegression(8.0, regularization=0.1, classes=[0, 1], random_state=0).fit(*TASK.source)
    assert area == TASK.auc(model.decision_function(TASK.test[0]))


def test_without_privacy_the_rows_are_of_unit_length() -> None:
    (X, y), (X_test, _) = TASK.target, TASK.test
    unit = LogisticRegression(max_iter=1000).fit(X / np.linalg.norm(X, axis=1, keepdims=True), y)
    expected = TASK.auc(unit.decision_function(X_test / np.linalg.norm(X_test, axis=1, keepdims=True)))
    assert public_area(TASK) == pytest.approx(expected)
