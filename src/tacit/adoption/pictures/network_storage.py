"""A fitted network that adopted releases, as the file that a receiver keeps, and back."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.adoption.evidence.picture_evidence import Evidence
from tacit.adoption.pictures.network import SharpenedTransfer
from tacit.adoption.pictures.storage import source_parts, stored_source
from tacit.adoption.stored_model import rebuilt, stored_classes
from tacit.arrays import Arrays
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.semi_supervised.classifier import SharpenedClassifier
from tacit.models.semi_supervised.inputs import ColumnLayout, Layout, PictureLayout
from tacit.releases.file import Model

KIND = "sharpened_model"
COLUMNS = ("centre", "scale", "features", "spread", "low", "high")


def receiver_to_model(model: SharpenedTransfer) -> Model:
    """Return the model file of a fitted classifier with the default network."""
    learner = model.learner_
    if learner.network is not None:
        raise InputError("learner must use the default network to be stored in a model file; yours is your own code.")
    arrays: Arrays = {
        "classes": stored_classes(model.classes_),
        "weights": model.weights_,
        **network_arrays(learner.network_, "network"),
        **network_arrays(model.alone_.network_, "alone"),
        **layout_arrays(learner.layout_),
    }
    sources = []
    for place, source in enumerate(model.sources_):
        parts, settings = source_parts(source, f"opinion_{place}")
        arrays |= parts
        sources.append(settings)
    content = {
        "layout": layout_settings(learner.layout_),
        "spread": model.spread_,
        "temperature": learner.temperature_,
        "opinions": sources,
        "evidence": model.evidence_.to_dict(),
    }
    cards = tuple(release.card for release in model.releases)
    return Model(KIND, arrays, content, cards, model.schema_.to_dict())


def receiver_from_model(file: Model) -> SharpenedTransfer:
    """Return the classifier in a model file."""
    return rebuilt(file, KIND, "`tacit adopt --learner sharpened`", _rebuilt)


def _rebuilt(file: Model, schema: Schema) -> SharpenedTransfer:
    arrays, settings = file.arrays, dict(file.settings)
    model = SharpenedTransfer(schema=schema)
    model.schema_, model.classes_ = schema, np.asarray(arrays["classes"])
    model.n_features_in_ = len(schema.encoded_names)
    model.weights_, model.spread_ = arrays["weights"], float(settings["spread"])
    model.sources_ = [stored_source(arrays, source, f"opinion_{k}") for k, source in enumerate(settings["opinions"])]
    model.evidence_ = Evidence.from_dict(settings["evidence"])
    model.learner_, model.alone_ = (stored_learner(arrays, settings, schema, each) for each in ("network", "alone"))
    return model


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


def layout_arrays(layout: Layout) -> Arrays:
    """Return how columns are laid out for a network; pictures need no arrays."""
    return {f"columns_{name}": getattr(layout, name) for name in COLUMNS} if isinstance(layout, ColumnLayout) else {}


def layout_settings(layout: Layout) -> dict[str, Any] | None:
    """Return how pictures are laid out for a network; None for columns."""
    if isinstance(layout, ColumnLayout):
        return None
    return {"shape": list(layout.shape), "low": layout.low, "high": layout.high}


def _layout(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any] | None) -> Layout:
    if settings is None:
        return ColumnLayout(**{name: arrays[f"columns_{name}"] for name in COLUMNS})
    return PictureLayout(
        tuple(int(side) for side in settings["shape"]), float(settings["low"]), float(settings["high"])
    )
