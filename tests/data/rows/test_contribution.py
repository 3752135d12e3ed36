"""Contributions are bounded by a key, without a look at values or at other persons."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.data.rows.contribution import kept_rows, most_rows
from tacit.errors import InputError

KEY = bytes(range(32))
TABLES = st.lists(st.integers(0, 5), max_size=40)


@settings(max_examples=60)
@given(persons=TABLES, most=st.integers(1, 6))
def test_each_person_keeps_the_bound_or_all_they_have(persons: list[int], most: int) -> None:
    kept = kept_rows(persons, rows_per_person=most, key=KEY)
    for person in set(persons):
        theirs = np.array(persons) == person
        assert kept[theirs].sum() == min(theirs.sum(), most)


@settings(max_examples=60)
@given(persons=TABLES, gone=st.integers(0, 5), most=st.integers(1, 3))
def test_a_person_less_changes_nobody_else_s_rows(persons: list[int], gone: int, most: int) -> None:
    column = np.array(persons, dtype=int)
    kept = kept_rows(column, rows_per_person=most, key=KEY)
    without = kept_rows(column[column != gone], rows_per_person=most, key=KEY)
    assert (kept[column != gone] == without).all()
    assert kept[column == gone].sum() <= most


def test_the_choice_is_the_same_again_and_another_under_another_key() -> None:
    persons = np.repeat(np.arange(50), 10)
    first = kept_rows(persons, rows_per_person=3, key=KEY)
    assert (first == kept_rows(persons, rows_per_person=3, key=KEY)).all()
    other = kept_rows(persons, rows_per_person=3, key=KEY[::-1])
    assert 0.1 < (first != other).mean() < 0.9


def test_every_place_is_kept_equally_often() -> None:
    """By place alone the first rows of a sorted export would stay: the choice must not prefer any."""
    persons = np.repeat(np.arange(3000), 4)
    kept = kept_rows(persons, rows_per_person=1, key=KEY).reshape(-1, 4)
    assert kept.sum(axis=1).tolist() == [1] * 3000
    # 750 expected each, standard deviation 24.
    assert np.abs(kept.sum(axis=0) - 750).max() < 120


def test_numbers_and_texts_name_the_same_person() -> None:
    numbers = kept_rows([7, 8, 7, 7], rows_per_person=1, key=KEY)
    texts = kept_rows(["7", "8", "7", "7"], rows_per_person=1, key=KEY)
    assert (numbers == texts).all()
    assert most_rows(["7", "8", "7", "7"]) == 3
    assert most_rows([]) == 0


@pytest.mark.parametrize("persons", [["a", None], [1.0, float("nan")], ["a", " "]])
def test_a_row_without_a_person_is_refused_and_not_quoted(persons: Any) -> None:
    with pytest.raises(InputError, match=r"1 rows are without\. Drop these rows") as refusal:
        kept_rows(persons, rows_per_person=1, key=KEY)
    assert "'a'" not in str(refusal.value)


def test_a_bound_and_a_key_are_needed() -> None:
    with pytest.raises(InputError, match="rows_per_person must be a whole number"):
        kept_rows(["a"], rows_per_person=0, key=KEY)
    for key in (b"short", bytes(65)):
        with pytest.raises(InputError, match="key must be 16 to 64 bytes"):
            kept_rows(["a"], rows_per_person=1, key=key)
    with pytest.raises(InputError, match="persons must be one column"):
        kept_rows([["a"]], rows_per_person=1, key=KEY)
