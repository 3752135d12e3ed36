"""The receiver's rows in the owner's columns: columns that both share, or pictures placed in the owner's frame."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Arrays, Float32Array, FloatArray, IntArray, Rows
from tacit.data.schemas.schema import Schema
from tacit.models.class_moments.features import ImageFeatures, features_of
from tacit.numerics.images import centre, grey, place
from tacit.records import record

# How large the receiver's pictures stand in the owner's frame; chosen by the receiver's own labels.
SCALES = (1.0, 0.9, 0.8, 0.72, 0.65)


@record
class ColumnFrame:
    """Columns that both tables have, in the owner's units: (x - shift) / scale."""

    positions: IntArray
    scale: FloatArray
    shift: FloatArray
    theirs: IntArray
    note: str = ""

    def __call__(self, X: Rows) -> Float32Array:
        """Return the shared columns in the order of ``theirs``, their places in the owner's encoding."""
        columns = X[:, self.positions]
        if (self.shift == 0).all() and (self.scale == 1).all():
            return columns.astype(np.float32)  # most often bounds are the same: nothing is shifted or scaled
        return ((columns - self.shift) / self.scale).astype(np.float32)


@record
class ImageFrame:
    """Pictures of the receiver placed in the owner's frame."""

    positions: IntArray
    shape: tuple[int, ...]
    frame: tuple[int, ...]
    scale: float = 1.0
    centred: bool = False
    note: str = ""

    @property
    def theirs(self) -> IntArray:
        """All pixels of the owner's frame."""
        return np.arange(self.frame[0] * self.frame[1])

    def __call__(self, X: Rows) -> Float32Array:
        """Return rows of pixels of the owner's frame."""
        size, frame = (self.shape[0], self.shape[1]), (self.frame[0], self.frame[1])
        placed = place(grey(X[:, self.positions], self.shape), size, frame, self.scale)
        return centre(placed, frame) if self.centred else placed


Frame = ColumnFrame | ImageFrame


def frames_between(ours: Schema, theirs: Schema) -> list[Frame]:
    """Return the candidate frames that bring our rows into their columns; none if nothing is shared."""
    if ours.image is not None and theirs.image is not None and isinstance(features_of(theirs), ImageFeatures):
        return _image_frames(ours.image_positions, ours.image.shape, theirs.image.shape)
    shared = ours.shared_with(theirs)
    if not shared.pairings:
        return []
    scale = np.array([pairing.scale for pairing in shared.pairings])
    shift = np.array([pairing.shift for pairing in shared.pairings])
    note = "; ".join([f"{len(shared.names)} columns shared by name", *shared.differences])
    return [ColumnFrame(shared.ours, scale, shift, shared.theirs, note)]


def _image_frames(positions: IntArray, shape: tuple[int, ...], frame: tuple[int, ...]) -> list[Frame]:
    if shape == frame:
        return [ImageFrame(positions, shape, frame, note="images of the same shape")]
    note = f"images of {shape[0]} x {shape[1]} placed in a frame of {frame[0]} x {frame[1]}"
    return [
        ImageFrame(positions, shape, frame, scale, centred=True, note=f"{note}, at scale {scale:g}") for scale in SCALES
    ]


def frame_parts(frame: Frame) -> tuple[Arrays, dict[str, Any]]:
    """Return a frame as arrays and JSON-ready settings."""
    arrays: Arrays = {"positions": frame.positions}
    if isinstance(frame, ColumnFrame):
        arrays |= {name: getattr(frame, name) for name in ("scale", "shift", "theirs")}
        return arrays, {"note": frame.note}
    settings = {"shape": list(frame.shape), "frame": list(frame.frame), "scale": frame.scale, "centred": frame.centred}
    return arrays, {**settings, "note": frame.note}


def stored_frame(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> Frame:
    """Return the frame that ``frame_parts`` took apart."""
    positions = arrays["positions"]
    if "frame" not in settings:
        scale, shift, theirs = (arrays[name] for name in ("scale", "shift", "theirs"))
        return ColumnFrame(positions, scale, shift, theirs, str(settings["note"]))
    return ImageFrame(
        positions,
        tuple(settings["shape"]),
        tuple(settings["frame"]),
        float(settings["scale"]),
        centred=bool(settings["centred"]),
        note=str(settings["note"]),
    )
