"""Class means of a receiver's table and previews of its releases, kept in the model file for its report."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tacit.arrays import FloatArray, Rows
from tacit.kinds.class_moments.preview import ReleasePreview, optional_preview
from tacit.records import record
from tacit.releases.file import Model, Release

# Names in the model file: this setting holds the previews' settings, and the names of the arrays begin with it.
PREFIX = "report"


@record
class TableSummary:
    """Class means of the receiver's rows in [0, 1], and a preview of each release (None for kinds without one)."""

    labelled: FloatArray
    """[C, p]: means of the labelled rows of each class; zeros for a class without any."""
    predicted: FloatArray
    """[C, p]: means of all rows by the class that the adopted model predicts for them."""
    previews: tuple[ReleasePreview | None, ...]
    """One for each release."""


def summarise_table(X: Rows, y: Any, predicted: Any, n_classes: int, releases: Sequence[Release]) -> TableSummary:
    """Return the summary of rows ``X`` with class codes ``y`` (−1 unlabelled) and ``predicted`` class codes."""
    previews = tuple(optional_preview(release) for release in releases)
    return TableSummary(_means(X, np.asarray(y), n_classes), _means(X, np.asarray(predicted), n_classes), previews)


def with_summary(model: Model, summary: TableSummary) -> Model:
    """Return the model with the summary among its arrays and settings."""
    arrays = {f"{PREFIX}_labelled": summary.labelled, f"{PREFIX}_sorted": summary.predicted}
    settings: list[dict[str, Any] | None] = []
    for place, preview in enumerate(summary.previews):
        settings.append(None if preview is None else preview.to_dict())
        parts = {} if preview is None else preview.to_arrays()
        arrays |= {f"{PREFIX}_{place}_{name}": values for name, values in parts.items()}
    return replace(model, arrays={**model.arrays, **arrays}, settings={**model.settings, PREFIX: settings})


def stored_summary(model: Model) -> TableSummary | None:
    """Return the summary that `with_summary` stored in the model, None if there is none."""
    if PREFIX not in model.settings:
        return None
    previews = []
    for place, settings in enumerate(model.settings[PREFIX]):
        start = f"{PREFIX}_{place}_"
        arrays = {name.removeprefix(start): array for name, array in model.arrays.items() if name.startswith(start)}
        previews.append(None if settings is None else ReleasePreview.from_parts(arrays, settings))
    return TableSummary(model.arrays[f"{PREFIX}_labelled"], model.arrays[f"{PREFIX}_sorted"], tuple(previews))


def _means(X: Rows, codes: Any, n_classes: int) -> FloatArray:
    means = np.zeros((n_classes, X.shape[1]))
    for code in range(n_classes):
        of_class = codes == code
        if of_class.any():
            # Not of a copy of the class: it may be as large as the table.
            means[code] = X.mean(axis=0, where=of_class[:, None])
    return means
