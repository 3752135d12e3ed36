"""ROC curves on logarithmic axes: each rate stands where its power of ten is, and the shade is what a card forbids."""

import math
import re

import numpy as np
import pytest

from tacit.audit.attacks.outcome import outcome
from tacit.pages.roc import FEWEST_DECADES, LIMIT_POINTS, MOST_DECADES, _forbidden, _LogAxis, _staircase, roc_chart
from tacit.privacy.card_content import Guarantee

RNG = np.random.default_rng(0)
# Members score one unit higher: an area of about 0.76.
CLEAR = outcome("clear", RNG.normal(1.0, 1.0, 400), RNG.normal(0.0, 1.0, 400))
BLIND = outcome("blind", np.zeros(400), np.zeros(400))
NO_PROMISE = Guarantee("record", None, 0.0)


def corners(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", path)]


@pytest.mark.parametrize(("n_rows", "decades"), [(1, 2), (50, 2), (999, 2), (1000, 3), (10_000, 4), (10**7, 4)])
def test_an_axis_shows_no_rate_that_was_not_measured(n_rows: int, decades: int) -> None:
    axis = _LogAxis(n_rows)
    assert axis.decades == decades
    assert FEWEST_DECADES <= axis.decades <= MOST_DECADES
    assert len(axis.ticks) == decades + 1


def test_each_power_of_ten_has_the_same_room() -> None:
    axis = _LogAxis(1000)
    np.testing.assert_allclose(axis(np.array([1e-3, 1e-2, 1e-1, 1.0])), [0, 100 / 3, 200 / 3, 100])
    # What is below the least rate stands at the end: log 0 has no place.
    assert axis(np.array([0.0, 1e-9])).tolist() == [0.0, 0.0]
    assert [tick.split("\u202f")[0] for tick in axis.ticks] == ["0.1", "1", "10", "100"]


def test_a_curve_goes_right_and_up_and_ends_where_everybody_is_taken_for_a_member() -> None:
    axis = _LogAxis(400)
    path = _staircase(axis, *CLEAR.curve)
    x = [float(place) for place in re.findall(r"H(-?[\d.]+)", path)]
    y = [float(place) for place in re.findall(r"V(-?[\d.]+)", path)]
    assert x == sorted(x)
    assert y == sorted(y, reverse=True)
    assert (x[-1], y[-1]) == (100.0, 0.0)


def test_a_blind_attack_is_one_step_from_nobody_to_everybody() -> None:
    assert _staircase(_LogAxis(400), *BLIND.curve) == "M0 100H100V0"


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_shade_begins_where_the_card_ends(epsilon: float) -> None:
    axis = _LogAxis(1000)
    shade = _forbidden(axis, Guarantee("record", epsilon, 0.0))
    assert shade is not None
    (path,) = re.findall(r'd="M0 0L(.*?)L100 0Z"', shade)
    limit = corners(path.replace("L", " L "))
    assert len(limit) == LIMIT_POINTS
    # At the least false-positive rate f, e^epsilon f of the members may be found.
    allowed = min(math.exp(epsilon) * axis.least, 1 - math.exp(-epsilon) * (1 - axis.least))
    assert limit[0][1] == pytest.approx(100 - float(axis(np.array(allowed))), abs=0.06)
    assert limit[-1] == (100.0, 0.0)


def test_nothing_is_shaded_without_a_promise_or_where_the_promise_allows_everything() -> None:
    axis = _LogAxis(1000)
    assert _forbidden(axis, NO_PROMISE) is None
    assert _forbidden(axis, Guarantee("record", 50.0, 0.0)) is None


def test_the_chart_says_in_words_what_it_draws() -> None:
    chart = roc_chart([BLIND, CLEAR], Guarantee("record", 1.0, 0.0))
    assert "blind: area 0.500" in chart
    assert f"clear: area {CLEAR.area:.3f}" in chart
    assert "more than the card allows" in chart
    assert chart.count('class="curve') == 2
    assert "more than the card allows" not in roc_chart([CLEAR], NO_PROMISE)


def test_whiskers_stand_only_at_rates_that_can_be_shown() -> None:
    # 400 non-members show one false alarm in a hundred, not one in a thousand.
    assert roc_chart([CLEAR], NO_PROMISE).count("whisker") == 1
    few = outcome("few", [1.0, 2.0, 3.0], [0.0, 1.0, 2.0])
    assert "whisker" not in roc_chart([few], NO_PROMISE)


def test_names_of_attacks_are_text() -> None:
    evil = outcome("<b>nearest</b>", [1.0, 2.0], [0.0, 1.0])
    assert "<b>nearest" not in roc_chart([evil], NO_PROMISE)
