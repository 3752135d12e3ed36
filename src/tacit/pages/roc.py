"""The ROC curves of attacks on logarithmic axes, where few false alarms have as much room as many."""

import math
from collections.abc import Sequence

import numpy as np

from tacit.arrays import FloatArray
from tacit.audit.attacks.outcome import FALSE_RATES, AttackOutcome, largest_true_rate
from tacit.pages.charts import NARROW, legend
from tacit.pages.markup import Markup, tag
from tacit.privacy.card_content import Guarantee

# Of the attacks in their order; the last is the strongest.
COLOURS = ("alone", "third", "with")
# Powers of ten on each axis: rates below one over the number of non-members were not measured.
FEWEST_DECADES, MOST_DECADES = 2, 4
# Points of the curve of what a card allows.
LIMIT_POINTS = 81


def roc_chart(outcomes: Sequence[AttackOutcome], claim: Guarantee) -> Markup:
    """Return the curves of attacks; what the claim forbids is shaded, a coin toss is dashed."""
    axis = _LogAxis(min(len(outcome.non_members) for outcome in outcomes))
    coloured = list(zip(outcomes, COLOURS, strict=False))
    forbidden = _forbidden(axis, claim)
    words = "; ".join(f"{outcome.name}: area {outcome.area:.3f}" for outcome in outcomes)
    drawing = tag(
        "svg",
        _mesh(axis),
        forbidden,
        # Both axes have the same powers of ten, so that equal rates lie on the diagonal.
        tag("line", class_="chance", x1=0, x2=100, y1=100, y2=0),
        [_whiskers(axis, outcome, colour, place) for place, (outcome, colour) in enumerate(coloured)],
        [tag("path", d=_staircase(axis, *outcome.curve), class_=f"curve {colour}") for outcome, colour in coloured],
        viewBox="0 0 100 100",
        role="img",
        aria_label=f"ROC curves on logarithmic axes. {words}",
    )
    ticks = [tag("span", tick) for tick in axis.ticks]
    keys = [(outcome.name, colour) for outcome, colour in coloured]
    axes = "Upwards: share of members found. To the right: share of non-members taken for members. Dashed: guessing."
    if forbidden is not None:
        keys.append(("more than the card allows", "beyond"))
        axes += " Where few rows are behind it, a curve enters the shade by chance; the figures say if it surely does."
    upright = tag("div", ticks, class_="up", aria_hidden="true")
    below = tag("div", ticks, class_="axis", aria_hidden="true")
    chart = tag("div", upright, drawing, tag("span"), below, class_="roc")
    return tag("div", legend(keys), chart, tag("p", axes, class_="small"))


class _LogAxis:
    """Places rates between a power of ten and 1 on an axis from 0 to 100."""

    def __init__(self, n_rows: int) -> None:
        decades = math.floor(math.log10(max(n_rows, 1)))
        self.decades = min(max(decades, FEWEST_DECADES), MOST_DECADES)
        self.least = 10.0**-self.decades

    def __call__(self, rates: FloatArray) -> FloatArray:
        places: FloatArray = 100 * (1 + np.log10(np.maximum(rates, self.least)) / self.decades)
        return places

    @property
    def ticks(self) -> list[str]:
        """Each power of ten in percent."""
        return [f"{100 * 10.0**-power:g}{NARROW}%" for power in range(self.decades, -1, -1)]


def _mesh(axis: _LogAxis) -> list[Markup]:
    places = [100 * k / axis.decades for k in range(1, axis.decades)]
    upright = [tag("line", class_="mesh", x1=x, x2=x, y1=0, y2=100) for x in places]
    return upright + [tag("line", class_="mesh", x1=0, x2=100, y1=y, y2=y) for y in places]


def _staircase(axis: _LogAxis, false: FloatArray, true: FloatArray) -> str:
    """Return the curve as steps: at each false-positive rate, the members found by then."""
    x, y = axis(false).round(1), (100 - axis(true)).round(1)
    moves = [f"M0 {y[x <= 0].min():g}"]
    before = (0.0, float(y[x <= 0].min()))
    for place in zip(x.tolist(), y.tolist(), strict=True):
        if place[0] <= 0 or place == before:
            continue
        moves.append(f"H{place[0]:g}V{place[1]:g}")
        before = place
    return "".join(moves)


def _forbidden(axis: _LogAxis, claim: Guarantee) -> Markup | None:
    if claim.epsilon is None:
        return None
    false = np.geomspace(axis.least, 1.0, LIMIT_POINTS)
    allowed = largest_true_rate(false, claim.epsilon, claim.delta)
    if allowed[0] > 0.99:
        return None  # nothing that the axes show is forbidden
    x, y = axis(false), 100 - axis(allowed)
    corners = "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y, strict=True))
    return tag("path", d=f"M0 0L{corners}L100 0Z", class_="beyond")


def _whiskers(axis: _LogAxis, outcome: AttackOutcome, colour: str, place: int) -> list[Markup]:
    """Return the intervals of the true-positive rates, those of several attacks beside each other."""
    lines = []
    for true_rate in (outcome.true_rate(rate) for rate in FALSE_RATES):
        if true_rate.value is None or true_rate.false_rate < axis.least:
            continue
        x = max(float(axis(np.array(true_rate.false_rate))) + 1.6 * (place - 1), 1.6 * place + 0.8)
        low, high = (100 - float(axis(np.array(end))) for end in true_rate.interval)
        lines.append(tag("line", class_=f"whisker {colour}", x1=x, x2=x, y1=low, y2=high))
    return lines
