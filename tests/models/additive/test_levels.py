"""Levels of columns: public partitions, codes of cells, and their file form."""

import numpy as np
import pytest

from tacit.data.schemas.columns import Categorical, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.additive.levels import (
    N_INTERVALS,
    ColumnLevels,
    code_type,
    encoded_codes,
    levels_from_dict,
    levels_of,
    levels_to_dict,
    number_codes,
    number_levels,
)


def test_whole_numbers_of_a_short_range_have_a_level_each() -> None:
    levels = number_levels("age", 17, 90, integer=True)
    codes = levels.codes(np.arange(17.0, 91.0))
    assert codes.tolist() == list(range(74))
    assert levels.size == 75  # and one for a missing age


def test_a_level_holds_what_its_edges_say() -> None:
    levels = number_levels("x", -3.0, 5.0)
    values = np.linspace(-3, 5, 2001)
    codes = levels.codes(values)
    for value, code in zip(values, codes, strict=True):
        inside = code == 0 or value > levels.edges[code - 1]
        assert inside
        assert code == len(levels.edges) or value <= levels.edges[code]


def test_zero_is_a_level_of_its_own_and_survives_single_precision() -> None:
    levels = number_levels("balance", -10_000.0, 100_000.0)
    encoded = np.float32(10_000 / 110_000)
    near = -10_000 + float(encoded) * 110_000
    assert levels.codes(np.array([near])) == levels.codes(np.array([0.0]))
    assert levels.codes(np.array([1.0])) != levels.codes(np.array([0.0]))


def test_loose_bounds_still_tell_small_values_apart() -> None:
    levels = number_levels("income", 0.0, 1e6)
    assert len(set(levels.codes(np.array([1000.0, 2000.0, 4000.0, 8000.0])).tolist())) == 4


@pytest.mark.parametrize("integer", [False, True])
def test_there_are_few_levels_however_wide_the_bounds(integer: bool) -> None:
    assert number_levels("x", -1e9, 1e9, integer=integer).size <= N_INTERVALS + 4


def test_missing_is_the_last_level_and_values_beyond_the_bounds_are_moved_to_them() -> None:
    levels = number_levels("x", 0.0, 1.0)
    codes = levels.codes(np.array([np.nan, -7.0, 0.0, 1.0, 1e9]))
    assert codes[0] == levels.size - 1
    assert codes[1] == codes[2]
    assert codes[3] == codes[4] == levels.size - 2


def test_levels_are_described_in_words() -> None:
    number = number_levels("hours", 1, 99, integer=True)
    assert number.describe(number.size - 1) == "is missing"
    assert number.describe(39) == "in (39.5, 40.5]"
    assert ColumnLevels("work", np.zeros(0), ("Private", "State")).describe(1) == "= State"


def test_centres_lie_within_their_levels() -> None:
    levels = number_levels("x", -1.0, 4.0)
    assert levels.codes(levels.centres).tolist() == list(range(levels.size - 1))


SCHEMA = Schema(
    (
        Numeric("age", (0, 100), missing="flag"),
        Categorical("sex", ("f", "m"), missing="category"),
        Numeric("dose", (0, 1)),
    )
)


def test_encoded_rows_have_the_levels_of_what_they_encode() -> None:
    levels = levels_of(SCHEMA.features)
    X = np.array([[0.5, 1.0, 1, 0, 0, 0.25], [0.4, 0.0, 0, 0, 1, 1.0], [0.4, 0.0, 0, 1, 0, 0.0]])
    codes = encoded_codes(X, SCHEMA.features, levels)
    assert codes[0, 0] == levels[0].size - 1, "the flag says missing"
    assert codes[1, 0] == levels[0].codes(np.array([40.0]))[0]
    assert codes[:, 1].tolist() == [0, 2, 1]
    assert levels[1].categories == ("f", "m", "missing")
    assert codes[1, 2] == levels[2].size - 2


def test_rows_of_another_width_are_refused() -> None:
    with pytest.raises(InputError, match="6 encoded columns"):
        encoded_codes(np.zeros((2, 5)), SCHEMA.features, levels_of(SCHEMA.features))


def test_a_matrix_of_numbers_has_levels_column_by_column() -> None:
    levels = (number_levels("a", 0, 1), number_levels("b", 0, 9, integer=True))
    codes = number_codes(np.array([[0.5, 3.0], [np.nan, 9.0]]), levels)
    assert codes[:, 1].tolist() == [3, 9]
    assert codes[1, 0] == levels[0].size - 1


@pytest.mark.parametrize(("size", "expected"), [(256, np.uint8), (257, np.uint16), (70_000, np.uint32)])
def test_codes_take_the_smallest_type_that_holds_them(size: int, expected: type) -> None:
    assert code_type([ColumnLevels("c", np.zeros(0), tuple(map(str, range(size))))]) is expected


def test_levels_survive_their_file_form() -> None:
    levels = levels_of(SCHEMA.features)
    again = levels_from_dict(levels_to_dict(levels))
    for one, other in zip(levels, again, strict=True):
        assert (one.name, one.categories, one.low, one.high) == (other.name, other.categories, other.low, other.high)
        np.testing.assert_array_equal(one.edges, other.edges)


@pytest.mark.parametrize("broken", [{"bounds": [1, 0], "edges": []}, {"bounds": [0, 1], "edges": [0.5, 0.4]}])
def test_broken_levels_in_a_file_are_refused(broken: dict[str, object]) -> None:
    with pytest.raises(InputError, match="growing edges"):
        levels_from_dict([{"name": "x", **broken}])
