"""How the receiver looks at its own rows: as they are, as shares, or as pictures seen the owner's way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Rows
from tacit.models.class_moments.frames import Frame, ImageFrame
from tacit.numerics.images import oriented_gradients
from tacit.numerics.linalg import principal_directions

PLAIN, SHARES, GRADIENTS = "plain", "shares", "gradients"
# Directions of the receiver's own table in which autoencoders work.
DIRECTIONS = 100

NOTES = {
    PLAIN: "the columns as they are",
    SHARES: "square roots of each row's shares, as suits counts",
    GRADIENTS: "oriented gradients of the pictures",
}


@dataclass(frozen=True)
class RowView:
    """One way to look at rows, perhaps through an owner's frame first."""

    form: str = PLAIN
    frame: ImageFrame | None = None

    @property
    def note(self) -> str:
        """The view in words."""
        return NOTES[self.form] if self.frame is None else f"{NOTES[self.form]}, {self.frame.note}"

    def __call__(self, rows: Rows) -> Rows:
        """Return the rows as seen."""
        framed: Rows = rows if self.frame is None else self.frame(rows)
        if self.form == SHARES:
            amounts = np.maximum(framed, 0)
            shares: Rows = amounts / np.maximum(amounts.sum(axis=1, keepdims=True), np.finfo(framed.dtype).tiny)
            return np.sqrt(shares)
        if self.form == GRADIENTS and self.frame is not None:
            return oriented_gradients(framed.astype(np.float32), (self.frame.frame[0], self.frame.frame[1]))
        return framed


@dataclass(frozen=True)
class PrincipalAxes:
    """Principal directions of the receiver's rows in one view."""

    view: RowView
    centre: Rows
    directions: Rows

    @classmethod
    def of(cls, rows: Rows, view: RowView) -> "PrincipalAxes":
        """Return the axes of ``rows`` in ``view``."""
        viewed = view(rows)
        return cls(view, viewed.mean(axis=0), principal_directions(viewed, DIRECTIONS))

    def __call__(self, rows: Rows) -> Rows:
        """Return the coordinates of ``rows`` [N, n]."""
        coordinates: Rows = (self.view(rows) - self.centre) @ self.directions.T
        return coordinates


def own_views(rows: Rows, *, pictures: bool) -> list[RowView]:
    """Return how a receiver can look at its rows without any release; brightness and debts have no shares."""
    return [RowView(PLAIN)] if pictures or rows.min() < 0 else [RowView(PLAIN), RowView(SHARES)]


def released_views(frames: Sequence[Frame | None]) -> Iterator[RowView]:
    """Yield the views that come with releases of pictures: the owner's frame, and oriented gradients in it."""
    for frame in frames:
        if isinstance(frame, ImageFrame):
            if frame.shape != frame.frame:
                yield RowView(PLAIN, frame)
            yield RowView(GRADIENTS, frame)
