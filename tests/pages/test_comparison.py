"""Sections about what adopting changed: true to the numbers behind them."""

import math
import re

import numpy as np
import pytest

from tacit.adoption.evidence.comparison import Comparison, compare
from tacit.pages import comparison


def bars(chart: str) -> list[tuple[float, float]]:
    """Return start and width, in percent, of the bars in a chart."""
    return [(float(start), float(width)) for start, width in re.findall(r'<rect[^>]* x="(.*?)%" width="(.*?)%"', chart)]


def compared(n_classes: int = 2, helped: int = 9, harmed: int = 1) -> Comparison:
    truth = np.arange(60) % n_classes
    only, both = truth.copy(), truth.copy()
    only[:helped] = (truth[:helped] + 1) % n_classes
    both[helped : helped + harmed] = (truth[helped : helped + harmed] + 1) % n_classes
    return compare(truth, target_only=only, adopted=both, classes=[f"class {code}" for code in range(n_classes)])


@pytest.mark.parametrize(
    ("helped", "harmed", "weights", "words"),
    [
        (12, 1, (1.0,), "The release helps: 98.3\u202f% right instead of 80.0\u202f%."),
        (1, 12, (1.0, 0.0), "The releases harm: 80.0\u202f% right instead of 98.3\u202f%."),
        (3, 1, (1.0,), "The release seems to help"),
        (1, 3, (1.0, 1.0), "The releases seem to harm"),
        (4, 4, (1.0,), "With and without the release"),
        (0, 0, (0.0,), "carried nothing that your labels bear out"),
    ],
)
def test_the_headline_claims_no_more_than_the_rows_show(
    helped: int, harmed: int, weights: tuple[float, ...], words: str
) -> None:
    assert words in comparison.verdict(compared(helped=helped, harmed=harmed), weights)


def test_a_class_that_is_helped_has_a_bar_to_the_right_and_one_that_is_harmed_to_the_left() -> None:
    helped = bars(comparison.classes_part(compared(helped=9, harmed=1)))
    assert all(start == 50 and width > 0.4 for start, width in helped)
    harmed = bars(comparison.classes_part(compared(helped=0, harmed=8)))
    assert all(math.isclose(start + width, 50) for start, width in harmed)


@pytest.mark.parametrize("n_classes", [2, 12])
def test_the_matrix_holds_every_count(n_classes: int) -> None:
    changes = compared(n_classes)
    text = comparison.confusion_part(changes)
    cells = re.findall(r"<td[^>]*style[^>]*>(\d+|·)", text)
    assert [0 if cell == "·" else int(cell) for cell in cells] == changes.confusion.ravel().tolist()
    assert ("Commonest mistakes" in text) == (n_classes > 2)


def test_a_view_is_not_taken_for_what_the_private_rows_taught() -> None:
    truth, only = [0, 1] * 10, [0, 0] * 10
    changes = compare(truth, target_only=only, adopted=truth, classes=("a", "b"), view_only=truth)
    assert "nothing but a view of the pictures" in comparison.verdict(changes, (0.0,))
    page = str(comparison.accuracy_part(changes))
    assert "Your labels, its view" in page
    assert "holds no knowledge of its owner" in page
    assert "view" not in str(
        comparison.accuracy_part(compare(truth, target_only=only, adopted=truth, classes=("a", "b")))
    )
