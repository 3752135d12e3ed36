"""A fitted affine hull classifier as the file that its owner keeps, and back."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Arrays, IntArray
from tacit.errors import ReleaseError
from tacit.models.affine_hull.classifier import AffineHullClassifier
from tacit.models.affine_hull.layers import DeepHull, narrowed
from tacit.models.affine_hull.solution import Hull
from tacit.releases.file import Model

KIND = "affine_hull_classifier"
SETTINGS = ("n_components", "n_layers", "part_size", "overlap", "rank")
COLUMNS = ("code", "rows", "components", "directions", "layers")
"""What a line of ``shapes`` says of a part; code is the place of its class."""


def classifier_to_model(model: AffineHullClassifier) -> Model:
    """Return the model file of a fitted classifier: for each training row its encoding and a row of coefficients.

    Parts of one kind lie one after another in one array, so that their number is not limited. Deeper layers see
    leading columns of the encodings of the first, which are therefore kept once.
    """
    parts = [part for hull in model.hulls_ for part in hull]
    codes = [code for code, hull in enumerate(model.hulls_) for _ in hull]
    layers = [layer for part in parts for layer in part.layers]
    arrays: Arrays = {
        "shapes": np.array([(code, *_shape(part)) for code, part in zip(codes, parts, strict=True)], dtype=np.int64),
        "means": np.stack([part.mean for part in parts]),
        "directions": np.concatenate([part.directions for part in parts]),
        "scales": np.concatenate([part.scales for part in parts]),
        "encodings": np.concatenate([part.layers[0].encodings.ravel() for part in parts]),
        "coefficients": np.concatenate([layer.coefficients.ravel() for layer in layers]),
        "numbers": np.array([(layer.radius, layer.smoothing) for layer in layers]),
    }
    settings = {name: getattr(model, name) for name in SETTINGS}
    return Model(KIND, arrays, {"classes": model.classes_.tolist(), **settings})


def classifier_from_model(file: Model) -> AffineHullClassifier:
    """Return the classifier in a model file."""
    if file.kind != KIND:
        raise ReleaseError(f"the model must be of kind {KIND!r}; got {file.kind!r}.")
    try:
        return _rebuilt(file)
    except (KeyError, TypeError, ValueError, IndexError) as problem:
        raise ReleaseError(f"the model file misses a part of the classifier: {problem}.") from problem


def _shape(part: DeepHull) -> tuple[int, int, int, int]:
    rows, components = part.layers[0].encodings.shape
    return rows, components, len(part.directions), len(part.layers)


def _rebuilt(file: Model) -> AffineHullClassifier:
    model = AffineHullClassifier(**{name: file.settings[name] for name in SETTINGS})
    model.classes_ = np.asarray(file.settings["classes"])
    model.hulls_ = [[] for _ in model.classes_]
    for code, part in zip(file.arrays["shapes"][:, 0].tolist(), _parts(file.arrays), strict=True):
        model.hulls_[code].append(part)
    if not all(model.hulls_):
        raise ValueError("a class has no part")
    model.n_features_in_ = file.arrays["means"].shape[1]
    return model


def _parts(arrays: Mapping[str, NDArray[Any]]) -> Iterator[DeepHull]:
    shapes = arrays["shapes"]
    if shapes.ndim != 2 or shapes.shape[1] != len(COLUMNS) or (shapes < [0, 1, 1, 1, 1]).any():
        raise ValueError("shapes of parts")
    _, n_rows, n_components, n_directions, n_layers = shapes.T
    directions = _pieces(arrays["directions"], n_directions)
    scales = _pieces(arrays["scales"], n_components)
    encodings = _pieces(arrays["encodings"], n_rows * n_components)
    coefficients = _pieces(arrays["coefficients"], np.repeat(n_rows * (n_directions + 1), n_layers))
    numbers = _pieces(arrays["numbers"], n_layers)
    for mean, (_, rows, components, *_) in zip(arrays["means"], shapes.tolist(), strict=True):
        U = next(encodings).reshape(rows, components)
        layers = tuple(
            Hull(narrowed(U, components - above), next(coefficients).reshape(rows, -1), radius, smoothing)
            for above, (radius, smoothing) in enumerate(next(numbers).tolist())
        )
        yield DeepHull(mean, next(directions), next(scales), layers)


def _pieces(array: NDArray[Any], lengths: IntArray) -> Iterator[NDArray[Any]]:
    """Yield pieces of these lengths, which must make up the whole array."""
    ends = np.cumsum(lengths)
    if ends[-1] != len(array):
        raise ValueError("arrays of other lengths than their shapes say")
    return iter(np.split(array, ends[:-1]))
