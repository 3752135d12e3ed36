"""Held-out predictions: nothing of a row's label reaches what predicts it."""

import numpy as np
import pytest

from tacit.adoption.average.learned import TREE_LABELS, LabelledRows, Surroundings, folds, trees_allowed
from tacit.adoption.average.member_inputs import Setting
from tacit.adoption.evidence.figures import accuracy, area
from tacit.adoption.evidence.held_out import held_out_methods, label_shares, times_and_folds


def table(n: int, seed: int, *, n_sources: int = 1) -> tuple[LabelledRows, Surroundings]:
    """Rows with labels that have nothing to do with them."""
    draw = np.random.default_rng(seed)
    Z = draw.normal(size=(n, 5))
    scores = tuple(np.stack([-each, each], axis=1) for each in draw.normal(size=(n_sources, n)))
    codes = (draw.random(n) < 0.5).astype(np.intp)
    setting = Setting(2, np.ones(n_sources), np.zeros((n_sources, 2)))
    return LabelledRows(Z, Z, scores, codes), Surroundings(setting, (0.6,) * n_sources, 5.0)


def test_random_labels_are_shown_at_chance() -> None:
    """Mean over 40 draws within two standard errors of one half, of accuracy and of area, alone and adopted."""
    shown: dict[str, list[float]] = {"alone": [], "adopted": [], "alone area": [], "adopted area": []}
    for draw in range(40):
        rows, around = table(30, 100 + draw)
        methods = held_out_methods(rows, around, seed=draw, times=1)
        for name, held_out in (("alone", methods.alone), ("adopted", methods.adopted)):
            shown[name].append(accuracy(held_out, rows.codes).value)
            figure = area(held_out, rows.codes)
            assert figure is not None
            shown[f"{name} area"].append(figure.value)
    for values in shown.values():
        error = np.std(values, ddof=1) / np.sqrt(len(values))
        assert abs(np.mean(values) - 0.5) < 2 * error


def test_a_rows_own_label_does_not_change_its_prediction() -> None:
    rows, around = table(25, 0)
    methods = held_out_methods(rows, around, seed=3)
    flipped = rows.codes.copy()
    flipped[7] = 1 - flipped[7]
    again = held_out_methods(LabelledRows(rows.X, rows.Z, rows.scores, flipped), around, seed=3)
    for name in ("majority", "alone", "adopted"):
        first, second = getattr(methods, name), getattr(again, name)
        assert first.probabilities[:, 7].tobytes() == second.probabilities[:, 7].tobytes()
        assert first.probabilities.tobytes() != second.probabilities.tobytes()


def test_folds_hold_every_row_once_and_do_not_balance_classes() -> None:
    parts = folds(23, 5, seed=0)
    assert sorted(np.concatenate(parts).tolist()) == list(range(23))
    assert {len(part) for part in parts} == {4, 5}


def test_few_labels_are_divided_more_often() -> None:
    assert times_and_folds(20) == (4, 5)
    assert times_and_folds(500) == (1, 5)
    assert times_and_folds(5000) == (1, 3)


def test_with_several_releases_each_is_left_out_in_turn() -> None:
    rows, around = table(20, 0, n_sources=2)
    assert len(held_out_methods(rows, around, seed=0).without) == 2
    rows, around = table(20, 0, n_sources=1)
    assert held_out_methods(rows, around, seed=0).without == ()


def test_a_class_without_labels_keeps_a_small_share() -> None:
    assert label_shares(np.array([0, 0, 2]), 3) == pytest.approx([2.5 / 4.5, 0.5 / 4.5, 1.5 / 4.5])


def test_trees_need_labels_of_two_classes() -> None:
    many = np.arange(TREE_LABELS) % 2
    assert trees_allowed(many)
    assert not trees_allowed(many[1:])
    assert not trees_allowed(np.concatenate([np.zeros(TREE_LABELS, dtype=np.intp), many[:4]]))
