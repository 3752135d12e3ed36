"""The table of Adult from few labels: every method is measured alike, on rows that it did not learn from."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import SelfTrainingClassifier

from tacit.data.public.datasets import TableSet
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import sharpening_adult
from tacit.experiments.tables.sharpening_adult import ACCURACY, CALIBRATED, FOLDS, RAW, _predict, _scores, peers
from tacit.situations.missing import learners

RNG = np.random.default_rng(0)
TRUTH = np.arange(300) % 2
X = RNG.normal(size=(300, 5)) + 0.8 * TRUTH[:, None]
Y = np.where(np.arange(300) < 40, TRUTH, -1)


def test_every_peer_is_measured_and_calibration_keeps_its_answers() -> None:
    for method, make in peers(0).items():
        raw, calibrated = _predict(make, X, Y, X[40:])
        assert_array_equal(raw.argmax(axis=1), calibrated.argmax(axis=1))
        figures = _scores(method, raw, calibrated, TRUTH[40:])
        assert set(figures) == {(method, metric) for metric in (ACCURACY, RAW, CALIBRATED)}
        assert figures[method, ACCURACY] > 0.65, method


def test_probabilities_as_learned_are_the_learners_own() -> None:
    raw, _ = _predict(LogisticRegression, X, Y, X)
    assert_allclose(raw, LogisticRegression().fit(X[:40], TRUTH[:40]).predict_proba(X), atol=1e-9)


def test_labels_are_hidden_from_those_who_are_asked_for_them() -> None:
    shown: list[Any] = []

    class Watched(SelfTrainingClassifier):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:
            shown.append(np.array(y))
            return super().fit(X, y)

    _predict(lambda: Watched(LogisticRegression()), X, Y, X)
    *parts, everything = shown
    assert_array_equal(everything, Y)
    hidden = np.array([(part == -1) & (Y != -1) for part in parts])
    assert hidden.shape[0] == FOLDS
    assert_array_equal(hidden.sum(axis=0), Y != -1)


@pytest.fixture
def people(shrink: Callable[..., None], invented: Callable[..., TableSet]) -> dict[str, TableSet]:
    parts = {part: invented("adult", 300, seed=place) for place, part in enumerate(("train", "test"))}
    shrink(sharpening_adult, load_adult=parts.__getitem__, SEEDS=1, LABELS=40, UNLABELLED_ROWS=150, STEPS=8)
    shrink(sharpening_adult, BLANK_SEEDS=1, KNOWN=80, BLANK=100)
    shrink(learners, STEPS=8)
    return parts


def test_income_and_blank_cells_have_their_rows(
    people: dict[str, TableSet], checked: Callable[[Any], list[ResultRow]]
) -> None:
    rows = checked(row for row in sharpening_adult.rows() if not np.isnan(row.mean))
    income = [row for row in rows if row.setting == "income, 40 labels and 150 rows without"]
    methods = [*sharpening_adult.networks(0), *peers(0)]
    assert [(row.method, row.metric) for row in income] == [
        (m, k) for m in methods for k in (ACCURACY, RAW, CALIBRATED)
    ]
    accuracy = {row.method: row.mean for row in income if row.metric == ACCURACY}
    assert accuracy["logistic regression"] > 0.6
    for column in ("sex", "race"):
        blanks = [row for row in rows if row.setting == f"{column}, 80 cells known and 100 blank"]
        by_learner = {row.method: row.mean for row in blanks if row.metric == ACCURACY}
        assert set(by_learner) == {*learners.LEARNERS, "the commonest category"}
        promised = [row for row in blanks if row.metric == "accuracy promised by held-out rows"]
        assert len(promised) == len(learners.LEARNERS)


def test_blank_cells_are_judged_by_their_true_categories(people: dict[str, TableSet]) -> None:
    figures = sharpening_adult._blanks("sex", seed=0)
    # Two categories of nearly equal size: nobody can be far below a guess on 100 cells.
    for learner in learners.LEARNERS:
        assert figures[learner, ACCURACY] > 0.35
    chosen = np.random.RandomState(0).permutation(300)[:180]
    known = people["train"].table[chosen]["sex"].to_numpy()[:80]
    commonest = max((known == name).mean() for name in ("Female", "Male"))
    assert figures["the commonest category", ACCURACY] == pytest.approx(commonest)


def test_a_learner_that_knows_the_blank_cells_is_always_right(
    people: dict[str, TableSet], shrink: Callable[..., None]
) -> None:
    chosen = np.random.RandomState(0).permutation(300)[:180]
    truth = people["train"].table[chosen]["race"].to_numpy()
    categories = tuple(np.unique(truth).tolist())

    def oracle(table: Any, *_: object, **__: object) -> SimpleNamespace:
        blank = table["race"].is_null().to_numpy()
        assert blank.tolist() == [False] * 80 + [True] * 100
        sure = (truth[blank, None] == np.array(categories)).astype(float)
        evidence = SimpleNamespace(accuracy=1.0, commonest=0.3)
        return SimpleNamespace(categories=categories, probabilities=sure, evidence=evidence)

    shrink(sharpening_adult, infer_column=oracle)
    figures = sharpening_adult._blanks("race", seed=0)
    for learner in learners.LEARNERS:
        assert figures[learner, ACCURACY] == 1.0
        assert figures[learner, CALIBRATED] == pytest.approx(0.0)
        assert figures[learner, "answered above 0.8"] == 1.0
