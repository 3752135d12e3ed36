"""A fitted network as arrays and settings of a model file, and back."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Arrays
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.semi_supervised.classifier import SharpenedClassifier
from tacit.models.semi_supervised.inputs import ColumnLayout, InputLayout, PictureLayout

COLUMNS = ("centre", "scale", "features", "spread", "low", "high")


def stored_learner(
    arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any], schema: Schema, prefix: str
) -> SharpenedClassifier:
    """Return the fitted network whose arrays' names begin with ``prefix``."""
    learner = SharpenedClassifier(schema=schema)
    learner.layout_ = _layout(arrays, settings["layout"])
    learner.image_shape_ = learner.layout_.shape if isinstance(learner.layout_, PictureLayout) else None
    learner.classes_, learner.n_features_in_ = np.asarray(arrays["classes"]), len(schema.encoded_names)
    learner.temperature_ = float(settings["temperature"])
    learner.network_ = _network(arrays, learner.layout_.network_shape, len(learner.classes_), prefix)
    return learner


def network_arrays(network: Any, prefix: str) -> Arrays:
    """Return a network's weights, their names beginning with ``prefix``."""
    return {_name(prefix, key): value.detach().cpu().numpy() for key, value in network.state_dict().items()}


def _network(arrays: Mapping[str, NDArray[Any]], shape: tuple[int, ...], n_classes: int, prefix: str) -> Any:
    try:
        import torch  # noqa: PLC0415 - an extra, needed only here
    except ModuleNotFoundError:
        raise InputError('the model holds a network, which needs torch: pip install "tacit-knowledge[deep]".') from None
    from tacit.models.semi_supervised import networks  # noqa: PLC0415 - needs torch

    network = networks.default_network(shape, n_classes)
    wanted = network.state_dict()
    network.load_state_dict({key: torch.from_numpy(np.array(arrays[_name(prefix, key)])) for key in wanted})
    return networks.in_fast_layout(network).eval()


def _name(prefix: str, key: str) -> str:
    return f"{prefix}_{key.replace('.', '_')}"


def layout_arrays(layout: InputLayout) -> Arrays:
    """Return how columns are laid out for a network; pictures need no arrays."""
    return {f"columns_{name}": getattr(layout, name) for name in COLUMNS} if isinstance(layout, ColumnLayout) else {}


def layout_settings(layout: InputLayout) -> dict[str, Any] | None:
    """Return how pictures are laid out for a network; None for columns."""
    if isinstance(layout, ColumnLayout):
        return None
    return {"shape": list(layout.shape), "low": layout.low, "high": layout.high}


def _layout(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any] | None) -> InputLayout:
    if settings is None:
        return ColumnLayout(**{name: arrays[f"columns_{name}"] for name in COLUMNS})
    return PictureLayout(
        tuple(int(side) for side in settings["shape"]), float(settings["low"]), float(settings["high"])
    )
