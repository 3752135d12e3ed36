"""Charts: marks and bars lie where their numbers are."""

import re

import pytest

from tacit.adoption.evidence.comparison import ClassChange, Share
from tacit.pages.charts import (
    LONGEST_NAME,
    accuracy_chart,
    bar_chart,
    change_chart,
    dot_rows,
    guess_chart,
    legend,
    percent,
    points,
    short,
    signed_chart,
    weight_chart,
)
from tacit.pages.markup import tag


def numbers(chart: str, pattern: str) -> list[tuple[float, ...]]:
    """Return the numbers that ``pattern`` finds in a chart."""
    return [tuple(map(float, match if isinstance(match, tuple) else (match,))) for match in re.findall(pattern, chart)]


def test_a_share_lies_within_its_interval_and_the_larger_one_to_the_right() -> None:
    chart = accuracy_chart([("a", Share(80, 100), "alone"), ("b", Share(90, 100), "with")])
    dots = numbers(chart, r'cx="(.*?)%"')
    spans = numbers(chart, r'class="span" x1="(.*?)%" x2="(.*?)%"')
    assert all(low < dot < high for (dot,), (low, high) in zip(dots, spans, strict=True))
    assert dots[0] < dots[1]


def test_weights_are_bars_in_proportion_and_a_weight_of_zero_is_said() -> None:
    chart = weight_chart([("age", 2.0), ("dose", 1.0), ("sex", 0.0)])
    assert numbers(chart, r'width="([\d.]+)%"/>') == [(100.0,), (50.0,), (0.4,)]
    assert "weight 0: ignored" in chart


def test_signed_weights_go_right_and_left_of_the_middle_in_proportion() -> None:
    chart = signed_chart([("age", 3.0), ("dose", -1.5), ("<sex>", 0.0)])
    (right, left, none) = numbers(chart, r'<rect class="bar" x="(.*?)%" width="(.*?)%"')
    assert right == (50.0, 46.0)
    assert left == (27.0, 23.0)
    assert none == (50.0, 0.4)
    assert "dose: weight −1.5" in chart
    assert "<sex>" not in chart


@pytest.mark.parametrize("chart", [weight_chart, signed_chart])
def test_weights_that_are_all_zero_divide_by_nothing(chart: object) -> None:
    assert "age" in chart([("age", 0.0)])  # type: ignore[operator]  # both take rows


def test_numbers_are_written_with_their_signs_and_are_not_torn_apart() -> None:
    assert (percent(0.935), percent(1.0, 0)) == ("93.5\u202f%", "100\u202f%")
    assert [points(change) for change in (2.54, -2.5, 0.04, -0.04, 0.0)] == ["+2.5", "−2.5", "±0.0", "±0.0", "±0.0"]


def test_a_long_name_is_cut_to_the_length_asked_for() -> None:
    assert short("age") == "age"
    assert short("x" * LONGEST_NAME) == "x" * LONGEST_NAME
    assert short("x" * 100) == "x" * (LONGEST_NAME - 1) + "…"
    assert short("abcdef", longest=3) == "ab…"


def test_classes_that_are_helped_go_right_those_that_are_harmed_left() -> None:
    changes = [
        ClassChange("up", Share(5, 10), Share(9, 10), helped=4, harmed=0),
        ClassChange("down", Share(9, 10), Share(7, 10), helped=1, harmed=3),
        ClassChange("even", Share(5, 10), Share(5, 10), helped=2, harmed=2),
    ]
    chart = change_chart(changes)
    bars = numbers(chart, r'<rect class="bar" x="(.*?)%" width="(.*?)%"')
    assert bars == [(50.0, 46.0), (27.0, 23.0), (50.0, 0.4)]
    assert re.findall(r"chart-row change (\w+)", chart) == ["help", "harm", "same"]
    assert "down: −20.0 points, 90\u202f% → 70\u202f% of 10; 1 helped, 3 harmed" in chart


def test_small_changes_stay_small_on_the_strip() -> None:
    (bar,) = numbers(change_chart([ClassChange("a", Share(50, 100), Share(51, 100), 1, 0)]), r'width="([\d.]+)%" y')
    assert bar[0] == pytest.approx(46 / 5, abs=0.01)


@pytest.mark.parametrize(("guess", "place"), [(0.5, 2.5), (0.75, 50.0), (1.0, 97.5)])
def test_the_best_guess_lies_between_a_coin_toss_and_certainty(guess: float, place: float) -> None:
    chart = guess_chart(guess)
    assert numbers(chart, r'cx="(.*?)%"') == [(place,)]
    assert numbers(chart, r'class="span thick" x1="2.5%" x2="(.*?)%"') == [(place,)]


def test_bars_are_read_aloud_and_show_the_first_and_the_last_cell() -> None:
    chart = bar_chart("<age>", ["young", "middle", "old"], [0.2, 0.3, 0.5], [tag("rect", width=1)], size=(3, 2))
    assert 'aria-label="&lt;age&gt;: young 20.0\u202f%; middle 30.0\u202f%; old 50.0\u202f%"' in chart
    assert re.findall(r"<span>(\w+)</span>", chart) == ["young", "old"]
    assert 'viewBox="0 0 3 2"' in chart


def test_marks_of_several_series_lie_at_their_values_the_first_on_top() -> None:
    chart = dot_rows(["recall", "precision"], [("alone", [0.0, 0.5], "a"), ("with", [1.0, 0.75], "b")])
    marks = re.findall(r'class="mark (\w)" cx="(.*?)%"', chart)
    assert marks == [("b", "97.50"), ("a", "2.50"), ("b", "73.75"), ("a", "50.00")]
    assert "precision: alone 0.50, with 0.75" in chart


def test_a_span_beyond_one_shows_what_lies_inside_and_keeps_marks_on_the_strip() -> None:
    chart = dot_rows(["r"], [("alone", [-3.0], "a"), ("with", [9.0], "b")], span=(-1.0, 1.0))
    assert numbers(chart, r'class="band" x="(.*?)%" width="(.*?)%"') == [(50.0, 47.5)]
    assert numbers(chart, r'cx="(.*?)%"') == [(97.5,), (2.5,)]
    assert dot_rows([], []).startswith("<div")


def test_a_legend_has_a_key_for_each_series() -> None:
    assert re.findall(r'class="key (\w+)">(\w+)<', legend([("alone", "a"), ("with", "b")])) == [
        ("a", "alone"),
        ("b", "with"),
    ]
