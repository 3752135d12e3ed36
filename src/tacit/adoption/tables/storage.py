"""A fitted engine, for classes or for a numeric target, as named arrays and settings of a model file, and back."""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from tacit.adoption.average.boosted_trees import BoostedTrees
from tacit.adoption.average.learned import Learned
from tacit.adoption.average.representation import Representation
from tacit.adoption.average.storage import (
    array_fields,
    average_parts,
    kernel_parts,
    named,
    stored_average,
    stored_fields,
    stored_kernels,
    under,
)
from tacit.adoption.sources.release_sources import ReleasePredictions, ReleaseScores, ReleaseView
from tacit.adoption.sources.source import Source
from tacit.adoption.tables.adopted_classifier import AdoptedClassifier
from tacit.adoption.tables.adopted_regressor import AdoptedRegressor
from tacit.adoption.tables.target_learned import TargetLearned
from tacit.arrays import Arrays
from tacit.errors import InputError


def engine_parts(engine: AdoptedClassifier | AdoptedRegressor) -> tuple[Arrays, dict[str, Any]]:
    """Return what an engine learned, and its sources."""
    learned = engine.learned_
    average, average_settings = average_parts(learned.average)
    prior, prior_settings = average_parts(engine.releases_average_)
    kernels, kernel_settings = kernel_parts(learned.features)
    arrays: Arrays = {
        **named(array_fields(engine.representation_), "columns"),
        **named(average, "average"),
        **named(prior, "prior"),
        **named(kernels, "kernel"),
        **({} if learned.trees is None else named(array_fields(learned.trees), "trees")),
    }
    sources = []
    for place, source in enumerate(engine.sources):
        more, settings = _source_parts(source)
        arrays |= named(more, f"source_{place}")
        sources.append(settings)
    return arrays, {
        "average": average_settings,
        "prior": prior_settings,
        "kernels": kernel_settings,
        "trees": learned.trees is not None,
        "sources": sources,
        "evidence": engine.evidence_.to_dict(),
    }


def stored_sources(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> list[Source]:
    """Return the sources that ``engine_parts`` took apart."""
    return [_stored_source(under(arrays, f"source_{place}"), each) for place, each in enumerate(settings["sources"])]


def restore_engine(
    engine: AdoptedClassifier | AdoptedRegressor, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]
) -> None:
    """Give an engine back what ``engine_parts`` took apart, but for its evidence."""
    engine.representation_ = stored_fields(Representation, under(arrays, "columns"))
    trees = stored_fields(BoostedTrees, under(arrays, "trees")) if settings["trees"] else None
    kernels = stored_kernels(under(arrays, "kernel"), settings["kernels"])
    average = stored_average(under(arrays, "average"), settings["average"])
    if isinstance(engine, AdoptedClassifier):
        engine.learned_ = Learned(kernels, trees, average)
    else:
        engine.learned_ = TargetLearned(kernels, trees, average)
    engine.releases_average_ = stored_average(under(arrays, "prior"), settings["prior"])


def _source_parts(source: Source) -> tuple[Arrays, dict[str, Any]]:
    part = source.view if source.scores is None else source.scores
    if not isinstance(part, ReleaseScores | ReleaseView | ReleasePredictions):
        raise InputError(f"{source.name} cannot be stored: only releases can.")
    arrays, settings = part.to_parts()
    return arrays, {
        "name": source.name,
        "view": isinstance(part, ReleaseView),
        "predictions": isinstance(part, ReleasePredictions),
        "part": settings,
    }


def _stored_source(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> Source:
    name = str(settings["name"])
    if settings["view"]:
        return Source(name, None, view=ReleaseView.from_parts(arrays, settings["part"]))
    # Models written before releases of numeric targets could be adopted do not say so.
    if settings.get("predictions", False):
        return Source(name, ReleasePredictions.from_parts(arrays, settings["part"]))
    return Source(name, ReleaseScores.from_parts(arrays, settings["part"]))
