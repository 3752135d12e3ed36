"""A histogram small enough for a line of a list: one path, so that a thousand of them stay light."""

from collections.abc import Sequence

from tacit.pages.markup import Markup, tag

WIDTH, HEIGHT = 96, 24


def histogram(counts: Sequence[int]) -> Markup | None:
    """Return bars of ``counts``, beside words that say as much; None without any count."""
    most = max(counts, default=0)
    if most <= 0:
        return None
    step = WIDTH / len(counts)
    bars = "".join(_bar(step * place, step, HEIGHT * count / most) for place, count in enumerate(counts) if count)
    view = f"0 0 {WIDTH} {HEIGHT}"
    return tag("svg", tag("path", d=bars), viewBox=view, class_="spark", aria_hidden="true", preserveAspectRatio="none")


def _bar(left: float, width: float, height: float) -> str:
    """Return a bar that stands on the lower edge; the smallest can still be seen."""
    tall = max(height, 1.0)
    return f"M{left:.1f} {HEIGHT}v{-tall:.1f}h{max(width - 1, 0.5):.1f}v{tall:.1f}z"
