"""The parts of a transfer classifier as arrays and settings of a model file, and back."""

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from tacit.adoption.pictures.drifting_means import DriftedMeans
from tacit.adoption.pictures.learned_scores import FeatureScores, stored_geometry, stored_neighbours
from tacit.adoption.pictures.printed import PrintedTransfer
from tacit.adoption.pictures.self_training import SelfTrained
from tacit.adoption.pictures.source_scores import SourceScores
from tacit.adoption.pictures.views import NOTES, PrincipalAxes, RowView
from tacit.arrays import Arrays
from tacit.checks import one_of
from tacit.errors import ReleaseError
from tacit.kinds.registry import kind_by_name
from tacit.models.class_moments.frames import ColumnFrame, frame_parts, stored_frame
from tacit.models.membership.storage import classifier_from_arrays, classifier_to_arrays, mapping_parts, stored_mapping
from tacit.releases.lesson import ScoreFunction

Settings = dict[str, Any]


def trained_arrays(trained: SelfTrained, prefix: str) -> Arrays:
    """Return what self-training learned as arrays whose names begin with ``prefix``."""
    return {
        **classifier_to_arrays(trained.first, f"{prefix}_first"),
        **classifier_to_arrays(trained.last, f"{prefix}_last"),
        f"{prefix}_means": trained.means.means,
        f"{prefix}_scales": trained.scales,
        f"{prefix}_weights": trained.weights,
        f"{prefix}_labelled": trained.labelled_scores,
    }


def stored_trained(arrays: Mapping[str, NDArray[Any]], prefix: str) -> SelfTrained:
    """Return what ``trained_arrays`` took apart."""
    return SelfTrained(
        first=classifier_from_arrays(arrays, f"{prefix}_first"),
        last=classifier_from_arrays(arrays, f"{prefix}_last"),
        means=DriftedMeans(arrays[f"{prefix}_means"]),
        scales=arrays[f"{prefix}_scales"],
        weights=arrays[f"{prefix}_weights"],
        labelled_scores=arrays[f"{prefix}_labelled"],
    )


def axes_arrays(axes: PrincipalAxes, prefix: str) -> Arrays:
    """Return principal axes, and the frame of their view, as arrays whose names begin with ``prefix``."""
    arrays: Arrays = {f"{prefix}_centre": axes.centre, f"{prefix}_directions": axes.directions}
    return arrays if axes.view.frame is None else arrays | _named(frame_parts(axes.view.frame)[0], prefix)


def view_settings(view: RowView) -> Settings:
    """Return a view as JSON-ready settings."""
    return {"form": view.form, "frame": None if view.frame is None else frame_parts(view.frame)[1]}


def stored_axes(arrays: Mapping[str, NDArray[Any]], prefix: str, settings: Settings) -> PrincipalAxes:
    """Return the axes that ``axes_arrays`` and ``view_settings`` took apart."""
    frame = None if settings["frame"] is None else stored_frame(_under(arrays, prefix), settings["frame"])
    if isinstance(frame, ColumnFrame):
        raise ReleaseError("the model file has a view through shared columns, which views never are.")
    view = RowView(one_of("form", settings["form"], tuple(NOTES)), frame)
    return PrincipalAxes(view, arrays[f"{prefix}_centre"], arrays[f"{prefix}_directions"])


def source_parts(source: SourceScores, prefix: str) -> tuple[Arrays, Settings]:
    """Return a source as arrays whose names begin with ``prefix``, and JSON-ready settings."""
    arrays, scores = source.scores.to_parts()
    settings = {
        "kind": source.kind,
        "classes": [list(pair) for pair in source.classes.items()],
        "n_classes": source.n_classes,
        "spread": source.spread,
        "note": source.note,
        "scores": scores,
    }
    return _named(arrays, prefix), settings


def all_source_parts(sources: Sequence[SourceScores]) -> tuple[Arrays, list[Settings]]:
    """Return the sources of a model as arrays, and settings of each."""
    parts = [source_parts(source, f"opinion_{place}") for place, source in enumerate(sources)]
    return {name: array for arrays, _ in parts for name, array in arrays.items()}, [settings for _, settings in parts]


def all_stored_sources(arrays: Mapping[str, NDArray[Any]], settings: Sequence[Settings]) -> list[SourceScores]:
    """Return the sources that ``all_source_parts`` took apart."""
    return [stored_source(arrays, source, f"opinion_{place}") for place, source in enumerate(settings)]


def stored_source(arrays: Mapping[str, NDArray[Any]], settings: Settings, prefix: str) -> SourceScores:
    """Return the source that ``source_parts`` took apart."""
    # Files written before kinds were mixed hold sources of one kind only.
    kind = str(settings.get("kind", "class_moments"))
    return SourceScores(
        kind=kind,
        scores=_scores(kind, _under(arrays, prefix), settings["scores"]),
        classes={int(ours): int(theirs) for ours, theirs in settings["classes"]},
        n_classes=int(settings["n_classes"]),
        spread=float(settings["spread"]),
        note=str(settings["note"]),
    )


def _scores(kind: str, arrays: Arrays, settings: Settings) -> ScoreFunction:
    """Return scores that our labels taught, by their form, or those that the kind of release stored."""
    form = settings.get("form")
    if form == "geometry":
        return stored_geometry(arrays, settings)
    if form == "neighbours":
        return stored_neighbours(arrays, settings)
    if form == "features":
        features = kind_by_name(kind).stored_features(arrays, settings["features"])
        return FeatureScores(features, arrays["W"], arrays["b"])
    return kind_by_name(kind).stored_scores(arrays, settings)


def _named(arrays: Arrays, prefix: str) -> Arrays:
    return {f"{prefix}_{name}": array for name, array in arrays.items()}


def _under(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Arrays:
    start = f"{prefix}_"
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}


def printed_parts(printed: PrintedTransfer, prefix: str) -> tuple[Arrays, Settings]:
    """Return the printed combination with one release as arrays and settings."""
    arrays, numbers = mapping_parts(printed.bridge)
    arrays = _named(arrays, f"{prefix}_bridge")
    arrays |= classifier_to_arrays(printed.source, f"{prefix}_source")
    arrays |= classifier_to_arrays(printed.target, f"{prefix}_target")
    if printed.to_source is not None:
        arrays[f"{prefix}_to_source"] = printed.to_source
    return arrays, {"numbers": numbers}


def stored_printed(arrays: Mapping[str, NDArray[Any]], settings: Settings, prefix: str) -> PrintedTransfer:
    """Return what ``printed_parts`` took apart."""
    return PrintedTransfer(
        to_source=arrays.get(f"{prefix}_to_source"),
        source=classifier_from_arrays(arrays, f"{prefix}_source"),
        target=classifier_from_arrays(arrays, f"{prefix}_target"),
        bridge=stored_mapping(_under(arrays, f"{prefix}_bridge"), settings["numbers"]),
    )
