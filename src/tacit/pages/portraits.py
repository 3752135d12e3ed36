"""What a receiver's report shows of the table: class means, kept in the model file beside what the releases show."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit.arrays import FloatArray, Rows
from tacit.errors import TacitError
from tacit.kinds.class_moments.preview import Glimpse, glimpse
from tacit.releases.file import Release
from tacit.releases.model import Model

# Names in the model file: arrays begin with this, and one setting is called so.
PREFIX = "report"


@dataclass(frozen=True, eq=False)
class Portraits:
    """Means of the receiver's rows in [0, 1], and a glimpse of each release (None where it cannot be drawn).

    Attributes
    ----------
    labelled : array [C, p]
        Of the labelled rows of each class; zeros where there are none.
    sorted : array [C, p]
        Of all rows by the class that the adopted model gives them.
    """

    labelled: FloatArray
    sorted: FloatArray
    glimpses: tuple[Glimpse | None, ...]


def draw_portraits(X: Rows, y: Any, predicted: Any, n_classes: int, releases: Sequence[Release]) -> Portraits:
    """Return the portraits of a receiver's rows ``X`` with codes ``y`` (−1 unlabelled), sorted by ``predicted``."""
    glimpses = tuple(_glimpse(release) for release in releases)
    return Portraits(_means(X, np.asarray(y), n_classes), _means(X, np.asarray(predicted), n_classes), glimpses)


def with_portraits(model: Model, portraits: Portraits) -> Model:
    """Return the model with what its report will show."""
    arrays = {f"{PREFIX}_labelled": portraits.labelled, f"{PREFIX}_sorted": portraits.sorted}
    settings: list[dict[str, Any] | None] = []
    for place, each in enumerate(portraits.glimpses):
        settings.append(None if each is None else each.to_dict())
        parts = {} if each is None else each.to_arrays()
        arrays |= {f"{PREFIX}_{place}_{name}": values for name, values in parts.items()}
    return replace(model, arrays={**model.arrays, **arrays}, settings={**model.settings, PREFIX: settings})


def stored_portraits(model: Model) -> Portraits | None:
    """Return what `with_portraits` put into the model; None if it was made without."""
    if PREFIX not in model.settings:
        return None
    glimpses = []
    for place, settings in enumerate(model.settings[PREFIX]):
        begin = f"{PREFIX}_{place}_"
        arrays = {name.removeprefix(begin): array for name, array in model.arrays.items() if name.startswith(begin)}
        glimpses.append(None if settings is None else Glimpse.from_parts(arrays, settings))
    return Portraits(model.arrays[f"{PREFIX}_labelled"], model.arrays[f"{PREFIX}_sorted"], tuple(glimpses))


def _glimpse(release: Release) -> Glimpse | None:
    try:
        return glimpse(release)
    except TacitError:
        # Another kind of release, or a mechanism that this version cannot draw: the report does without.
        return None


def _means(X: Rows, codes: Any, n_classes: int) -> FloatArray:
    means = np.zeros((n_classes, X.shape[1]))
    for code in range(n_classes):
        if (codes == code).any():
            means[code] = X[codes == code].mean(axis=0)
    return means
