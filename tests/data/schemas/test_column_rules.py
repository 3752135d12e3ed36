"""Numbered columns under one name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data.schemas.column_rules import count_run, expand_run, is_run, join_runs
from tacit.errors import SchemaError


def test_leading_zeros_are_kept() -> None:
    assert expand_run("px{08..11}_a") == ("px08_a", "px09_a", "px10_a", "px11_a")


def test_a_plain_name_is_itself() -> None:
    assert expand_run("age") == ("age",)
    assert not is_run("age{1..}")
    assert count_run("age") == 1


def test_a_run_that_goes_down_is_refused() -> None:
    with pytest.raises(SchemaError, match="must go upwards"):
        expand_run("p{3..1}")


def test_neighbours_are_joined_only_under_the_same_rule() -> None:
    rules = [(f"p{i}", {"kind": "a" if i < 4 else "b"}) for i in range(8)]
    assert [name for name, _ in join_runs(rules)] == ["p{0..3}", "p{4..7}"]


def test_two_neighbours_are_not_worth_a_run() -> None:
    assert [name for name, _ in join_runs([("p1", {}), ("p2", {}), ("q3", {})])] == ["p1", "p2", "q3"]


@given(st.lists(st.from_regex(r"\A[a-c]{0,1}[0-9]{0,10}\Z"), unique=True, max_size=30))
def test_joining_and_expanding_gives_back_any_list_of_names(names: list[str]) -> None:
    joined = [name for name, _ in join_runs([(name, {}) for name in names])]
    assert [name for run in joined for name in expand_run(run)] == names


@given(st.integers(0, 120), st.integers(3, 30), st.integers(1, 4))
def test_a_run_of_numbers_is_joined_to_one(first: int, length: int, width: int) -> None:
    names = [f"x{number:0{width}d}" for number in range(first, first + length)]
    joined = list(join_runs([(name, {}) for name in names]))
    assert len(joined) == 1
    assert list(expand_run(joined[0][0])) == names
    assert count_run(joined[0][0]) == length
