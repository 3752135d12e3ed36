"""A bar on the error stream that shows how far training has come."""

import sys
import time
from dataclasses import dataclass, field

WIDTH = 30
# A bar that is redrawn more often than this costs more than it tells.
EVERY = 0.2


@dataclass
class Bar:
    """A bar of ``total`` steps; silent unless ``shown``, and in a file or pipe only its last note."""

    total: int
    shown: bool
    started: float = field(default_factory=time.monotonic)
    drawn: float = 0.0

    def show(self, step: int, note: str) -> None:
        """Draw the bar at ``step``, with a note beside it, unless it was drawn a moment ago."""
        now = time.monotonic()
        if not self.shown or now - self.drawn < EVERY or not sys.stderr.isatty():
            return
        self.drawn = now
        sys.stderr.write("\r" + line(step, self.total, seconds=now - self.started, note=note) + "\x1b[K")
        sys.stderr.flush()

    def close(self, note: str) -> None:
        """Leave a last note and end the line."""
        if self.shown:
            sys.stderr.write(f"\r{note}\x1b[K\n" if sys.stderr.isatty() else f"{note}\n")
            sys.stderr.flush()


def line(step: int, total: int, *, seconds: float, note: str) -> str:
    """Return the text of the bar.

    >>> line(30, 120, seconds=10, note="loss 0.52")
    '━━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ 30/120, 30 s left, loss 0.52'
    """
    full = WIDTH * step // total
    left = f"{seconds * (total - step) / step:.0f} s left" if step else "starting"
    return f"{'━' * full}{'╌' * (WIDTH - full)} {step}/{total}, {left}, {note}"
