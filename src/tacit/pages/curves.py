"""Curves of additive models with the noise in them, as inline SVG."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray
from tacit.models.additive.levels import ColumnLevels
from tacit.models.additive.model import AdditiveCurves
from tacit.pages.charts import legend, short
from tacit.pages.markup import Markup, joined, tag
from tacit.records import record

# Columns and classes that a page shows, those that count most first: nobody reads more curves.
MOST_CURVES, MOST_CLASSES, MOST_CATEGORIES = 12, 4, 12
# Levels beyond these shares of the rows at either end are not drawn: nobody is there.
TRIMMED = 0.002
# A band holds so many standard deviations of the noise on either side.
BAND = 2.0
COLOURS = ("with", "third", "alone", "harm")


@record
class ColumnCurve:
    """The curve of one column: values [m, K], standard deviations of their noise [m, K] and shares of rows [m]."""

    levels: ColumnLevels
    values: FloatArray
    deviations: FloatArray
    shares: FloatArray


def strongest_curves(curves: AdditiveCurves, n_curves: int = MOST_CURVES) -> list[ColumnCurve]:
    """Return the curves that move scores most, by their variance over the owner's rows, the strongest first."""
    order = np.argsort(-curves.energies(), kind="stable")[:n_curves]
    parts = list(curves.layout.parts())
    return [
        ColumnCurve(
            curves.levels[place],
            curves.values[parts[place]],
            curves.deviations[parts[place]],
            curves.shares[parts[place]],
        )
        for place in order
    ]


def curve_charts(curves: Sequence[ColumnCurve], names: Sequence[str]) -> Markup:
    """Return a chart for each column on one vertical scale; ``names`` says what each of the K scores speaks for."""
    shown = min(len(names), MOST_CLASSES)
    # At least one unit of log-odds or of spread, so that a release of nothing looks flat.
    reach = max([1.0, *(_reach(curve, shown) for curve in curves)])
    charts = [_chart(curve, shown, reach) for curve in curves]
    keys = list(zip([*names[:shown], "noise, two standard deviations"], [*COLOURS[:shown], "band"], strict=True))
    scale = tag("p", f"Every chart reaches from −{reach:.1f} to +{reach:.1f}.", class_="small")
    return joined(legend(keys), scale, tag("div", charts, class_="gallery"))


def _reach(curve: ColumnCurve, n_scores: int) -> float:
    places = _drawn(curve)
    return float((np.abs(curve.values) + BAND * curve.deviations)[places, :n_scores].max(initial=0.0))


def _drawn(curve: ColumnCurve) -> NDArray[np.intp]:
    """Return the levels to draw: of a number those between its outer quantiles, of categories the most frequent."""
    if not curve.levels.is_number:
        return np.sort(np.argsort(-curve.shares, kind="stable")[:MOST_CATEGORIES])
    present = curve.shares[:-1]
    sums = np.cumsum(present) / max(float(present.sum()), 1e-12)
    first = min(int(np.searchsorted(sums, TRIMMED)), len(present) - 1)
    return np.arange(first, max(int(np.searchsorted(sums, 1 - TRIMMED)), first) + 1).clip(max=len(present) - 1)


def _chart(curve: ColumnCurve, n_scores: int, reach: float) -> Markup:
    name = curve.levels.name
    content = (_number_curve if curve.levels.is_number else _category_rows)(curve, n_scores, reach)
    return tag("div", tag("p", short(name), class_="dot-name left", title=name), content)


def axis_ends(low: float, high: float) -> tuple[str, str]:
    """Return both ends of an axis, to a hundredth of its length or better.

    >>> axis_ends(6.92946, 107.25), axis_ends(0.0, 0.5), axis_ends(0.0, 25_000.0)
    (('7', '107'), ('0.000', '0.500'), ('0', '25000'))
    """
    decimals = max(0, 2 - math.floor(math.log10(max(high - low, 1e-12))))
    return f"{low:.{decimals}f}", f"{high:.{decimals}f}"


def _number_curve(curve: ColumnCurve, n_scores: int, reach: float) -> Markup:
    """Return steps over the values of a number, with a band; below, what a missing value adds."""
    places = _drawn(curve)
    ends = np.concatenate([[curve.levels.low], curve.levels.edges, [curve.levels.high]])
    x = np.append(ends[places], ends[places[-1] + 1])
    x = 100 * (x - x[0]) / max(float(x[-1] - x[0]), 1e-12)
    parts = [tag("line", class_="mesh", x1=0, x2=100, y1=20, y2=20)]
    for k in range(n_scores):
        y, off = (20 * part[places, k] / reach for part in (curve.values, BAND * curve.deviations))
        parts.append(tag("path", d=_band(x, 20 - y - off, 20 - y + off), class_=f"noise {COLOURS[k]}"))
        parts.append(tag("path", d=_steps(x, 20 - y), class_=f"curve {COLOURS[k]}"))
    low, high = axis_ends(float(ends[places[0]]), float(ends[places[-1] + 1]))
    words = f"{curve.levels.name} from {low} to {high}"
    drawing = tag("svg", parts, viewBox="0 0 100 40", preserveAspectRatio="none", role="img", aria_label=words)
    axis = tag("div", tag("span", low), tag("span", high), class_="axis")
    return tag("div", drawing, axis, _missing(curve, n_scores), class_="column-curve")


def _missing(curve: ColumnCurve, n_scores: int) -> Markup | None:
    if curve.shares[-1] < TRIMMED:
        return None
    added = ", ".join(f"{value:+.2f}" for value in curve.values[-1, :n_scores]).replace("-", "−")
    return tag("p", f"missing in {100 * curve.shares[-1]:.1f} % of rows: {added}", class_="small")


def _category_rows(curve: ColumnCurve, n_scores: int, reach: float) -> Markup:
    """Return one strip for each category, with a mark and a band for each score."""
    rows = []
    for level in _drawn(curve):
        name = curve.levels.categories[level]
        marks = []
        for k in range(n_scores):
            middle, off = (46 * part[level, k] / reach for part in (curve.values, BAND * curve.deviations))
            colour = COLOURS[k]
            marks.append(
                tag(
                    "rect",
                    class_=f"noise {colour}",
                    x=f"{50 + middle - off:.2f}%",
                    width=f"{2 * off:.2f}%",
                    y=5,
                    height=8,
                )
            )
            marks.append(tag("circle", class_=f"mark {colour}", cx=f"{50 + middle:.2f}%", cy=9, r=4.5))
        words = ", ".join(f"{value:+.2f}" for value in curve.values[level, :n_scores])
        rail = tag("line", class_="rail", x1="50%", x2="50%", y1=0, y2=18)
        strip = tag("svg", rail, marks, role="img", aria_label=f"{name}: {words}", height=18, width="100%")
        rows.append(tag("div", tag("p", short(name), class_="dot-name", title=name), strip, class_="dot-row"))
    return tag("div", rows, class_="chart dots", style="--names: 12ch")


def _steps(x: FloatArray, y: FloatArray) -> str:
    """Return a path that is y[i] between x[i] and x[i + 1]."""
    moves = "".join(f"V{height:.2f}H{right:.2f}" for height, right in zip(y, x[1:], strict=True))
    return f"M{x[0]:.2f} {y[0]:.2f}{moves}"


def _band(x: FloatArray, low: FloatArray, high: FloatArray) -> str:
    back = "".join(f"V{height:.2f}H{left:.2f}" for height, left in zip(high[::-1], x[-2::-1], strict=True))
    return f"{_steps(x, low)}{back}Z"
