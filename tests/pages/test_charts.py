"""Charts: marks and bars lie where their numbers are."""

import re

import pytest

from tacit.adoption.evidence.comparison import Share
from tacit.pages.charts import accuracy_chart, signed_chart, weight_chart


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
