"""Charts of curves: which are shown, where steps and bands lie, and the page of an additive release."""

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.kinds.additive.test_make import SCHEMA, rows

from tacit.data.schemas.columns import Label
from tacit.kinds.additive import KIND
from tacit.models.additive.levels import ColumnLevels, number_levels
from tacit.models.additive.model import AdditiveCurves
from tacit.models.additive.release import read_additive
from tacit.pages.additive import quality, score_names
from tacit.pages.curves import MOST_CLASSES, ColumnCurve, curve_charts, strongest_curves
from tacit.pages.release_page import release_page
from tacit.releases.file import Release


def release(n_rows: int = 3000) -> Release:
    return KIND.release(*rows(n_rows), SCHEMA, epsilon=2.0, delta=1e-6, random_state=0)


def number_curve(values: list[float], missing: float = 0.0) -> ColumnCurve:
    levels = number_levels("age", 0, len(values) - 1, integer=True)
    column = np.array([*values, missing])[:, None]
    shares = np.append(np.full(len(values), 1 / len(values)), 0.0)
    return ColumnCurve(levels, column, np.full_like(column, 0.1), shares)


def test_the_strongest_curves_come_first() -> None:
    names = ("weak", "strong", "middling")
    levels = tuple(ColumnLevels(name, np.zeros(0), ("a", "b")) for name in names)
    values = np.array([0.1, -0.1, 2.0, -2.0, 0.5, -0.5])[:, None]
    curves = AdditiveCurves(levels, values, 0.1 * np.ones((6, 1)), np.zeros(1), np.full(6, 0.5))
    assert [curve.levels.name for curve in strongest_curves(curves, 2)] == ["strong", "middling"]


def test_a_curve_is_a_staircase_with_its_band() -> None:
    page = curve_charts([number_curve([-2.0, 0.0, 2.0])], ["for ill"])
    (steps,) = re.findall(r'd="(M[^"]*)" class="curve with"', page)
    # The reach is 2.2: the value and two deviations; heights are 20 - 20 v/2.2.
    heights = [float(height) for height in re.findall(r"V([\d.]+)", steps)]
    assert heights == pytest.approx([20 + 40 / 2.2, 20, 20 - 40 / 2.2], abs=0.01)
    assert 'class="noise with"' in page
    assert "for ill" in page


def test_a_missing_number_is_said_in_words() -> None:
    curve = number_curve([0.0, 1.0], missing=-1.25)
    shown = replace(curve, shares=np.array([0.4, 0.4, 0.2]))
    assert "missing in 20.0 % of rows: −1.25" in curve_charts([shown], ["s"])
    assert "missing" not in curve_charts([curve], ["s"])


def test_categories_have_a_strip_each_and_are_escaped() -> None:
    levels = ColumnLevels("<city>", np.zeros(0), ("<b>", "Rome"))
    curve = ColumnCurve(levels, np.array([[0.5], [-0.5]]), np.full((2, 1), 0.1), np.array([0.5, 0.5]))
    page = curve_charts([curve], ["s"])
    assert page.count('class="mark with"') == 2
    assert "&lt;city&gt;" in page
    assert "<b>" not in page


def test_of_many_classes_a_few_are_drawn() -> None:
    curve = number_curve([0.0, 1.0])
    many = replace(curve, values=np.tile(curve.values, 6), deviations=np.tile(curve.deviations, 6))
    page = curve_charts([many], [f"for {code}" for code in range(6)])
    assert page.count('class="curve ') == MOST_CLASSES
    assert "for 5" not in page


def test_a_page_shows_quality_and_curves() -> None:
    page = release_page(release())
    headings = re.findall("<h2>(.*?)</h2>", page)
    assert [each for each in headings if each in {"Quality", "Curves", "Columns"}] == ["Quality", "Curves", "Columns"]
    assert "area under the ROC curve" in page
    assert "for ill" in page
    assert "more than noise explains" in page


def test_a_release_of_nothing_says_so() -> None:
    X, _ = rows(60)
    random = np.random.default_rng(0)
    made = KIND.release(X, random.integers(0, 2, 60), SCHEMA, epsilon=0.05, delta=1e-6, random_state=1)
    assert "Noise alone may explain that" in quality(read_additive(made))


def test_several_classes_have_a_name_each() -> None:
    schema = replace(SCHEMA, columns=(*SCHEMA.features, Label("state", ("well", "ill", "worse"))))
    X, y = rows(300)
    made = KIND.release(X, y + (X[:, 0] > 0.8), schema, epsilon=2.0, delta=1e-6, random_state=0)
    assert score_names(read_additive(made)) == ["for well", "for ill", "for worse"]
