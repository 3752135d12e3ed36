"""Two tables with one question: an owner's, and a receiver's in other units, with a column more and one less."""

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.releases.lesson import ReceiverTable

OWNER = Schema(
    (
        Numeric("age", (0.0, 100.0)),
        Numeric("dose", (0.0, 1.0)),
        Categorical("sex", ("f", "m")),
        Label("outcome", ("well", "ill")),
    )
)
# Age in other bounds, categories and classes in another order, no dose.
RECEIVER = Schema(
    (
        Categorical("sex", ("m", "f")),
        Numeric("age", (0.0, 50.0)),
        Numeric("ward", (0.0, 9.0)),
        Label("outcome", ("ill", "well")),
    )
)
STRANGER = Schema((Numeric("height", (0.0, 2.0)), Label("outcome", ("well", "ill"))))
PROMISE = {"epsilon": 8.0, "delta": 1e-4, "random_state": 0}


def owner_rows(n: int = 400, seed: int = 0) -> tuple[FloatArray, NDArray[np.int64]]:
    """Return rows of the owner in which the young are well."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    age = np.clip(0.15 + 0.25 * y + rng.normal(0, 0.05, n), 0, 0.5)
    return np.column_stack([age, rng.random(n), np.eye(2)[rng.integers(0, 2, n)]]), y


def receiver_rows(n: int = 100, seed: int = 1) -> tuple[FloatArray, NDArray[np.intp]]:
    """Return people of the same kind in the receiver's columns, and the receiver's class codes."""
    X, y = owner_rows(n, seed)
    ward = np.random.default_rng(seed).random(n)
    return np.column_stack([X[:, 3], X[:, 2], 2 * X[:, 0], ward]), (1 - y).astype(np.intp)


def receiver(schema: Schema = RECEIVER, n_labelled: int = 20) -> ReceiverTable:
    """Return the receiver's table; of a stranger, numbers that mean nothing here."""
    X, codes = receiver_rows()
    width = len(schema.encoded_names)
    return ReceiverTable(schema, X[:, :width], np.arange(n_labelled), codes[:n_labelled])


def right(scores: FloatArray, codes: NDArray[np.intp]) -> float:
    """Return the share of rows for which the owner's best class is the receiver's (whose codes are the other way)."""
    return float((scores.argmax(axis=1) == 1 - codes).mean())
