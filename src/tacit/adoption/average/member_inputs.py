"""What the members of an average read of rows: scores of releases, kernel features, log-odds of trees."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from tacit.adoption.average.kernel_features import KernelFeatures, view_of
from tacit.arrays import FloatArray, Rows
from tacit.errors import InputError
from tacit.records import record

Numbers = TypeVar("Numbers", bound=Rows)


@record
class Inputs:
    """What members read of a block of rows."""

    scores: tuple[FloatArray, ...]
    """tuple of arrays [N, C]: clean class scores of each release."""
    Z: FloatArray
    """[N, d]: represented rows."""
    features: Mapping[str, KernelFeatures]
    """The kernels' features, by name."""
    trees: FloatArray | None = None
    """[N, C] or None: class log-odds by boosted trees that did not learn from these rows' labels."""
    views: Mapping[int, FloatArray] = field(default_factory=dict)
    """Rows in the features of releases [N, d], by the place of the release."""
    _computed: dict[Hashable, Rows] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.Z)

    def phi(self, kernel: str | None) -> FloatArray:
        """Return the features of the rows by ``kernel`` [N, r], computed once; none for None."""
        if kernel is None:
            return np.empty((len(self.Z), 0))
        return self.once(("features", kernel), lambda: self.features[kernel](self._seen(kernel)))

    def lost(self, kernel: str | None) -> FloatArray:
        """Return the prior variance that the features of ``kernel`` leave out [N]."""
        if kernel is None:
            return np.zeros(len(self.Z))
        return self.once(("lost", kernel), lambda: self.features[kernel].lost(self._seen(kernel), self.phi(kernel)))

    def once(self, key: Hashable, compute: Callable[[], Numbers]) -> Numbers:
        """Return what ``compute`` gives, computed once for each ``key``: members have many columns in common."""
        if key not in self._computed:
            self._computed[key] = compute()
        return cast("Numbers", self._computed[key])

    def tree_scores(self) -> FloatArray:
        """Return the trees' class log-odds [N, C]."""
        if self.trees is None:
            raise InputError("a model with trees needs the trees' scores of the rows; got none.")
        return self.trees

    def rows(self, places: slice) -> "Inputs":
        """Return the inputs of some of the rows."""
        trees = None if self.trees is None else self.trees[places]
        views = {place: each[places] for place, each in self.views.items()}
        return Inputs(tuple(each[places] for each in self.scores), self.Z[places], self.features, trees, views)

    def _seen(self, kernel: str) -> FloatArray:
        """Return the rows that a kernel reads."""
        place = view_of(kernel)
        return self.Z if place is None else self.views[place]


@record
class Setting:
    """What all hypotheses of one fit share."""

    n_classes: int
    precisions: FloatArray
    """[R]: how much each release counts among others that hold."""
    mean_scores: FloatArray
    """[R, C]: of the receiver's rows: what a release says of the classes' shares."""
    weight_sds: FloatArray | None = None
    """[R] or None: prior standard deviation of each release's weight; None: that of calibrated scores."""
    known: NDArray[np.bool_] | None = None
    """[R, C] or None: the classes that each release knows; None: all."""

    def unknown_to(self, places: Sequence[int]) -> NDArray[np.bool_]:
        """Return which classes [C] none of the releases at ``places`` knows; none of them without any release."""
        if self.known is None or not places:
            return np.zeros(self.n_classes, dtype=bool)
        return np.asarray(~self.known[list(places)].any(axis=0))


def margin(scores: FloatArray) -> FloatArray:
    """Return the second class's log-odds against the first's [N] from class scores [N, 2]."""
    return np.asarray(scores[:, 1] - scores[:, 0])
