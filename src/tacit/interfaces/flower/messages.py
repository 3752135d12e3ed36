"""Flower messages between the aggregator and the nodes: their types, packing, and checked reading."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, RecordDict
from numpy.typing import NDArray

from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.kinds.noisy_rows.rows import PrivateRows
from tacit.privacy.refusals import RefusalCode
from tacit.situations.federated.distances import checked_answer
from tacit.situations.federated.shared_filter import Filter, Statistics, checked_statistics

# Message types: each has one handler in client.py.
STATISTICS, DISTANCES, ROWS = "query.statistics", "query.distances", "query.rows"
ARRAYS, FACTS = "arrays", "facts"
ANSWERED, REFUSED = "answered", "refused"

MessageArrays = Mapping[str, NDArray[Any]]
MessageFacts = Mapping[str, str | int | float | bool]


@dataclass(frozen=True)
class TableShape:
    """Numbers of encoded columns and of classes, the same for all parties."""

    n_features: int
    n_classes: int


def pack(arrays: MessageArrays, facts: MessageFacts) -> RecordDict:
    """Return arrays and facts as the content of one message."""
    records = ArrayRecord({name: Array(np.ascontiguousarray(array)) for name, array in arrays.items()})
    return RecordDict({ARRAYS: records, FACTS: ConfigRecord(dict(facts))})


def unpack(content: RecordDict) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays and facts of a message; raise InputError for one of another layout."""
    try:
        arrays = {name: array.numpy() for name, array in content.array_records[ARRAYS].items()}
        return arrays, dict(content.config_records[FACTS])
    except (KeyError, ValueError, TypeError, EOFError, OSError) as problem:
        raise InputError(f"the message is not one of tacit's: {type(problem).__name__}.") from problem


def refusal(code: RefusalCode) -> RecordDict:
    """Return a node's message that it does not answer: a code and nothing else."""
    return pack({}, {"status": REFUSED, "code": code.value})


def answer(arrays: MessageArrays, **facts: str | float) -> RecordDict:
    """Return a node's message with its answer."""
    return pack(arrays, {"status": ANSWERED, **facts})


def read_statistics(arrays: MessageArrays, shape: TableShape) -> Statistics:
    """Return the statistics in an answer, checked."""
    statistics = Statistics(*_named(arrays, "counts", "sums", "products", "noise"))
    return checked_statistics(statistics, n_classes=shape.n_classes, n_features=shape.n_features)


def read_distances(arrays: MessageArrays, shape: TableShape, n_rows: int) -> FloatArray:
    """Return the distances in an answer, a column for each agreed class, checked."""
    distances, classes = _named(arrays, "distances", "classes")
    return checked_answer(distances, classes, n_rows=n_rows, all_classes=np.arange(shape.n_classes))


def read_rows(arrays: MessageArrays, shape: TableShape) -> PrivateRows:
    """Return the private rows in an answer, checked: [hull] Remark 6."""
    rows, codes, scale = _named(arrays, "rows", "codes", "scale")
    fits = rows.ndim == 2 and rows.shape[1:] == scale.shape == (shape.n_features,) and codes.shape == rows.shape[:1]
    if not (fits and len(rows) and np.isin(codes, np.arange(shape.n_classes)).all()):
        raise InputError("rows, codes and scale must fit together and the agreed columns and classes.")
    if not (np.isfinite(rows).all() and np.isfinite(scale).all() and (scale > 0).all()):
        raise InputError("rows and scale must be finite, and scale above 0.")
    return PrivateRows(rows.astype(np.float32), codes.astype(np.intp), scale.astype(np.float64), shape.n_classes)


def read_question(arrays: MessageArrays) -> tuple[Filter, NDArray[np.float32]]:
    """Return the filter and the rows of a query for distances, checked."""
    means, gain, rows = _named(arrays, "means", "gain", "rows")
    finite = np.isfinite(gain).all() and np.isfinite(rows).all()
    if rows.ndim != 2 or rows.shape[1:] != gain.shape[:1] or not finite:
        raise InputError("rows must be finite and have the filter's columns.")
    return Filter(means, gain), rows


def require_fit(shared: Filter, *, n_features: int, n_classes: int) -> None:
    """Raise InputError unless the filter has the party's columns and classes, both of them public."""
    if shared.means.shape != (n_classes, n_features) or shared.gain.shape != (n_features, n_features):
        raise InputError(f"the filter must be for {n_features} columns and {n_classes} classes.")


def _named(arrays: MessageArrays, *names: str) -> list[NDArray[Any]]:
    """Return the numeric arrays with these names; raise InputError if one is missing or not numeric."""
    missing = [name for name in names if name not in arrays]
    if missing:
        raise InputError(f"the message lacks {', '.join(missing)}.")
    wrong = [name for name in names if arrays[name].dtype.kind not in "fiu"]
    if wrong:
        raise InputError(f"{', '.join(wrong)} must hold numbers.")
    return [arrays[name] for name in names]
