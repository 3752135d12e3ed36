from typing import Any

import numpy as np
import pytest

from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.semi_supervised.labels import checked_guide, class_codes, class_shares, held_out

SCHEMA = Schema((Numeric("a", (0, 1)), Label("c", ("x", "y", "z"))))


def test_held_out_rows_never_take_a_class_away() -> None:
    codes = np.array([0, 1, 1, 1, 1, 2, 2])
    held = held_out(codes, 0.9, np.random.RandomState(0))
    assert set(codes[~held]) == {0, 1, 2}
    assert held.sum() == 4
    assert not held_out(codes, "auto", np.random.RandomState(0)).any()


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        ([3, -1, 7, 3], [3, 7], [0, -1, 1, 0]),
        ([3.0, -1.0, 7.0], [3.0, 7.0], [0, -1, 1]),
        (["no", "yes", "no"], ["no", "yes"], [0, 1, 0]),
        ([True, False], [False, True], [1, 0]),
    ],
)
def test_labels_become_codes_and_minus_one_stays_unlabelled(y: list[Any], classes: list[Any], codes: list[int]) -> None:
    names, found = class_codes(np.array(y), None)
    assert (names.tolist(), found.tolist()) == (classes, codes)


def test_a_schema_fixes_the_classes() -> None:
    names, codes = class_codes(np.array([2, -1, 0]), SCHEMA)
    assert (names.tolist(), codes.tolist()) == ([0, 1, 2], [2, -1, 0])
    with pytest.raises(InputError, match="class codes 0 to 2"):
        class_codes(np.array([0, 3]), SCHEMA)


@pytest.mark.parametrize(("y", "count"), [([-1, -1], "0 classes"), ([4, -1, 4], "1 class")])
def test_fewer_than_two_classes_are_refused(y: list[int], count: str) -> None:
    with pytest.raises(InputError, match=f"at least two classes; got {count}"):
        class_codes(np.array(y), None)


def test_a_guide_is_scaled_to_sum_to_one_exactly() -> None:
    guide = checked_guide([[0.5004, 0.5], [1.0, 0.0]], (2, 2))
    assert guide.sum(axis=1) == pytest.approx(1, abs=1e-15)
    assert guide[0] == pytest.approx([0.5004 / 1.0004, 0.5 / 1.0004])


def test_shares_are_those_of_the_labels_with_one_more_of_each_class() -> None:
    assert class_shares(np.array([0, 0, 2]), 3, None) == pytest.approx(np.array([3, 1, 2]) / 6)
    assert class_shares(np.array([0]), 3, [2, 0, 2]).tolist() == [0.5, 0.0, 0.5]
    for wrong in ([1.0], [1.0, -1.0, 1.0], [0.0, 0.0, 0.0]):
        with pytest.raises(InputError, match="class_prior must hold a number of at least 0 for each of 3"):
            class_shares(np.array([0]), 3, wrong)


def test_a_fifth_of_many_labels_is_held_out_and_none_of_few() -> None:
    many = np.arange(1000) % 4
    held = held_out(many, "auto", np.random.RandomState(0))
    assert np.bincount(many[held]).tolist() == [50] * 4
    rare = np.append(np.zeros(995, int), np.ones(5, int))
    assert not held_out(rare, "auto", np.random.RandomState(0)).any()
    assert not held_out(many, 0.0, np.random.RandomState(0)).any()
