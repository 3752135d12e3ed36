"""A fitted network that adopted releases, as the file that a receiver keeps, and back."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.adoption.evidence import Evidence
from tacit.adoption.network import SharpenedTransfer
from tacit.adoption.storage import source_parts, stored_source
from tacit.adoption.stored_model import rebuilt, stored_classes
from tacit.arrays import Arrays
from tacit.data.schema import Schema
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
        **_network_arrays(learner.network_, "network"),
        **_network_arrays(model.alone_.network_, "alone"),
        **_layout_arrays(learner.layout_),
    }
    sources = []
    for place, source in enumerate(model.sources_):
        parts, settings = source_parts(source, f"opinion_{place}")
        arrays |= parts
        sources.append(settings)
    content = {
        "layout": _layout_settings(learner.layout_),
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
    model.learner_, model.alone_ = (_learner(arrays, settings, model, prefix) for prefix in ("network", "alone"))
    return model


def _learner(
    arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any], model: SharpenedTransfer, prefix: str
) -> SharpenedClassifier:
    learner = SharpenedClassifier(schema=model.schema_)
    learner.layout_ = _layout(arrays, settings["layout"])
    learner.image_shape_ = learner.layout_.shape if isinstance(learner.layout_, PictureLayout) else None
    learner.classes_, learner.n_features_in_ = model.classes_, model.n_features_in_
    learner.temperature_ = float(settings["temperature"])
    learner.network_ = _network(arrays, learner.layout_.network_shape, len(model.classes_), prefix)
    return learner


def _network_arrays(network: Any, prefix: str) -> Arrays:
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


def _layout_arrays(layout: Layout) -> Arrays:
    return {f"columns_{name}": getattr(layout, name) for name in COLUMNS} if isinstance(layout, ColumnLayout) else {}


def _layout_settings(layout: Layout) -> dict[str, Any] | None:
    if isinstance(layout, ColumnLayout):
        return None
    return {"shape": list(layout.shape), "low": layout.low, "high": layout.high}


def _layout(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any] | None) -> Layout:
    if settings is None:
        return ColumnLayout(**{name: arrays[f"columns_{name}"] for name in COLUMNS})
    return PictureLayout(
        tuple(int(side) for side in settings["shape"]), float(settings["low"]), float(settings["high"])
    )
