"""JSON in one canonical form, read strictly: no NaN, no repeated names, bounded sizes, numbers and depths."""

import json
import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from tacit.errors import ReleaseError

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

# A schema of a hundred thousand columns fits into these; whatever is larger belongs in arrays.
LARGEST = 16 * 1024 * 1024
MOST_VALUES = 2**20
DEEPEST = 64
# What the integers of a machine can keep; Python's own would grow without end.
SMALLEST_INTEGER, LARGEST_INTEGER = -(2**63), 2**64 - 1
_SHOWN = 60


def dump(value: Json) -> bytes:
    """Return ``value`` (already plain) as bytes: names sorted, no spaces, UTF-8. Equal values give equal bytes."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def load(raw: bytes, name: str) -> dict[str, Json]:
    """Return the object that ``raw`` holds; ``name`` is its name in error messages."""
    within_limits(raw, name)
    try:
        value = json.loads(raw.decode("utf-8"), object_pairs_hook=_object)
    except RecursionError:
        raise ReleaseError(f"{name} is nested deeper than {DEEPEST} levels.") from None
    except ValueError as problem:
        raise ReleaseError(f"{name} is not valid JSON, or gives a name twice.") from problem
    return plain_object(value, name)


def within_limits(raw: bytes, name: str) -> bytes:
    """Return ``raw``; raise ReleaseError if it is larger, or holds more values, than the limits of this module."""
    if len(raw) > LARGEST:
        raise ReleaseError(
            f"{name} has {len(raw)} bytes; at most {LARGEST} are allowed. Large settings belong in arrays."
        )
    # One of these marks stands before all but the first value, so their number bounds the number of objects made.
    if sum(map(raw.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise ReleaseError(f"{name} holds more than {MOST_VALUES} values. Large settings belong in arrays.")
    return raw


def plain_object(value: Any, name: str) -> dict[str, Json]:
    """Return a copy of a mapping in JSON's own types: tuples become lists, numpy scalars Python's.

    Errors name the place (``settings.bounds``), never the value.
    """
    if not isinstance(value, Mapping):
        raise ReleaseError(f"{name} must be a mapping of names to values; got {type(value).__name__}.")
    return {
        _text(key, f"each name in {name}"): _plain(item, f"{name}.{key[:_SHOWN]}", 1) for key, item in value.items()
    }


def optional_object(value: Any, name: str) -> dict[str, Json] | None:
    """Return a plain copy of a mapping, or None for None."""
    return None if value is None else plain_object(value, name)


def exact_names(content: Mapping[str, Any], allowed: Collection[str], name: str) -> None:
    """Raise ReleaseError unless the names in ``content`` are exactly the ``allowed`` ones."""
    if missing := sorted(set(allowed) - set(content)):
        raise ReleaseError(f"{name} must name {', '.join(sorted(allowed))}; it lacks {', '.join(missing)}.")
    if len(content) > len(allowed):
        raise ReleaseError(f"{name} may name only {', '.join(sorted(allowed))}; it names something else as well.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a name is given twice")
    return content


def _plain(value: Any, name: str, depth: int) -> Json:
    if depth > DEEPEST:
        raise ReleaseError(f"{name} is nested deeper than {DEEPEST} levels.")
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, bool | int | float | str):
        return _scalar(value, name)
    if isinstance(value, list | tuple):
        return [_plain(item, name, depth + 1) for item in value]
    if isinstance(value, Mapping):
        return {_text(key, f"each name in {name}"): _plain(item, name, depth + 1) for key, item in value.items()}
    raise ReleaseError(
        f"{name} must be text, a number, true, false, null, a list or a mapping; got {type(value).__name__}. "
        "Arrays belong in 'arrays'."
    )


def _scalar(value: float | str | None, name: str) -> Json:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return _integer(value, name)
    if isinstance(value, str):
        return _text(value, name)
    if not math.isfinite(value):
        raise ReleaseError(f"{name} must hold finite numbers only; it holds NaN or infinity.")
    return float(value)


def _integer(value: int, name: str) -> int:
    if not SMALLEST_INTEGER <= value <= LARGEST_INTEGER:
        raise ReleaseError(f"{name} must hold whole numbers of at most 64 bits; it holds a larger one.")
    return int(value)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise ReleaseError(f"{name} must be text; got {type(value).__name__}.")
    try:
        return value.encode("utf-8").decode("utf-8")
    except UnicodeEncodeError:
        raise ReleaseError(f"{name} must be valid Unicode text.") from None
