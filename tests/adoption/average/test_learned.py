"""Learning from labels: which parts are learned from how many labels, and from which rows."""

import numpy as np
import pytest

from tacit.adoption.average.class_members import probabilities
from tacit.adoption.average.learned import (
    TREE_CLASS_LABELS,
    TREE_LABELS,
    TREE_LABELS_A_CLASS,
    LabelledRows,
    Surroundings,
    folds,
    learn,
    tree_scores_out_of_fold,
    trees_allowed,
)
from tacit.adoption.average.member_inputs import Setting


def table(n: int, *, views: bool = False, seed: int = 0) -> LabelledRows:
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, 3))
    codes = (X[:, 0] + 0.5 * draw.normal(size=n) > 0).astype(np.intp)
    scores = np.stack([-X[:, 0], X[:, 0]], axis=1)
    return LabelledRows(X, X, (scores,), codes, {0: X[:, :2]} if views else {})


def around(*, views: bool = False) -> Surroundings:
    setting = Setting(2, np.ones(1), np.zeros((1, 2)))
    return Surroundings(setting, (0.6,), 3.0, view_sizes={0: 2.0} if views else {})


@pytest.mark.parametrize(
    ("counts", "allowed"),
    [
        ((TREE_LABELS // 2, TREE_LABELS // 2), True),
        ((TREE_LABELS // 2, TREE_LABELS // 2 - 1), False),
        ((TREE_LABELS, TREE_CLASS_LABELS), True),
        ((TREE_LABELS, TREE_CLASS_LABELS - 1), False),
        ((TREE_LABELS,), False),
        ((), False),
        ((TREE_LABELS_A_CLASS,) * 3, True),
        ((TREE_LABELS_A_CLASS, TREE_LABELS_A_CLASS, TREE_LABELS_A_CLASS - 1), False),
    ],
)
def test_trees_need_labels_of_two_classes_and_some_of_each(counts: tuple[int, ...], allowed: bool) -> None:
    assert trees_allowed(np.repeat(np.arange(len(counts)), counts)) is allowed


@pytest.mark.parametrize(("n", "n_folds"), [(10, 4), (3, 4), (1, 4), (8, 2)])
def test_folds_hold_each_row_once_and_are_nearly_equal(n: int, n_folds: int) -> None:
    parts = folds(n, n_folds, seed=1)
    assert sorted(np.concatenate(parts).tolist()) == list(range(n))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert [part.tolist() for part in parts] == [part.tolist() for part in folds(n, n_folds, seed=1)]


def test_trees_out_of_fold_do_not_know_the_labels_that_they_score() -> None:
    draw = np.random.default_rng(0)
    X, codes = draw.normal(size=(200, 3)), draw.integers(0, 2, size=200)
    scores = tree_scores_out_of_fold(X, codes, 2, seed=0)
    assert abs((scores.argmax(axis=1) == codes).mean() - 0.5) < 0.12


def test_trees_out_of_fold_say_nothing_where_the_rest_has_one_class() -> None:
    X, codes = np.arange(4.0)[:, None], np.array([0, 0, 0, 1])
    assert tree_scores_out_of_fold(X, codes, 2, seed=0)[3].tolist() == [0.0, 0.0]


def test_some_rows_are_taken_with_all_that_belongs_to_them() -> None:
    rows, places = table(20, views=True), np.array([3, 1])
    some = rows.take(places)
    assert some.X.tolist() == rows.X[places].tolist()
    assert some.codes.tolist() == rows.codes[places].tolist()
    assert some.scores[0].tolist() == rows.scores[0][places].tolist()
    assert some.views[0].tolist() == rows.views[0][places].tolist()


def test_features_of_releases_have_kernels_of_their_own() -> None:
    rows = table(30, views=True)
    names = set(around(views=True).features(rows))
    assert names == {"linear", "radial", "linear@0", "radial@0"}
    assert set(around().features(rows)) == {"linear", "radial"}


@pytest.mark.parametrize("codes", [[], [1, 1, 1]])
def test_with_labels_of_no_two_classes_nothing_of_ones_own_is_learned(codes: list[int]) -> None:
    rows = table(30).take(np.arange(len(codes)))
    rows = LabelledRows(rows.X, rows.Z, rows.scores, np.array(codes, dtype=np.intp))
    learned = learn(rows, around(), seed=0)
    assert (learned.features, learned.trees, learned.fits) == ({}, None, None)
    assert learned.average.probability == 1
    other = table(200, seed=5)
    accuracy = (probabilities(learned.average, learned.inputs(other)).argmax(axis=1) == other.codes).mean()
    assert accuracy > 0.75


def test_trees_are_learned_from_enough_labels_and_read_encoded_rows() -> None:
    few, many = (learn(table(n), around(), seed=0) for n in (40, 120))
    assert few.trees is None
    assert many.trees is not None
    other = table(50, seed=3)
    assert few.inputs(other).trees is None
    assert many.inputs(other).tree_scores() == pytest.approx(many.trees(other.X))


def test_every_fitted_hypothesis_is_kept_for_averages_without_a_release() -> None:
    learned = learn(table(60), around(), seed=0)
    assert learned.fits is not None
    without = learned.fits.average(without=0)
    assert without.joined is None
    assert without.used.tolist() == [0.0]
    assert learned.average.used[0] > 0.5
