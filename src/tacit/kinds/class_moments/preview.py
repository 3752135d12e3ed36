"""A preview of a release: its class means, and one example record with the noise of the release."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, TacitError
from tacit.kinds.class_moments import ENTRY_FILE, RECORD_FILE
from tacit.models.class_moments.features import ImageFeatures, features_of
from tacit.models.entry_noise import entry_weights
from tacit.privacy.mechanisms.base import from_settings
from tacit.privacy.stream import NoiseStream
from tacit.records import record
from tacit.releases.file import Release

# The example's noise illustrates and protects nothing: a fixed seed gives the same page each time.
SHOWN_SEED = 0
# Draws over which the length of the noise is averaged; the first one is shown.
DRAWS = 64


@record
class ReleasePreview:
    """Class means of a release and an example record with noise, numbers between 0 and 1 but for the noise."""

    schema: Schema
    """The owner's."""
    means: FloatArray
    """[C, F]: released class means: of pixels, of columns, or of features of pictures."""
    example: int
    """The class whose mean serves as an example of a record. The mean has noise in it already: it is nobody's row."""
    with_noise: FloatArray
    """[F]: the example with the noise of the release, as if it were the only record of the table."""
    ratio: float
    """Length of the noise over the length of the example."""
    names: tuple[str, ...] = ()
    """Names of the columns; empty for pixels and features."""
    shape: tuple[int, ...] = ()
    """Height, width and channels at which a row is drawn as a picture; empty for columns."""
    pictures: bool = False
    """Whether the rows are pictures of the owner's table, rather than features drawn as pictures."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of the owner's table."""
        return self.schema.classes

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the preview, for `from_parts`."""
        return {"means": self.means, "with_noise": self.with_noise}

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the arrays as JSON-ready data, for `from_parts`."""
        return {
            "schema": self.schema.to_dict(),
            "example": self.example,
            "ratio": self.ratio,
            "names": list(self.names),
            "shape": list(self.shape),
            "pictures": self.pictures,
        }

    @classmethod
    def from_parts(cls, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> "ReleasePreview":
        """Return the preview that `to_arrays` and `to_dict` wrote."""
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


def preview_release(release: Release) -> ReleasePreview:
    """Return the preview of a release of class moments; raise InputError for any other kind."""
    if release.kind not in {RECORD_FILE, ENTRY_FILE} or release.schema is None:
        raise InputError(f"release must be one of a table for transfer; got kind {release.kind!r}.")
    schema = Schema.from_dict(release.schema)
    code = int(np.argmax(release.arrays["counts"]))
    means, noisy, ratio = (_entry_example if release.kind == ENTRY_FILE else _record_example)(release, schema, code)
    names, shape, pictures = _display_layout(release.kind, schema)
    return ReleasePreview(schema, means, code, noisy, ratio, names, shape, pictures)


def optional_preview(release: Release) -> ReleasePreview | None:
    """Return the preview of a release, None for another kind or a mechanism that this version cannot draw."""
    try:
        return preview_release(release)
    except TacitError:
        return None


def _entry_example(release: Release, schema: Schema, code: int) -> tuple[FloatArray, FloatArray, float]:
    mechanism = from_settings(release.card.parts[0].mechanism)
    weights = entry_weights(schema) if getattr(mechanism, "coordinates", 1) > 1 else np.ones(len(schema.encoded_names))
    means: FloatArray = release.arrays["means"]
    record = np.clip(means[code], 0.0, 1.0)
    drawn = mechanism.draw(np.tile(record * weights, (DRAWS, 1)), NoiseStream(SHOWN_SEED)) / weights
    return means, drawn[0], _ratio(drawn - record, record)


def _record_example(release: Release, schema: Schema, code: int) -> tuple[FloatArray, FloatArray, float]:
    mechanism = from_settings(release.card.parts[0].mechanism)
    means = release.arrays["sums"] / np.maximum(release.arrays["counts"], 1.0)[:, None]
    # One record is at most of length 1 in the features whose sums were released.
    record = means[code] / max(float(np.linalg.norm(means[code])), 1.0)
    drawn = mechanism.draw(np.tile(record, (DRAWS, 1)), NoiseStream(SHOWN_SEED))
    noisy, ratio = drawn[0], _ratio(drawn - record, record)
    if isinstance(features_of(schema), ImageFeatures):
        # Random features of F lie within sqrt(2/F) of 0: scaled by sqrt(F/8) and shifted by 1/2 they lie in [0, 1].
        scale = math.sqrt(means.shape[1] / 8)
        return 0.5 + means * scale, 0.5 + noisy * scale, ratio
    return _encoded_columns(means), _encoded_columns(noisy), ratio


def _encoded_columns(features: FloatArray) -> FloatArray:
    """Return encoded columns from their centred and scaled features: (1 + sqrt(p) phi)/2."""
    columns: FloatArray = (1 + math.sqrt(features.shape[-1]) * features) / 2
    return columns


def _ratio(noise: FloatArray, record: FloatArray) -> float:
    """Return the root mean square length of the draws of noise [DRAWS, F] over the length of the record."""
    return float(np.sqrt((noise**2).sum(axis=1).mean()) / max(float(np.linalg.norm(record)), 1e-12))


def _display_layout(kind: str, schema: Schema) -> tuple[tuple[str, ...], tuple[int, ...], bool]:
    """Return `names`, `shape` and `pictures` of the preview: columns, pictures, or features as a near-square."""
    features = features_of(schema)
    if not isinstance(features, ImageFeatures):
        return schema.encoded_names, (), False
    if kind == ENTRY_FILE:
        return (), features.shape, True
    return (), _near_square(features.size), False


def _near_square(size: int) -> tuple[int, int]:
    height = next(divisor for divisor in range(math.isqrt(size), 0, -1) if size % divisor == 0)
    return height, size // height
