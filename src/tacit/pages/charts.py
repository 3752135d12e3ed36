"""Charts as inline SVG in percentages of the width, so that they fit a phone and their letters keep their size."""

import math
from collections.abc import Sequence

from tacit.adoption.evidence.comparison import ClassChange, Share
from tacit.pages.markup import Markup, tag

# Half the height of a strip, in pixels.
MIDDLE = 14
NARROW = "\u202f"
# Letters of a name beside a strip or in a matrix before it is cut.
LONGEST_NAME = 22

Dots = tuple[str, Sequence[float], str]


def percent(share: float, digits: int = 1) -> str:
    """Return a share as text, ``93.5 %``, that no line break tears apart."""
    return f"{100 * share:.{digits}f}{NARROW}%"


def short(name: str, longest: int = LONGEST_NAME) -> str:
    """Return a name cut to fit a narrow place; the caller shows the whole name as ``title``."""
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def points(change: float) -> str:
    """Return a change in percentage points with its sign: ``+2.5``."""
    return f"{change:+.1f}".replace("-", "−") if abs(change) >= 0.05 else "±0.0"


def accuracy_chart(rows: Sequence[tuple[str, Share, str]]) -> Markup:
    """Return dots with their intervals on one axis; each row is (name, share, colour class)."""
    low = math.floor(10 * min(share.interval[0] for _, share, _ in rows)) / 10
    high = math.ceil(10 * max(share.interval[1] for _, share, _ in rows)) / 10
    place = _Scale(low, high)
    strips = [_interval_row(name, share, colour, place) for name, share, colour in rows]
    ticks = [low, (low + high) / 2, high]
    axis = tag("div", [tag("span", percent(tick, 0)) for tick in ticks], class_="axis")
    return tag("div", strips, axis, class_="chart")


def _interval_row(name: str, share: Share, colour: str, place: "_Scale") -> Markup:
    low, high = share.interval
    words = f"{percent(share.value)} ({share.count} of {share.total}), 95 % interval {percent(low)} to {percent(high)}"
    strip = tag(
        "svg",
        tag("line", class_="rail", x1="0%", x2="100%", y1=MIDDLE, y2=MIDDLE),
        tag("line", class_="span", x1=place(low), x2=place(high), y1=MIDDLE, y2=MIDDLE),
        tag("circle", class_="dot", cx=place(share.value), cy=MIDDLE, r=7),
        role="img",
        aria_label=f"{name}: {words}",
        height=2 * MIDDLE,
        width="100%",
    )
    label = tag("p", tag("span", name), tag("strong", percent(share.value)), class_="chart-label")
    note = tag(
        "p", f"{share.count} of {share.total} right; 95 % interval {percent(low)} to {percent(high)}", class_="small"
    )
    return tag("div", label, strip, note, class_=f"chart-row {colour}")


class _Scale:
    """Places values between ``low`` and ``high`` with a little room for the dots at both ends."""

    def __init__(self, low: float, high: float) -> None:
        self._low, self._span = low, (high - low) or 1.0

    def share(self, value: float) -> float:
        """Return the place of ``value`` in percent of the width; beyond the ends it stays at the end."""
        return 2.5 + 95 * min(max((value - self._low) / self._span, 0.0), 1.0)

    def __call__(self, value: float) -> str:
        return f"{self.share(value):.2f}%"


def _signed_bar(value: float, reach: float, label: str) -> Markup:
    """Return a bar from the middle to the right for a positive value, to the left for a negative one."""
    width = 46 * abs(value) / reach
    start = 50.0 if value >= 0 else 50 - width
    return tag(
        "svg",
        tag("line", class_="rail", x1="50%", x2="50%", y1=0, y2=24),
        tag("rect", class_="bar", x=f"{start:.2f}%", width=f"{max(width, 0.4):.2f}%", y=4, height=16, rx=3),
        role="img",
        aria_label=label,
        height=24,
        width="100%",
    )


def change_chart(changes: Sequence[ClassChange]) -> Markup:
    """Return a bar to the right for each class that the releases help, to the left for one that they harm."""
    reach = max([abs(change.points) for change in changes] + [5.0])
    return tag("div", [_change_row(change, reach) for change in changes], class_="chart")


def _change_row(change: ClassChange, reach: float) -> Markup:
    colour = "help" if change.points > 0 else "harm" if change.points < 0 else "same"
    before, after = percent(change.target_only.value, 0), percent(change.adopted.value, 0)
    words = f"{before} → {after} of {change.target_only.total}; {change.helped} helped, {change.harmed} harmed"
    strip = _signed_bar(change.points, reach, f"{change.name}: {points(change.points)} points, {words}")
    label = tag("p", tag("span", change.name), tag("strong", f"{points(change.points)} points"), class_="chart-label")
    return tag("div", label, strip, tag("p", words, class_="small"), class_=f"chart-row change {colour}")


def guess_chart(guess: float) -> Markup:
    """Return a strip from a coin toss to certainty with a mark at the best guess that the guarantee allows."""
    place = _Scale(0.5, 1.0)
    strip = tag(
        "svg",
        tag("line", class_="rail thick", x1="2.5%", x2="97.5%", y1=MIDDLE, y2=MIDDLE),
        tag("line", class_="span thick", x1="2.5%", x2=place(guess), y1=MIDDLE, y2=MIDDLE),
        tag("circle", class_="dot", cx=place(guess), cy=MIDDLE, r=8),
        role="img",
        aria_label=f"Best possible guess: {percent(guess)}, between a coin toss (50 %) and certainty (100 %)",
        height=2 * MIDDLE,
        width="100%",
    )
    ends = tag("div", tag("span", "50 %: a coin toss"), tag("span", "100 %: certainty"), class_="axis")
    return tag("div", strip, ends, class_="chart guess")


def bar_chart(
    name: str, cells: Sequence[str], shares: Sequence[float], bars: Sequence[Markup], *, size: tuple[float, float]
) -> Markup:
    """Return ``bars`` in a frame of ``size`` with the first and last of the ``cells`` below, read aloud as shares."""
    words = "; ".join(f"{cell} {percent(share)}" for cell, share in zip(cells, shares, strict=True))
    view = {"viewBox": f"0 0 {size[0]} {size[1]}", "preserveAspectRatio": "none", "class_": "bars"}
    drawn = tag("svg", list(bars), role="img", aria_label=f"{name}: {words}", **view)
    ends = tag("div", tag("span", short(cells[0])), tag("span", short(cells[-1])), class_="axis")
    return tag("div", tag("p", short(name), title=name, class_="dot-name left"), drawn, ends)


def legend(series: Sequence[tuple[str, str]]) -> Markup:
    """Return which colour class stands for what: pairs of (caption, colour class)."""
    return tag("p", [tag("span", caption, class_=f"key {colour}") for caption, colour in series], class_="legend")


def dot_rows(names: Sequence[str], series: Sequence[Dots], *, span: tuple[float, float] = (0.0, 1.0)) -> Markup:
    """Return, for each name, a strip over ``span`` with one mark of each series (caption, values, colour class).

    Where the span goes beyond [0, 1], a band shows what lies inside.
    """
    place = _Scale(*span)
    rows = [
        _dot_row(name, [(caption, values[at], colour) for caption, values, colour in series], place)
        for at, name in enumerate(names)
    ]
    width = max((len(short(name)) for name in names), default=1)
    return tag("div", rows, class_="chart dots", style=f"--names: {width + 1}ch")


def _dot_row(name: str, marks: Sequence[tuple[str, float, str]], place: "_Scale") -> Markup:
    left, right = place.share(0.0), place.share(1.0)
    # A band that is only part of the strip stands upright through all rows.
    y, height, radius = (7, 8, 4) if right - left > 90 else (0, 22, 0)
    rail = tag("rect", class_="band", x=f"{left:.2f}%", width=f"{right - left:.2f}%", y=y, height=height, rx=radius)
    # The first series is drawn last, so that it lies on top.
    dots = [tag("circle", class_=f"mark {colour}", cx=place(value), cy=11, r=5.5) for _, value, colour in marks[::-1]]
    words = ", ".join(f"{caption} {value:.2f}" for caption, value, _ in marks)
    strip = tag("svg", rail, dots, role="img", aria_label=f"{name}: {words}", height=22, width="100%")
    return tag("div", tag("p", short(name), class_="dot-name", title=name), strip, class_="dot-row")


def weight_chart(rows: Sequence[tuple[str, float]]) -> Markup:
    """Return one bar for the weight of each release or column; a weight of 0 is said in words."""
    largest = max([weight for _, weight in rows] + [1e-12])
    strips = []
    for name, weight in rows:
        words = f"weight {weight:.3g}" if weight else "weight 0: ignored"
        width = f"{max(100 * weight / largest, 0.4):.2f}%"
        bar = tag("rect", class_="bar", x="0", y=4, height=12, rx=3, width=width)
        strip = tag("svg", bar, role="img", aria_label=f"{name}: {words}", height=20, width="100%")
        label = tag("p", tag("span", name), tag("strong", words), class_="chart-label")
        strips.append(tag("div", label, strip, class_=f"chart-row {'with' if weight else 'same'}"))
    return tag("div", strips, class_="chart")


def signed_chart(rows: Sequence[tuple[str, float]]) -> Markup:
    """Return one bar for each column of a linear model, to the right for a positive weight, to the left otherwise."""
    reach = max([abs(weight) for _, weight in rows] + [1e-12])
    strips = []
    for name, weight in rows:
        words = f"{weight:+.3g}".replace("-", "−")
        label = tag("p", tag("span", short(name), title=name), tag("strong", words), class_="chart-label")
        strip = _signed_bar(weight, reach, f"{name}: weight {words}")
        strips.append(tag("div", label, strip, class_=f"chart-row change {'with' if weight >= 0 else 'third'}"))
    return tag("div", strips, class_="chart")
