import numpy as np
import polars as pl
import pytest

from tacit.data.schemas.coded_columns import Date, Pattern
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.models.marginals.levels import GRID, MOST_INTEGERS, graded_starts, levels_of


def test_every_integer_between_the_bounds_is_a_level() -> None:
    levels = levels_of(Numeric("age", (17, 90), integer=True))
    numbers = np.arange(17, 91)
    codes = levels.codes(((numbers - 17) / 73)[:, None])
    assert codes.tolist() == list(range(74))
    assert levels.values(codes + 0.5).tolist() == numbers.tolist()


def test_fractional_bounds_of_integers_hold_whole_numbers_only() -> None:
    levels = levels_of(Numeric("rank", (0.5, 3.5), integer=True))
    assert (levels.low, levels.high, levels.count) == (1, 3, 3)
    assert levels.codes(np.array([[0.0], [0.5], [1.0]])).tolist() == [0, 1, 2]


def test_many_integers_share_levels_and_come_back_inside_the_bounds() -> None:
    column = Numeric("weight", (0, 1_500_000), integer=True)
    levels = levels_of(column, grid=1)
    assert levels.step == 100
    assert levels.count <= MOST_INTEGERS + 1
    places = np.array([0.0, 0.999, 7.25, levels.count - 1 + 0.99])
    assert levels.values(places).tolist() == [0, 99, 725, 1_500_000]
    assert levels.codes(levels.fractions(places)[:, None]).tolist() == [0, 0, 7, levels.count - 1]


@pytest.mark.parametrize("bounds", [(0, 2), (-3.5, 12.25), (970, 1050), (0, 1e-6), (-1e7, 1e7)])
@pytest.mark.parametrize("grid", [1, GRID])
def test_other_numbers_lie_on_a_grid_of_a_power_of_ten(bounds: tuple[float, float], grid: int) -> None:
    levels = levels_of(Numeric("x", bounds), grid)
    assert 1000 <= levels.count - 1 <= 10_001 + 600 * levels.graded
    assert np.log10(levels.step) == pytest.approx(round(np.log10(levels.step)), abs=1e-9)
    codes = np.arange(levels.count)
    again = levels.codes(levels.fractions(codes + 0.3)[:, None])
    assert np.array_equal(again[:-1], codes[:-1])
    assert levels.values(codes + 0.0).min() >= bounds[0]
    assert levels.values(codes + 0.0).max() <= bounds[1]


def test_numbers_are_written_with_the_digits_of_their_grid() -> None:
    levels = levels_of(Numeric("x", (0, 2)), grid=1)
    assert str(levels.column(np.array([300.0]))[0]) == "0.3"
    graded = levels_of(Numeric("x", (0, 2)))
    assert [str(graded.column(graded.places_at(np.array([x])))[0]) for x in (0.3, 0.07)] == ["0.3", "0.07"]


def test_a_missing_cell_is_the_last_level_and_comes_back_missing() -> None:
    number = levels_of(Numeric("x", (0, 2), missing="flag"), grid=1)
    codes = number.codes(np.array([[0.5, 1.0], [0.5, 0.0]]))
    assert codes.tolist() == [number.count, 1000]
    assert number.column(codes + 0.0).to_list() == [None, 1.0]
    category = levels_of(Categorical("c", ("a", "b"), missing="category"))
    assert category.codes(np.array([[0, 0, 1], [0, 1, 0]])).tolist() == [2, 1]
    assert category.column(np.array([2.0, 1.0])).to_list() == [None, "b"]


def test_levels_near_0_are_finer_with_two_digits_kept() -> None:
    starts = graded_starts(0, 50_000, 1000, 1)
    slow = [*range(100), *range(100, 1000, 10), *range(1000, 10_000, 100), *range(10_000, 50_001, 1000)]
    assert starts.tolist() == slow
    assert graded_starts(-30, 20, 10, 1).tolist() == [*range(-30, 21)]
    assert graded_starts(-15.5, 120, 1, 1).tolist() == [-15.5, *range(-15, 121)]


@pytest.mark.parametrize(
    "column",
    [
        Numeric("x", (0, 1e6)),
        Numeric("x", (0, 1_500_000), integer=True),
        Numeric("x", (-6, 6)),
        Numeric("x", (-10_000, 110_000), integer=True),
        Numeric("x", (0.5, 10_000)),
        Numeric("x", (-1e6, -3)),
    ],
)
def test_the_levels_of_a_graded_number_are_ordered_and_come_back(column: Numeric) -> None:
    levels = levels_of(column)
    assert levels.graded
    places = np.arange(levels.count, dtype=np.float64)
    numbers = levels.values(places)
    assert (np.diff(numbers) > 0).all()
    assert (numbers >= column.low).all()
    assert (numbers <= column.high).all()
    assert np.array_equal(levels.levels_at(numbers), places)
    assert np.array_equal(levels.values(levels.places_at(numbers)), numbers)
    assert np.array_equal(levels.codes(levels.fractions(places)[:, None]), places)


def test_every_integer_has_a_place_in_its_level() -> None:
    levels = levels_of(Numeric("x", (0, 200_000), integer=True))
    numbers = np.array([0, 7, 99, 100, 109, 119, 5431, 200_000])
    assert levels.values(levels.places_at(numbers)).tolist() == numbers.tolist()


@pytest.mark.parametrize("column", [Numeric("x", (970, 1050)), Numeric("x", (0, 500), integer=True)])
def test_bounds_far_from_0_and_few_integers_have_even_steps(column: Numeric) -> None:
    assert not levels_of(column).graded
    assert levels_of(column) == levels_of(column, grid=1)


def test_classes_are_levels_too() -> None:
    levels = levels_of(Label("y", ("no", "yes")))
    assert levels.column(np.array([1.0, 0.0])).to_list() == ["yes", "no"]
    assert not levels.ordered


def test_dates_and_codes_are_levels_and_are_written_as_cells() -> None:
    dates = levels_of(Date("day", ("2019-01-01", "2019-12-31"), missing="flag"))
    assert (dates.count, dates.size) == (365, 366)
    assert dates.column(np.array([0.0, 31.9, 365.0])).cast(pl.String).to_list() == ["2019-01-01", "2019-02-01", None]
    assert dates.shown(dates.low) == "2019-01-01"
    codes = levels_of(Pattern("ward", pattern=r"[A-C]\d"))
    assert codes.column(np.array([0.0, 29.5])).to_list() == ["A0", "C9"]
