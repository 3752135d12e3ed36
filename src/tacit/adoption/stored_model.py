"""Reading a receiver's model file: the kind is checked, and a missing part is named."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.data.schemas.schema import Schema
from tacit.errors import ReleaseError
from tacit.releases.file import Model

Receiver = TypeVar("Receiver")

# What rebuilding a classifier can raise when its file is not what this project wrote.
MALFORMED = (KeyError, TypeError, ValueError, IndexError, RuntimeError)


def rebuilt(file: Model, kind: str, made_by: str, rebuild: Callable[[Model, Schema], Receiver]) -> Receiver:
    """Return the classifier that ``rebuild`` makes of ``file``; raise ReleaseError for another kind or a missing part.

    ``made_by`` says how models of this ``kind`` are made.
    """
    if file.kind != kind or file.schema is None:
        raise ReleaseError(f"the model is of kind {file.kind!r}; {made_by} makes {kind!r}.")
    try:
        return rebuild(file, Schema.from_dict(file.schema, source="the model's schema"))
    except MALFORMED as problem:
        raise ReleaseError(f"the model file misses a part of the classifier: {problem}.") from problem


def stored_classes(classes: NDArray[Any]) -> NDArray[Any]:
    """Return the classes as a model file holds them: numbers as they are, names as codes, which its schema names."""
    return np.asarray(classes) if classes.dtype.kind in "iufb" else np.arange(len(classes))
