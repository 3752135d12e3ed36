"""Candidate parameters as safetensors, read for one declared architecture and nothing else."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray
from tacit.errors import InputError, ReleaseError
from tacit.files import tensors
from tacit.files.strict_json import Json
from tacit.situations.feedback.desk.architecture import Architecture

TYPES = ("float64", "float32")
# Beyond this, sums of outputs leave the range in which single precision still tells numbers apart.
LARGEST_VALUE = 1e6
# Products of numbers this small fall below the normal range, where processors are up to a hundred times slower.
TINY = 1e-30


def largest_body(architecture: Architecture) -> int:
    """Return the most bytes that a candidate can have: its numbers as doubles, behind the longest header."""
    return max(len(_blank(architecture, dtype)) for dtype in TYPES)


def encode_parameters(vector: FloatArray, architecture: Architecture) -> bytes:
    """Return a flat vector [p] as the safetensors of its named arrays."""
    return b"".join(tensors.encode(tensors.checked_arrays(split_vector(vector, architecture))))


def decode_parameters(raw: bytes, architecture: Architecture) -> FloatArray:
    """Return the flat vector [p] that ``raw`` holds.

    The header that this architecture must have is built and compared, so nothing in ``raw`` decides on names, types,
    shapes or sizes, and nothing in it is executed.
    """
    for dtype in TYPES:
        try:
            arrays = tensors.decode(raw, _description(architecture, dtype))
        except ReleaseError:
            continue
        return checked_vector(_joined(arrays, architecture))
    wanted = ", ".join(f"{name} {list(shape)}" for name, shape in architecture.layout.items())
    raise InputError(
        f"the body must be safetensors without metadata that hold exactly {wanted}, all float64 or float32."
    )


def checked_vector(vector: NDArray[Any]) -> FloatArray:
    """Return finite parameters of a sensible size as doubles, tiny ones as 0; along the last axis."""
    values = np.array(vector, dtype=np.float64)
    size = np.abs(values)
    if not bool((size <= LARGEST_VALUE).all()):  # NaN compares as false
        raise InputError(f"parameters must be finite numbers of at most {LARGEST_VALUE:g} in size.")
    values[size < TINY] = 0.0
    return values


def split_vector(vector: FloatArray, architecture: Architecture) -> dict[str, FloatArray]:
    """Return the named arrays of a flat vector [p], or of stacked ones [k, p] with k in front of each shape."""
    if vector.shape[-1] != architecture.n_parameters:
        raise InputError(f"a candidate must have {architecture.n_parameters} parameters; got {vector.shape[-1]}.")
    parts = np.split(vector, np.cumsum(architecture.sizes)[:-1], axis=-1)
    shapes = architecture.layout.items()
    return {name: part.reshape(*part.shape[:-1], *shape) for (name, shape), part in zip(shapes, parts, strict=True)}


def _joined(arrays: Mapping[str, NDArray[Any]], architecture: Architecture) -> NDArray[Any]:
    return np.concatenate([arrays[name].ravel() for name in architecture.layout])


def _description(architecture: Architecture, dtype: str) -> Json:
    return {name: {"dtype": dtype, "shape": list(shape)} for name, shape in architecture.layout.items()}


def _blank(architecture: Architecture, dtype: str) -> bytes:
    arrays = {name: np.zeros(shape, dtype) for name, shape in architecture.layout.items()}
    return b"".join(tensors.encode(tensors.checked_arrays(arrays)))
