"""A search as settings and arrays, and as a file: everything that it needs to go on bit for bit."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.arrays import Arrays
from tacit.errors import InputError, ReleaseError
from tacit.files.regular import FilePath
from tacit.releases.file import Model, read_model, write_model
from tacit.situations.feedback.goals import goal_from_dict
from tacit.situations.feedback.layerwise import LayerwiseSearch
from tacit.situations.feedback.performance import PerformanceSearch
from tacit.situations.feedback.random_search import RandomSearch
from tacit.situations.feedback.search import Search

KIND = "feedback_search"
VERSION = 1
SEARCHES: dict[str, type[Search]] = {
    search.kind: search for search in (RandomSearch, PerformanceSearch, LayerwiseSearch)
}


def search_to_arrays(search: Search) -> tuple[dict[str, Any], Arrays]:
    """Return (settings, arrays): JSON-ready data, and the vectors by name; a vector that is not there yet is left out.

    JSON keeps a double as the shortest decimal that reads back as the same double, so nothing is lost either way.
    """
    settings: dict[str, Any] = {"method": search.kind, "version": VERSION, "goal": search.goal.to_dict()}
    arrays: Arrays = {}
    for name in _names(type(search)):
        value = getattr(search, name)
        if isinstance(value, np.ndarray):
            arrays[name] = value
        elif value is not None:
            settings[name] = list(value) if isinstance(value, tuple) else value
    return settings, arrays


def search_from_arrays(settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Search:
    """Return the search that ``search_to_arrays`` took apart; anything else is refused."""
    content = dict(settings)
    if content.pop("version", None) != VERSION:
        raise InputError(f"version of a stored search must be {VERSION}. Upgrade tacit, or start the search anew.")
    search_type = SEARCHES[checks.one_of("method of a stored search", content.pop("method", None), SEARCHES)]
    goal = goal_from_dict(content.pop("goal", {}))
    if unknown := sorted({*content, *arrays} - set(_names(search_type))):
        raise InputError(f"a stored search of method {search_type.kind!r} has no {unknown[0][:40]!r}.")
    content.update({name: np.asarray(array, dtype=np.float64) for name, array in arrays.items()})
    try:
        return search_type(goal=goal, **content)
    except TypeError as problem:
        raise InputError(
            f"a stored search of method {search_type.kind!r} lacks a setting, or has one twice."
        ) from problem


def write_search(search: Search, path: FilePath) -> None:
    """Write the search to ``path``, whole or not at all, readable by its owner alone."""
    settings, arrays = search_to_arrays(search)
    write_model(Model(kind=KIND, arrays=arrays, settings=settings), path)


def read_search(path: FilePath) -> Search:
    """Return the search in the file at ``path``."""
    stored = read_model(path)
    if stored.kind != KIND:
        raise ReleaseError(f"{path} must hold a search; it holds a model of kind {stored.kind!r}.")
    return search_from_arrays(stored.settings, stored.arrays)


def _names(search_type: type[Search]) -> list[str]:
    return [field.name for field in fields(search_type) if field.name != "goal"]
