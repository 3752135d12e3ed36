"""Arrays of a release as one safetensors member; the header is not trusted but rebuilt and compared."""

import json
import math
import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Arrays
from tacit.errors import ReleaseError
from tacit.files import strict_json
from tacit.files.archive import LARGEST_ARCHIVE

MOST_ARRAYS = 10_000
MOST_AXES = 8
LONGEST_NAME = 128
# The order in which safetensors lays arrays out: wide types first, so that each one lies aligned in memory.
_CODES = {
    "uint64": "U64",
    "int64": "I64",
    "float64": "F64",
    "float32": "F32",
    "uint32": "U32",
    "int32": "I32",
    "float16": "F16",
    "uint16": "U16",
    "int16": "I16",
    "int8": "I8",
    "uint8": "U8",
    "bool": "BOOL",
}
_RANKS = {dtype: rank for rank, dtype in enumerate(_CODES)}


class Spec(NamedTuple):
    """Element type (numpy's name) and shape of one array."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def n_bytes(self) -> int:
        """Bytes of the content."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize


def identifier(what: str, name: Any) -> str:
    """Return ``name`` if it is a plain ASCII identifier of a sensible length."""
    if isinstance(name, str) and name.isascii() and name.isidentifier() and len(name) <= LONGEST_NAME:
        return name
    raise ReleaseError(f"{what} must be an identifier of at most {LONGEST_NAME} letters, digits and underscores.")


def checked_arrays(arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """Return the arrays sorted by name, read-only and contiguous; raise ReleaseError for types and values not allowed.

    An array that is contiguous already is not copied.
    """
    if not isinstance(arrays, Mapping):
        raise ReleaseError(f"arrays must be a mapping of names to arrays; got {type(arrays).__name__}.")
    if len(arrays) > MOST_ARRAYS:
        raise ReleaseError(f"arrays must be at most {MOST_ARRAYS}; got {len(arrays)}. Stack equal shapes into one.")
    named = {identifier("the name of an array", name): array for name, array in arrays.items()}
    return {name: _checked(name, named[name]) for name in sorted(named)}


def describe(arrays: Arrays) -> dict[str, strict_json.Json]:
    """Return the element type and shape of each array as JSON-ready data."""
    return {name: {"dtype": array.dtype.name, "shape": list(array.shape)} for name, array in arrays.items()}


def encode(arrays: Arrays) -> list[bytes | memoryview]:
    """Return the safetensors member of checked ``arrays`` in pieces, without copying them."""
    specs = {name: Spec(array.dtype.name, array.shape) for name, array in arrays.items()}
    content = [arrays[name].reshape(-1).view(np.uint8).data for name in _in_file_order(specs)]
    return [_header(specs), *content]


def decode(raw: bytes, description: strict_json.Json) -> Arrays:
    """Return the arrays of a safetensors member as read-only views of ``raw``.

    The header that belongs to ``description`` is built and compared with the one in ``raw``: offsets that overlap,
    leave gaps or point outside, and types and shapes other than described, all show as a difference.
    """
    specs = _specs(description)
    header = _header(specs)
    if not raw.startswith(header) or len(raw) != len(header) + sum(spec.n_bytes for spec in specs.values()):
        raise ReleaseError("the arrays are not of the types, shapes and total size described.")
    arrays: Arrays = {}
    offset = len(header)
    for name in _in_file_order(specs):
        dtype = np.dtype(specs[name].dtype).newbyteorder("<")
        arrays[name] = np.ndarray(specs[name].shape, dtype, buffer=raw, offset=offset)
        offset += specs[name].n_bytes
    return arrays


def equal(left: Mapping[str, NDArray[Any]], right: Mapping[str, NDArray[Any]]) -> bool:
    """Return whether two sets of arrays have the same names, types, shapes and values."""
    return left.keys() == right.keys() and all(
        array.dtype == right[name].dtype and np.array_equal(array, right[name]) for name, array in left.items()
    )


def _checked(name: str, array: Any) -> NDArray[Any]:
    # A masked array would hand out the values under its mask.
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
        raise ReleaseError(f"array {name!r} must be a plain numpy array; got {type(array).__name__}.")
    _check_spec(name, Spec(array.dtype.name, array.shape))
    laid_out = np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C").view()
    _check_values(name, laid_out)
    laid_out.setflags(write=False)
    return laid_out


def _check_spec(name: str, spec: Spec) -> None:
    if spec.dtype not in _CODES:
        raise ReleaseError(f"array {name!r} must be of one of the types {', '.join(_CODES)}; got {spec.dtype}.")
    if len(spec.shape) > MOST_AXES:
        raise ReleaseError(f"array {name!r} must have at most {MOST_AXES} axes; got {len(spec.shape)}.")
    # Empty axes count as 1: numpy refuses shapes whose other axes multiply beyond its limits.
    if math.prod(max(length, 1) for length in spec.shape) > LARGEST_ARCHIVE:
        raise ReleaseError(f"array {name!r} has a shape too large for a file.")


def _check_values(name: str, array: NDArray[Any]) -> None:
    if array.size == 0:
        return
    # min and max pass NaN on, so checking two numbers checks all of them without an array of flags.
    if array.dtype.kind == "f" and not (np.isfinite(array.min()) and np.isfinite(array.max())):
        raise ReleaseError(f"array {name!r} must hold finite numbers only; it holds NaN or infinity.")
    if array.dtype.kind == "b" and array.view(np.uint8).max() > 1:
        raise ReleaseError(f"array {name!r} must hold true and false only; it holds other bytes.")


def _specs(description: strict_json.Json) -> dict[str, Spec]:
    if not isinstance(description, dict) or len(description) > MOST_ARRAYS:
        raise ReleaseError(f"the description of the arrays must name at most {MOST_ARRAYS} arrays.")
    return {identifier("the name of an array", name): _spec(name, content) for name, content in description.items()}


def _spec(name: str, description: strict_json.Json) -> Spec:
    content = strict_json.plain_object(description, f"the description of array {name!r}")
    strict_json.exact_names(content, ("dtype", "shape"), f"the description of array {name!r}")
    shape = content["shape"]
    if not isinstance(shape, list) or not all(type(length) is int and length >= 0 for length in shape):
        raise ReleaseError(f"the shape of array {name!r} must be a list of whole numbers of at least 0.")
    spec = Spec(str(content["dtype"]), tuple(length for length in shape if isinstance(length, int)))
    _check_spec(name, spec)
    return spec


def _in_file_order(specs: Mapping[str, Spec]) -> list[str]:
    return sorted(specs, key=lambda name: (_RANKS[specs[name].dtype], name))


def _header(specs: Mapping[str, Spec]) -> bytes:
    """Return the header that safetensors gives to arrays of these types and shapes, laid out without gaps."""
    entries: dict[str, dict[str, Any]] = {}
    start = 0
    for name in _in_file_order(specs):
        stop = start + specs[name].n_bytes
        entries[name] = {"dtype": _CODES[specs[name].dtype], "shape": specs[name].shape, "data_offsets": (start, stop)}
        start = stop
    text = json.dumps(entries, separators=(",", ":")).encode("ascii")
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text
