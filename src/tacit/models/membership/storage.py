"""A fitted membership classifier as named arrays, and back: for the file that a receiver keeps."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Arrays
from tacit.models.membership.classifier import MembershipClassifier
from tacit.models.membership.layers import DeepAutoencoder
from tacit.models.membership.mapping import MembershipMapping
from tacit.models.membership.solution import MappingSolution

LAYER = ("landmarks", "scales", "coefficients")


def classifier_to_arrays(model: MembershipClassifier, prefix: str) -> Arrays:
    """Return the parts of each class under names that begin with ``prefix``."""
    arrays: Arrays = {f"{prefix}_classes": np.asarray(model.classes_)}
    for code, parts in enumerate(model.autoencoders_):
        for place, part in enumerate(parts):
            name = f"{prefix}_{code}_{place}"
            arrays[f"{name}_directions"] = part.directions
            for depth, layer in enumerate(part.layers):
                arrays[f"{name}_{depth}_landmarks"] = layer.landmarks
                arrays[f"{name}_{depth}_scales"] = layer.scales
                arrays[f"{name}_{depth}_coefficients"] = layer.coefficients
                arrays[f"{name}_{depth}_numbers"] = np.array([layer.smoothing, layer.variance, layer.noise])
    return arrays


def classifier_from_arrays(arrays: Mapping[str, NDArray[Any]], prefix: str) -> MembershipClassifier:
    """Return the classifier that ``classifier_to_arrays`` wrote."""
    model = MembershipClassifier()
    model.classes_ = np.asarray(arrays[f"{prefix}_classes"])
    model.autoencoders_ = [_parts(arrays, f"{prefix}_{code}") for code in range(len(model.classes_))]
    model.n_features_in_ = model.autoencoders_[0][0].directions.shape[1]
    return model


def _parts(arrays: Mapping[str, NDArray[Any]], name: str) -> list[DeepAutoencoder]:
    parts: list[DeepAutoencoder] = []
    while f"{name}_{len(parts)}_directions" in arrays:
        part = f"{name}_{len(parts)}"
        parts.append(DeepAutoencoder(arrays[f"{part}_directions"], _layers(arrays, part)))
    return parts


def _layers(arrays: Mapping[str, NDArray[Any]], part: str) -> tuple[MappingSolution, ...]:
    layers: list[MappingSolution] = []
    while f"{part}_{len(layers)}_landmarks" in arrays:
        name = f"{part}_{len(layers)}"
        smoothing, variance, noise = (float(number) for number in arrays[f"{name}_numbers"])
        layers.append(
            MappingSolution(
                landmarks=arrays[f"{name}_landmarks"],
                scales=arrays[f"{name}_scales"],
                coefficients=arrays[f"{name}_coefficients"],
                smoothing=smoothing,
                variance=variance,
                noise=noise,
            )
        )
    return tuple(layers)


def mapping_parts(mapping: MembershipMapping) -> tuple[Arrays, list[float]]:
    """Return a fitted mapping of several outputs as arrays and numbers."""
    layer = mapping.mapping_
    return {name: getattr(layer, name) for name in LAYER}, [layer.smoothing, layer.variance, layer.noise]


def stored_mapping(arrays: Mapping[str, NDArray[Any]], numbers: Sequence[float]) -> MembershipMapping:
    """Return the mapping that ``mapping_parts`` took apart."""
    layer: dict[str, Any] = {name: arrays[name] for name in LAYER}
    smoothing, variance, noise = (float(number) for number in numbers)
    mapping = MembershipMapping()
    mapping.mapping_ = MappingSolution(**layer, smoothing=smoothing, variance=variance, noise=noise)
    mapping._one_output = False  # noqa: SLF001 - classes have places, and rows, of several coordinates
    mapping.n_features_in_ = mapping.mapping_.landmarks.shape[1]
    return mapping
