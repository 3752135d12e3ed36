"""A fitted transfer classifier as the file that a receiver keeps, and back."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.adoption.classifier import Evidence, TransferClassifier
from tacit.adoption.drifting_means import DriftedMeans
from tacit.adoption.printed import PrintedTransfer
from tacit.adoption.self_training import SelfTrained
from tacit.adoption.source_scores import GeometryScores, Opinion, Scores
from tacit.adoption.views import NOTES, Basis, View
from tacit.arrays import Arrays
from tacit.checks import one_of
from tacit.data.schema import Schema
from tacit.errors import ReleaseError
from tacit.models.class_moments.discriminants import LinearScores, QuadraticScores
from tacit.models.class_moments.features import ImageFeatures, TableFeatures
from tacit.models.class_moments.frames import ColumnFrame, Frame, ImageFrame
from tacit.models.membership.mapping import MembershipMapping
from tacit.models.membership.solution import MappingSolution
from tacit.models.membership.storage import classifier_from_arrays, classifier_to_arrays
from tacit.releases.model import Model

KIND = "transfer_model"
QUADRATIC = ("middle", "basis", "means", "whitening", "offsets")
LAYER = ("landmarks", "scales", "coefficients")

Settings = dict[str, Any]


def classifier_to_model(model: TransferClassifier) -> Model:
    """Return the model file of a fitted classifier; it holds landmarks made of the receiver's rows."""
    arrays: Arrays = {
        **_basis_arrays(model.own_basis_, "own"),
        **_basis_arrays(model.basis_, "view"),
        "classes": np.asarray(model.classes_),
        **_trained_arrays(model.alone_, "alone"),
        **_trained_arrays(model.in_view_, "in_view"),
        **_trained_arrays(model.joined_, "joined"),
    }
    opinions = []
    for place, opinion in enumerate(model.opinions_):
        more, settings = opinion_parts(opinion, f"opinion_{place}")
        arrays.update(more)
        opinions.append(settings)
    printed = []
    for place, each in enumerate(model.printed_):
        more, settings = _printed_parts(each, f"printed_{place}")
        arrays.update(more)
        printed.append(settings)
    content = {
        "opinions": opinions,
        "printed": printed,
        "combine": model.combine,
        "evidence": model.evidence_.to_dict(),
        "own": _view_settings(model.own_basis_.view),
        "view": _view_settings(model.basis_.view),
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
    model.own_basis_ = _basis(arrays, "own", settings["own"])
    model.basis_ = _basis(arrays, "view", settings["view"])
    model.n_features_in_ = len(schema.encoded_names)
    model.alone_, model.in_view_, model.joined_ = (_trained(arrays, each) for each in ("alone", "in_view", "joined"))
    model.opinions_ = [opinion_from(arrays, each, f"opinion_{k}") for k, each in enumerate(settings["opinions"])]
    model.printed_ = [_printed(arrays, each, f"printed_{k}") for k, each in enumerate(settings["printed"])]
    model.evidence_ = Evidence.from_dict(settings["evidence"])
    return model


def _trained_arrays(trained: SelfTrained, prefix: str) -> Arrays:
    return {
        **classifier_to_arrays(trained.first, f"{prefix}_first"),
        **classifier_to_arrays(trained.last, f"{prefix}_last"),
        f"{prefix}_means": trained.means.means,
        f"{prefix}_scales": trained.scales,
        f"{prefix}_weights": trained.weights,
        f"{prefix}_labelled": trained.labelled_scores,
    }


def _trained(arrays: Mapping[str, NDArray[Any]], prefix: str) -> SelfTrained:
    return SelfTrained(
        first=classifier_from_arrays(arrays, f"{prefix}_first"),
        last=classifier_from_arrays(arrays, f"{prefix}_last"),
        means=DriftedMeans(arrays[f"{prefix}_means"]),
        scales=arrays[f"{prefix}_scales"],
        weights=arrays[f"{prefix}_weights"],
        labelled_scores=arrays[f"{prefix}_labelled"],
    )


def _basis_arrays(basis: Basis, prefix: str) -> Arrays:
    arrays: Arrays = {f"{prefix}_centre": basis.centre, f"{prefix}_directions": basis.directions}
    return arrays if basis.view.frame is None else arrays | _frame_parts(basis.view.frame, prefix)[0]


def _view_settings(view: View) -> Settings:
    return {"form": view.form, "frame": None if view.frame is None else _frame_parts(view.frame, "")[1]}


def _basis(arrays: Mapping[str, NDArray[Any]], prefix: str, settings: Settings) -> Basis:
    frame = None if settings["frame"] is None else _frame(arrays, settings["frame"], prefix)
    if isinstance(frame, ColumnFrame):
        raise ReleaseError("the model file has a view through shared columns, which views never are.")
    view = View(one_of("form", settings["form"], tuple(NOTES)), frame)
    return Basis(view, arrays[f"{prefix}_centre"], arrays[f"{prefix}_directions"])


def opinion_parts(opinion: Opinion, prefix: str) -> tuple[Arrays, Settings]:
    """Return an opinion as arrays whose names begin with ``prefix``, and JSON-ready settings."""
    arrays, scores = _scores_parts(opinion.scores, prefix)
    settings = {
        "classes": [list(pair) for pair in opinion.classes.items()],
        "n_classes": opinion.n_classes,
        "spread": opinion.spread,
        "note": opinion.note,
        "scores": scores,
    }
    return arrays, settings


def opinion_from(arrays: Mapping[str, NDArray[Any]], settings: Settings, prefix: str) -> Opinion:
    """Return the opinion that ``opinion_parts`` took apart."""
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
            arrays, numbers = _mapping_parts(scores.mapping, prefix)
            return {**arrays, f"{prefix}_places": scores.places}, {"form": "geometry", "numbers": numbers}


def _scores(arrays: Mapping[str, NDArray[Any]], settings: Settings, prefix: str) -> Scores:
    if settings["form"] == "linear":
        image = settings["image"]
        features = ImageFeatures(tuple(image)) if image else TableFeatures(int(settings["n_columns"]))
        frame = _frame(arrays, settings["frame"], prefix)
        return LinearScores(frame, features, arrays[f"{prefix}_W"], arrays[f"{prefix}_b"])
    if settings["form"] == "quadratic":
        parts: dict[str, Any] = {name: arrays[f"{prefix}_{name}"] for name in QUADRATIC}
        return QuadraticScores(frame=_frame(arrays, settings["frame"], prefix), **parts)
    return GeometryScores(_mapping(arrays, settings["numbers"], prefix), arrays[f"{prefix}_places"])


def _mapping_parts(mapping: MembershipMapping, prefix: str) -> tuple[Arrays, list[float]]:
    layer = mapping.mapping_
    arrays = {f"{prefix}_{name}": getattr(layer, name) for name in LAYER}
    return arrays, [layer.smoothing, layer.variance, layer.noise]


def _mapping(arrays: Mapping[str, NDArray[Any]], numbers: Sequence[float], prefix: str) -> MembershipMapping:
    layer: dict[str, Any] = {name: arrays[f"{prefix}_{name}"] for name in LAYER}
    smoothing, variance, noise = (float(number) for number in numbers)
    mapping = MembershipMapping()
    mapping.mapping_ = MappingSolution(**layer, smoothing=smoothing, variance=variance, noise=noise)
    mapping._one_output = False  # noqa: SLF001 - classes have places, and rows, of several coordinates
    mapping.n_features_in_ = mapping.mapping_.landmarks.shape[1]
    return mapping


def _printed_parts(printed: PrintedTransfer, prefix: str) -> tuple[Arrays, Settings]:
    arrays, numbers = _mapping_parts(printed.bridge, f"{prefix}_bridge")
    arrays |= classifier_to_arrays(printed.source, f"{prefix}_source")
    arrays |= classifier_to_arrays(printed.target, f"{prefix}_target")
    if printed.to_source is not None:
        arrays[f"{prefix}_to_source"] = printed.to_source
    return arrays, {"numbers": numbers}


def _printed(arrays: Mapping[str, NDArray[Any]], settings: Settings, prefix: str) -> PrintedTransfer:
    return PrintedTransfer(
        to_source=arrays.get(f"{prefix}_to_source"),
        source=classifier_from_arrays(arrays, f"{prefix}_source"),
        target=classifier_from_arrays(arrays, f"{prefix}_target"),
        bridge=_mapping(arrays, settings["numbers"], f"{prefix}_bridge"),
    )


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
