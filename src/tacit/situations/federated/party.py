"""A party: a model of its own rows, and the distances that it answers with."""

from collections.abc import Sequence
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.arrays import FloatArray, Rows
from tacit.kinds.noisy_rows.rows import PrivateRows
from tacit.models.affine_hull.classifier import AffineHullClassifier
from tacit.records import record
from tacit.situations.federated.distances import checked_answer
from tacit.situations.federated.shared_filter import Filter, filtered, learn_filter, pooled, statistics_of


class ClassDistances(Protocol):
    """A classifier with the distance of a row from each class, columns in the order of ``classes_``."""

    classes_: NDArray[Any]

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from rows and labels."""

    def class_distances(self, X: ArrayLike) -> NDArray[Any]:
        """Return distances [n, C]."""


@record
class Party:
    """One party to the aggregator: the classes it holds, and distances from them."""

    classes: NDArray[Any]
    """The agreed classes that this party has rows of."""
    model: ClassDistances
    """Fitted, with ``class_distances``. It never leaves the party."""

    def distances(self, X: ArrayLike) -> NDArray[Any]:
        """Return distances of rows from the party's own classes [n, own classes]."""
        return np.asarray(self.model.class_distances(X))


def make_party(X: ArrayLike, y: ArrayLike, *, model: ClassDistances | None = None) -> Party:
    """Return the party with a model of rows ``X`` [N, p] and labels ``y`` [N] themselves: nothing is protected."""
    fitted = (AffineHullClassifier(random_state=0) if model is None else model).fit(X, y)
    return Party(fitted.classes_, fitted)


def make_private_party(private: PrivateRows, shared: Filter, *, model: ClassDistances | None = None) -> Party:
    """Return the party with a model of its filtered noisy rows: post-processing, so nothing is charged."""
    return make_party(filtered(private, shared), private.codes, model=model)


def private_parties(rows: Sequence[PrivateRows]) -> list[Party]:
    """Return one party for each table of noisy rows, with the filter learned from the statistics of all."""
    shared = learn_filter(pooled([statistics_of(private) for private in rows]))
    return [make_private_party(private, shared) for private in rows]


def query_parties(parties: Sequence[Party], X: Rows, all_classes: ArrayLike) -> list[FloatArray]:
    """Return each party's answer about rows ``X`` [n, p], a column for each of ``all_classes``: [hull] eq. 104."""
    return [
        checked_answer(party.distances(X), party.classes, n_rows=len(X), all_classes=all_classes) for party in parties
    ]
