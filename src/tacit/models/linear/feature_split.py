"""Groups of features that share a budget: random, by importance, or by the groups of a schema."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from tacit import checks
from tacit.arrays import FloatArray
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError


@dataclass(frozen=True)
class FeatureSplit:
    """Disjoint groups of features, and the part of the budget that each gets: S_G and q of [pptl] Alg. 3.

    Whatever it is made from must be public: importances come from experts or public data.

    Parameters
    ----------
    positions : tuple of tuple of int
        The columns of each group.
    shares : tuple of float
        Above 0; divided by their sum.

    Examples
    --------
    >>> FeatureSplit.by_importance([5, 1, 1, 3], 2).positions
    ((0, 3), (1, 2))
    """

    positions: tuple[tuple[int, ...], ...]
    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        groups = tuple(tuple(int(place) for place in group) for group in self.positions)
        places = [place for group in groups for place in group]
        if not groups or not all(groups) or len(set(places)) < len(places) or min(places) < 0:
            raise InputError("positions must be non-empty groups of columns, each column in at most one of them.")
        if len(self.shares) != len(groups):
            raise InputError(f"shares must hold one number for each of {len(groups)} groups; got {len(self.shares)}.")
        shares = [checks.positive("shares", share) for share in self.shares]
        object.__setattr__(self, "positions", groups)
        object.__setattr__(self, "shares", tuple(share / sum(shares) for share in shares))

    @classmethod
    def whole(cls, n_features: int) -> "FeatureSplit":
        """Return all features as one group."""
        return cls((tuple(range(n_features)),), (1.0,))

    @classmethod
    def random(cls, n_features: int, n_groups: int, random_state: int = 0) -> "FeatureSplit":
        """Return groups of nearly equal size, drawn at random; the draw is public."""
        order = check_random_state(random_state).permutation(n_features)
        return cls._cut(order, np.ones(n_features), n_groups)

    @classmethod
    def by_importance(cls, importance: ArrayLike, n_groups: int) -> "FeatureSplit":
        """Return groups of nearly equal size, the most important features first; shares follow their importance."""
        weights = checks.finite_array("importance", importance)
        if weights.ndim != 1 or (weights < 0).any() or not weights.any():
            raise InputError("importance must be one number of at least 0 for each feature, not all of them 0.")
        return cls._cut(np.argsort(-weights, kind="stable"), weights, n_groups)

    @classmethod
    def by_schema(cls, schema: Schema) -> "FeatureSplit":
        """Return the named groups of a schema, and one of all columns without a group; shares follow their sizes."""
        groups = list(schema.groups.values())
        return cls(tuple(groups), tuple(float(len(group)) for group in groups))

    @classmethod
    def _cut(cls, order: NDArray[np.integer[Any]], importance: FloatArray, n_groups: int) -> "FeatureSplit":
        if checks.whole("n_groups", n_groups) > len(order):
            raise InputError(f"n_groups must be at most the number of features, {len(order)}; got {n_groups}.")
        groups = np.array_split(order, n_groups)
        # A group of no importance at all still has to be paid for: a hundredth of an equal share.
        least = importance.sum() / (100 * n_groups)
        shares = tuple(max(float(importance[group].sum()), float(least)) for group in groups)
        return cls(tuple(tuple(sorted(group.tolist())) for group in groups), shares)

    @property
    def weights(self) -> FloatArray:
        """Public weights of the groups' scores, by the inverse variance of their noise: share² / size, of sum 1."""
        raw = np.array([share**2 / len(group) for share, group in zip(self.shares, self.positions, strict=True)])
        normalised: FloatArray = raw / raw.sum()
        return normalised

    def require(self, n_features: int) -> "FeatureSplit":
        """Return the split itself if all its columns exist."""
        last = max(place for group in self.positions for place in group)
        if last >= n_features:
            raise InputError(f"split must name columns below {n_features}; got column {last}.")
        return self
