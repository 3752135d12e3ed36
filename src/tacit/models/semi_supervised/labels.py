"""Labels as a classifier reads them: codes, soft labels of others, how common classes are, and which are held out."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit import checks
from tacit.arrays import BoolArray, FloatArray
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.class_labels import partial_codes, require_two_classes

# From so many labelled rows, and so many of each class, some can be held out without hurting.
ENOUGH, ENOUGH_EACH = 1000, 20
HELD_OUT = 0.2


def class_codes(y: ArrayLike, schema: Schema | None) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the classes and each row's code, -1 where unlabelled; refuse labels of fewer than two classes."""
    classes, codes = partial_codes(y, None if schema is None else schema.classes or None)
    require_two_classes(codes)
    return classes, codes


def checked_guide(guide: ArrayLike, shape: tuple[int, int]) -> FloatArray:
    """Return soft labels [N, K], one row for each of X and one column for each class, each row summing to 1."""
    soft = checks.finite_array("guide", guide)
    if soft.shape != shape:
        raise InputError(
            f"guide must have a row for each row of X and a column for each class, {shape}; got {soft.shape}."
        )
    if (soft < 0).any() or not np.allclose(soft.sum(axis=1), 1.0, rtol=0, atol=1e-3):
        raise InputError("guide must hold probabilities: numbers of at least 0 that sum to 1 in each row; got others.")
    scaled: FloatArray = soft / soft.sum(axis=1, keepdims=True)
    return scaled


def class_shares(codes: NDArray[np.intp], n_classes: int, prior: ArrayLike | None) -> FloatArray:
    """Return how common each class is [K]: as given, or as among the codes with one more row of each class."""
    if prior is None:
        counts = np.bincount(codes, minlength=n_classes).astype(np.float64) + 1.0
        return counts / float(counts.sum())
    shares = checks.finite_array("class_prior", prior)
    if shares.shape != (n_classes,) or (shares < 0).any() or shares.sum() <= 0:
        raise InputError(
            f"class_prior must hold a number of at least 0 for each of {n_classes} classes; got {prior!r}."
        )
    return shares / float(shares.sum())


def held_out(codes: NDArray[np.intp], fraction: float | str, generator: Any) -> BoolArray:
    """Return which labelled rows are held out, the same share of each class, and never a class's last row."""
    counts = np.bincount(codes)
    if fraction == "auto":
        enough = len(codes) >= ENOUGH and counts[counts > 0].min() >= ENOUGH_EACH
        fraction = HELD_OUT if enough else 0.0
    share = checks.fraction("validation_fraction", fraction, zero=True)
    held = np.zeros(len(codes), dtype=bool)
    for code in np.flatnonzero(counts):
        members = generator.permutation(np.flatnonzero(codes == code))
        held[members[: min(round(share * len(members)), len(members) - 1)]] = True
    return held
