"""What a release shows of its classes, and what its noise does to one record: for people to look at."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray
from tacit.data.schema import Schema
from tacit.errors import InputError
from tacit.kinds.class_moments import ENTRY_FILE, RECORD_FILE
from tacit.models.class_moments.features import ImageFeatures, features_of
from tacit.models.entry_noise import entry_weights
from tacit.privacy.mechanisms.base import from_settings
from tacit.privacy.stream import NoiseStream
from tacit.releases.file import Release

# The example's noise is drawn for show, never to protect: a fixed seed gives the same page each time.
SHOWN_SEED = 0
# Draws over which the length of the noise is averaged; the first one is shown.
DRAWS = 64


@dataclass(frozen=True, eq=False)
class Glimpse:
    """What a release shows of its classes, in numbers that lie between 0 and 1 but for the noise.

    Attributes
    ----------
    schema : Schema
        The owner's.
    means : array [C, F]
        Class means as handed out: pixels, columns, or features of pictures.
    example : int
        The class whose mean serves as an example of a record. Noise has passed over it already: it is nobody's row.
    with_noise : array [F]
        The example with the noise of the release, as if it were the only record of the table.
    ratio : float
        How many times the length of the noise is the length of the example.
    names : tuple of str
        Of the columns; empty for pixels and features.
    shape : tuple of int
        How to draw a row of numbers as a picture; empty for columns.
    pictures : bool
        Whether such a picture is one of the owner's kind, rather than one of features.
    """

    schema: Schema
    means: FloatArray
    example: int
    with_noise: FloatArray
    ratio: float
    names: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    pictures: bool = False

    @property
    def classes(self) -> tuple[str, ...]:
        """The owner's classes."""
        return self.schema.classes

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what `from_parts` needs beside the settings."""
        return {"means": self.means, "with_noise": self.with_noise}

    def to_dict(self) -> dict[str, Any]:
        """Return the rest as JSON-ready data."""
        return {
            "schema": self.schema.to_dict(),
            "example": self.example,
            "ratio": self.ratio,
            "names": list(self.names),
            "shape": list(self.shape),
            "pictures": self.pictures,
        }

    @classmethod
    def from_parts(cls, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> "Glimpse":
        """Return the glimpse that `to_arrays` and `to_dict` wrote."""
        return cls(
            schema=Schema.from_dict(settings["schema"]),
            means=arrays["means"],
            example=settings["example"],
            with_noise=arrays["with_noise"],
            ratio=settings["ratio"],
            names=tuple(settings["names"]),
            shape=tuple(settings["shape"]),
            pictures=settings["pictures"],
        )


def glimpse(release: Release) -> Glimpse:
    """Return what ``release``, made for transfer, shows of its classes."""
    if release.kind not in {RECORD_FILE, ENTRY_FILE} or release.schema is None:
        raise InputError(f"release must be one of a table for transfer; got kind {release.kind!r}.")
    schema = Schema.from_dict(release.schema)
    code = int(np.argmax(release.arrays["counts"]))
    means, alone, ratio = (_entries if release.kind == ENTRY_FILE else _sums)(release, schema, code)
    names, shape, pictures = _manner(release.kind, schema)
    return Glimpse(schema, means, code, alone, ratio, names, shape, pictures)


def _entries(release: Release, schema: Schema, code: int) -> tuple[FloatArray, FloatArray, float]:
    mechanism = from_settings(release.card.parts[0].mechanism)
    weights = entry_weights(schema) if getattr(mechanism, "coordinates", 1) > 1 else np.ones(len(schema.encoded_names))
    means: FloatArray = release.arrays["means"]
    record = np.clip(means[code], 0.0, 1.0)
    drawn = mechanism.draw(np.tile(record * weights, (DRAWS, 1)), NoiseStream(SHOWN_SEED)) / weights
    return means, drawn[0], _ratio(drawn - record, record)


def _sums(release: Release, schema: Schema, code: int) -> tuple[FloatArray, FloatArray, float]:
    mechanism = from_settings(release.card.parts[0].mechanism)
    means = release.arrays["sums"] / np.maximum(release.arrays["counts"], 1.0)[:, None]
    # One record is at most of length 1 in the features whose sums were released.
    record = means[code] / max(float(np.linalg.norm(means[code])), 1.0)
    drawn = mechanism.draw(np.tile(record, (DRAWS, 1)), NoiseStream(SHOWN_SEED))
    alone, ratio = drawn[0], _ratio(drawn - record, record)
    if isinstance(features_of(schema), ImageFeatures):
        # Random features of F lie within sqrt(2/F) of 0: shown from 0 to 1 with 1/2 in the middle.
        return 0.5 + means * _half(means), 0.5 + alone * _half(means), ratio
    return _columns(means), _columns(alone), ratio


def _half(means: FloatArray) -> float:
    return math.sqrt(means.shape[1] / 8)


def _columns(features: FloatArray) -> FloatArray:
    """Return encoded columns from their centred and scaled features: (1 + sqrt(p) phi)/2."""
    columns: FloatArray = (1 + math.sqrt(features.shape[-1]) * features) / 2
    return columns


def _ratio(noise: FloatArray, record: FloatArray) -> float:
    return float(np.sqrt((noise**2).sum(axis=1).mean()) / max(float(np.linalg.norm(record)), 1e-12))


def _manner(kind: str, schema: Schema) -> tuple[tuple[str, ...], tuple[int, ...], bool]:
    """Return names of columns, shape of a picture, and whether it is one of the owner's kind."""
    features = features_of(schema)
    if not isinstance(features, ImageFeatures):
        return schema.encoded_names, (), False
    if kind == ENTRY_FILE:
        return (), features.shape, True
    return (), _near_square(features.size), False


def _near_square(size: int) -> tuple[int, int]:
    height = next(each for each in range(math.isqrt(size), 0, -1) if size % each == 0)
    return height, size // height
