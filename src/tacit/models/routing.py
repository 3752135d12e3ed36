"""Rows routed to the parts that may be the nearest: the answer of all parts, without evaluating each of them.

Distances can only shrink when both ends are projected on orthonormal directions. So the distance of a projected row
from what a part projects to is a lower bound of its distance from the part; where that is no less than a distance
already known, the part need not be evaluated.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from tacit.models.parts import PartEstimator, in_blocks
from tacit.models.per_class import ScoreClassifierMixin, rows_by_class
from tacit.numerics.kernels import Floats
from tacit.numerics.subspace import leading_directions
from tacit.records import record

# Rows of one block: a part sees a few dozen of them, enough for matrix products.
ROWS_AT_ONCE = 4096
# With fewer rows or parts, projecting the parts costs more than it saves.
LEAST_ROWS, LEAST_PARTS = 1000, 20
# Room for rounding in a bound.
SLACK = 0.999


def worth_routing(n_rows: int, n_parts: int) -> bool:
    """Return whether so many rows and parts repay the projection of the parts."""
    return n_rows >= LEAST_ROWS and n_parts >= LEAST_PARTS


def common_directions(directions: Sequence[Floats], count: int) -> Floats:
    """Return orthonormal columns [p, q], q at most ``count``: the directions that the parts' own [n, p] share most."""
    stacked = np.concatenate(directions)
    return np.ascontiguousarray(leading_directions(stacked, min(count, *stacked.shape)).T)


class DirectedPart(Protocol):
    """The model of a part of a class's rows, which looks along directions [n, p] of its own."""

    @property
    def directions(self) -> Floats:
        """Rows span what the part looks at."""


RoutedPart = TypeVar("RoutedPart", bound=DirectedPart)


@record
class ClassParts(Generic[RoutedPart]):
    """The parts of all classes side by side, and directions on which distances from them are bounded."""

    parts: Sequence[RoutedPart]
    classes: NDArray[np.intp]
    """[P]: the class of each part."""
    basis: Floats
    """[p, q]: orthonormal columns V."""

    @classmethod
    def of(cls, models: Sequence[Sequence[RoutedPart]], n_directions: int) -> Self:
        """Return the parts of one wide model for each class, with at most so many common directions."""
        parts = [part for model in models for part in model]
        classes = np.repeat(np.arange(len(models)), [len(model) for model in models])
        return cls(parts, classes, common_directions([part.directions for part in parts], n_directions))


Router = Callable[[Floats], NDArray[np.intp]]
"""Finds the class code [N] of each row."""


@dataclass(eq=False, repr=False, kw_only=True)
class RoutedClassifier(ScoreClassifierMixin, PartEstimator):
    """Classifiers of one wide model for each class, which route many rows to the parts that may be the nearest.

    Attributes
    ----------
    classes_ : array [C]
    n_features_in_ : int
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn one wide model for each class of rows ``X`` [N, p] with labels ``y`` [N]."""
        table = rows_by_class(self, X, y, self.random_state)
        self.classes_ = table.classes
        self._learn(table.rows, table.groups)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of each row [N]: the class whose model is the nearest.

        Of many rows each is evaluated only by parts that a bound does not exclude.
        """
        check_is_fitted(self)
        Y = self._rows(X)
        router = self._router(len(Y))
        if router is None:
            return super().predict(X)
        return np.asarray(self.classes_[routed_codes(router, Y, n_jobs=self.n_jobs)])

    @abstractmethod
    def _learn(self, rows: Floats, groups: Sequence[NDArray[np.intp]]) -> None:
        """Learn the wide model of each group of rows."""

    @abstractmethod
    def _rows(self, X: ArrayLike) -> Floats:
        """Return checked rows in the type of the models."""

    @abstractmethod
    def _router(self, n_rows: int) -> Router | None:
        """Return what routes so many rows; None where every part is evaluated."""


def routed_codes(route: Router, Y: Floats, *, n_jobs: int | None) -> NDArray[np.intp]:
    """Return the class code [N] that ``route`` finds for each row of Y, block by block."""
    return np.concatenate(in_blocks(route, Y, n_jobs=n_jobs, size=ROWS_AT_ONCE))


def nearest_groups(
    bounds: Floats, groups: NDArray[np.intp], exact: Callable[[int, NDArray[np.intp]], Floats]
) -> NDArray[np.intp]:
    """Return the group [N] of the part with the least squared distance from each row.

    Parameters
    ----------
    bounds : array [N, P]
        Lower bounds of the squared distance of each row from each part.
    groups : array of int [P]
        The group of each part.
    exact : callable
        Returns the squared distances of the rows at some places from one part.
    """
    lower = bounds * bounds.dtype.type(SLACK)
    first = lower.argmin(axis=1)
    nearest: NDArray[np.intp] = groups[first]
    least = np.empty(len(bounds), dtype=bounds.dtype)
    for part in np.unique(first):
        rows = np.flatnonzero(first == part)
        least[rows] = exact(int(part), rows)
    # Parts that may be near to many rows come first: what they settle spares others.
    for part in np.argsort(lower.mean(axis=0)):
        rows = np.flatnonzero((lower[:, part] < least) & (first != part))
        if not len(rows):
            continue
        squares = exact(int(part), rows)
        nearer = squares < least[rows]
        least[rows[nearer]], nearest[rows[nearer]] = squares[nearer], groups[part]
    return nearest
