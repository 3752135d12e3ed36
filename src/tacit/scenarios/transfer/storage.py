"""A fitted transfer classifier as the file that a receiver keeps, and back."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.data.schema import Schema
from tacit.errors import ReleaseError
from tacit.models.membership import MembershipMapping
from tacit.models.membership_solution import Mapping as MembershipLayer
from tacit.models.membership_storage import classifier_from_arrays, classifier_to_arrays
from tacit.release.model import Model
from tacit.scenarios.transfer.classifier import Basis, Evidence, TransferClassifier
from tacit.scenarios.transfer.features import ImageFeatures, TableFeatures
from tacit.scenarios.transfer.frames import ColumnFrame, Frame, ImageFrame
from tacit.scenarios.transfer.opinions import GeometryScores, Opinion, Scores
from tacit.scenarios.transfer.scores import LinearScores, QuadraticScores
from tacit.scenarios.transfer.self_training import SelfTrained

KIND = "transfer_model"
QUADRATIC = ("middle", "basis", "means", "whitening", "offsets")
LAYER = ("landmarks", "scales", "coefficients")

Arrays = dict[str, NDArray[Any]]
Settings = dict[str, Any]


def classifier_to_model(model: TransferClassifier) -> Model:
    """Return the model file of a fitted classifier; it holds landmarks made of the receiver's rows."""
    arrays: Arrays = {
        **_basis_arrays(model.own_basis_, "own"),
        **_basis_arrays(model.joined_basis_, "view"),
        "classes": np.asarray(model.classes_),
        **_trained_arrays(model.alone_, "alone"),
        **_trained_arrays(model.joined_, "joined"),
    }
    opinions = []
    for place, opinion in enumerate(model.opinions_):
        more, settings = _opinion_parts(opinion, f"opinion_{place}")
        arrays.update(more)
        opinions.append(settings)
    content = {
        "opinions": opinions,
        "combine": model.combine,
        "evidence": model.evidence_.to_dict(),
        "view": None if model.joined_basis_.frame is None else _frame_parts(model.joined_basis_.frame, "view")[1],
    }
    cards = tuple(release.card for release in model.releases)
    return Model(KIND, arrays, content, cards, model.schema_.to_dict())


def classifier_from_model(file: Model) -> TransferClassifier:
    """Return the classifier in a model file."""
    if file.kind != KIND or file.schema is None:
        raise ReleaseError(f"the model is of kind {file.kind!r}; `tacit adopt` makes models of kind {KIND!r}.")
    try:
        return _rebuilt(file)
    except (KeyError, TypeError, ValueError, IndexError) as problem:
        raise ReleaseError(f"the model file misses a part of the classifier: {problem}.") from problem


def _rebuilt(file: Model) -> TransferClassifier:
    settings: Settings = dict(file.settings)
    schema = Schema.from_dict(file.schema or {}, source="the model's schema")
    model = TransferClassifier(schema=schema, combine=str(settings["combine"]))
    arrays = file.arrays
    model.schema_ = schema
    model.classes_ = np.asarray(arrays["classes"])
    model.own_basis_ = _basis(arrays, "own", None)
    model.joined_basis_ = _basis(arrays, "view", settings["view"])
    model.n_features_in_ = model.own_basis_.directions.shape[1]
    model.alone_, model.joined_ = _trained(arrays, "alone"), _trained(arrays, "joined")
    model.opinions_ = [_opinion(arrays, each, f"opinion_{k}") for k, each in enumerate(settings["opinions"])]
    model.evidence_ = Evidence.from_dict(settings["evidence"])
    return model


def _trained_arrays(trained: SelfTrained, prefix: str) -> Arrays:
    return {
        **classifier_to_arrays(trained.first, f"{prefix}_first"),
        **classifier_to_arrays(trained.last, f"{prefix}_last"),
        f"{prefix}_scales": trained.scales,
        f"{prefix}_weights": trained.weights,
        f"{prefix}_labelled": trained.labelled_scores,
    }


def _trained(arrays: Mapping[str, NDArray[Any]], prefix: str) -> SelfTrained:
    return SelfTrained(
        first=classifier_from_arrays(arrays, f"{prefix}_first"),
        last=classifier_from_arrays(arrays, f"{prefix}_last"),
        scales=arrays[f"{prefix}_scales"],
        weights=arrays[f"{prefix}_weights"],
        labelled_scores=arrays[f"{prefix}_labelled"],
    )


def _basis_arrays(basis: Basis, prefix: str) -> Arrays:
    arrays: Arrays = {f"{prefix}_centre": basis.centre, f"{prefix}_directions": basis.directions}
    return arrays if basis.frame is None else arrays | _frame_parts(basis.frame, prefix)[0]


def _basis(arrays: Mapping[str, NDArray[Any]], prefix: str, frame: Settings | None) -> Basis:
    seen_through = None if frame is None else _frame(arrays, frame, prefix)
    return Basis(arrays[f"{prefix}_centre"], arrays[f"{prefix}_directions"], seen_through)


def _opinion_parts(opinion: Opinion, prefix: str) -> tuple[Arrays, Settings]:
    arrays, scores = _scores_parts(opinion.scores, prefix)
    settings = {
        "classes": [list(pair) for pair in opinion.classes.items()],
        "n_classes": opinion.n_classes,
        "spread": opinion.spread,
        "note": opinion.note,
        "scores": scores,
    }
    return arrays, settings


def _opinion(arrays: Mapping[str, NDArray[Any]], settings: Settings, prefix: str) -> Opinion:
    return Opinion(
        scores=_scores(arrays, settings["scores"], prefix),
        classes={int(ours): int(theirs) for ours, theirs in settings["classes"]},
        n_classes=int(settings["n_classes"]),
        spread=float(settings["spread"]),
        note=str(settings["note"]),
    )


def _scores_parts(scores: Scores, prefix: str) -> tuple[Arrays, Settings]:
    match scores:
        case LinearScores():
            arrays, frame = _frame_parts(scores.frame, prefix)
            shape = list(scores.features.shape) if isinstance(scores.features, ImageFeatures) else None
            arrays |= {f"{prefix}_W": scores.W, f"{prefix}_b": scores.b}
            return arrays, {"form": "linear", "frame": frame, "image": shape, "n_columns": scores.features.size}
        case QuadraticScores():
            arrays, frame = _frame_parts(scores.frame, prefix)
            arrays |= {f"{prefix}_{name}": getattr(scores, name) for name in QUADRATIC}
            return arrays, {"form": "quadratic", "frame": frame}
        case GeometryScores():
            layer = scores.mapping.mapping_
            arrays = {f"{prefix}_{name}": getattr(layer, name) for name in LAYER}
            arrays[f"{prefix}_places"] = scores.places
            return arrays, {"form": "geometry", "numbers": [layer.smoothing, layer.variance, layer.noise]}


def _scores(arrays: Mapping[str, NDArray[Any]], settings: Settings, prefix: str) -> Scores:
    if settings["form"] == "linear":
        image = settings["image"]
        features = ImageFeatures(tuple(image)) if image else TableFeatures(int(settings["n_columns"]))
        frame = _frame(arrays, settings["frame"], prefix)
        return LinearScores(frame, features, arrays[f"{prefix}_W"], arrays[f"{prefix}_b"])
    if settings["form"] == "quadratic":
        parts: dict[str, Any] = {name: arrays[f"{prefix}_{name}"] for name in QUADRATIC}
        return QuadraticScores(frame=_frame(arrays, settings["frame"], prefix), **parts)
    layer: dict[str, Any] = {name: arrays[f"{prefix}_{name}"] for name in LAYER}
    smoothing, variance, noise = (float(number) for number in settings["numbers"])
    mapping = MembershipMapping()
    mapping.mapping_ = MembershipLayer(**layer, smoothing=smoothing, variance=variance, noise=noise)
    mapping._one_output = False  # noqa: SLF001 - classes have places of several coordinates
    mapping.n_features_in_ = mapping.mapping_.landmarks.shape[1]
    return GeometryScores(mapping, arrays[f"{prefix}_places"])


def _frame_parts(frame: Frame, prefix: str) -> tuple[Arrays, Settings]:
    arrays: Arrays = {f"{prefix}_positions": frame.positions}
    if isinstance(frame, ColumnFrame):
        arrays |= {f"{prefix}_{name}": getattr(frame, name) for name in ("scale", "shift", "theirs")}
        return arrays, {"note": frame.note}
    settings = {"shape": list(frame.shape), "frame": list(frame.frame), "scale": frame.scale, "centred": frame.centred}
    return arrays, {**settings, "note": frame.note}


def _frame(arrays: Mapping[str, NDArray[Any]], settings: Settings, prefix: str) -> Frame:
    positions = arrays[f"{prefix}_positions"]
    if "frame" not in settings:
        scale, shift, theirs = (arrays[f"{prefix}_{name}"] for name in ("scale", "shift", "theirs"))
        return ColumnFrame(positions, scale, shift, theirs, str(settings["note"]))
    return ImageFrame(
        positions,
        tuple(settings["shape"]),
        tuple(settings["frame"]),
        float(settings["scale"]),
        centred=bool(settings["centred"]),
        note=str(settings["note"]),
    )
