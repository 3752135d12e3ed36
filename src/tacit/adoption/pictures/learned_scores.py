"""Class scores learned from the receiver's labels where a release holds none: by geometry, metric or features."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors

from tacit.arrays import Arrays, Codes, FloatArray, Rows
from tacit.models.membership.mapping import MembershipMapping
from tacit.models.membership.storage import mapping_parts, stored_mapping
from tacit.records import record
from tacit.releases.lesson import FeatureMap


@dataclass(frozen=True)
class GeometryScores:
    """Scores -|map(x) - e_c|², e_c the owner's class means in a space of their own, map learned from our labels.

    Where source and target share no feature, matching principal directions by rank ([membership] eq. 79) carries
    nothing over; the geometry of the classes is what is left to share.
    """

    mapping: MembershipMapping
    places: FloatArray

    @classmethod
    def learned(cls, rows: Rows, targets: FloatArray, places: FloatArray) -> "GeometryScores":
        """Return the scores whose mapping takes ``rows`` [L, p] to ``targets`` [L, d]."""
        return cls(MembershipMapping(random_state=0).fit(rows, targets), places)

    def __call__(self, X: Rows) -> FloatArray:
        """Return class scores [N, C]."""
        mapped = np.asarray(self.mapping.predict(X)).reshape(len(X), -1)
        scores: FloatArray = 2 * mapped @ self.places.T - (self.places**2).sum(axis=1)
        return scores

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        arrays, numbers = mapping_parts(self.mapping)
        return {**arrays, "places": self.places}, {"form": "geometry", "numbers": numbers}


@record
class NeighbourScores:
    """Scores log((votes_c + 1/C) / (k + 1)) of the k nearest of our labelled rows in a metric."""

    metric: FloatArray
    """[d, p]"""
    rows: Rows
    codes: Codes
    """[L, p] and [L]: our labelled rows."""
    n_classes: int
    n_neighbours: int

    def __call__(self, X: Rows) -> FloatArray:
        """Return class scores [N, C]."""
        near = self._index(len(self.rows)).kneighbors(X @ self.metric.T, return_distance=False)
        return self._scores(near)

    def left_out(self) -> FloatArray:
        """Return the scores of the labelled rows [L, C], each by its neighbours among the others."""
        if len(self.rows) < 2:
            return np.zeros((len(self.rows), self.n_classes))
        return self._scores(self._index(len(self.rows) - 1).kneighbors(return_distance=False))

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        arrays: Arrays = {"metric": self.metric, "rows": self.rows, "codes": self.codes.astype(np.int64)}
        return arrays, {"form": "neighbours", "n_classes": self.n_classes, "n_neighbours": self.n_neighbours}

    def _index(self, most: int) -> NearestNeighbors:
        return NearestNeighbors(n_neighbors=min(self.n_neighbours, most)).fit(self.rows @ self.metric.T)

    def _scores(self, near: NDArray[np.intp]) -> FloatArray:
        votes = np.eye(self.n_classes)[self.codes[near]].sum(axis=1)
        # One more vote, spread over all classes: no class is ruled out by k neighbours.
        scores: FloatArray = np.log((votes + 1 / self.n_classes) / (near.shape[1] + 1))
        return scores


@record
class FeatureScores:
    """Scores phi(x) W + b of released features phi, learned from our labels."""

    features: FeatureMap
    W: FloatArray
    """[d, C]"""
    b: FloatArray
    """[C]"""

    @classmethod
    def learned(cls, features: FeatureMap, rows: Rows, codes: Codes, n_classes: int) -> "FeatureScores":
        """Return the logistic regression of ``codes`` on the features of ``rows``; classes without a row score 0."""
        phi = features(rows)
        W, b = np.zeros((phi.shape[1], n_classes)), np.zeros(n_classes)
        present = np.unique(codes)
        if len(present) > 1:
            model = LogisticRegression(C=10.0, max_iter=300)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # weights close to the best rank rows as well
                model.fit(phi, codes)
            two = len(present) == 2  # one weight vector, for the second class against the first
            W[:, present] = (np.vstack([-model.coef_, model.coef_]) / 2 if two else model.coef_).T
            b[present] = np.concatenate([-model.intercept_, model.intercept_]) / 2 if two else model.intercept_
        return cls(features, W, b)

    def __call__(self, X: Rows) -> FloatArray:
        """Return class scores [N, C]."""
        scores: FloatArray = self.features(X) @ self.W + self.b
        return scores

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        arrays, settings = self.features.to_parts()
        return {**arrays, "W": self.W, "b": self.b}, {"form": "features", "features": settings}


def stored_geometry(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> GeometryScores:
    """Return the geometry scores that ``to_parts`` took apart."""
    return GeometryScores(stored_mapping(arrays, settings["numbers"]), arrays["places"])


def stored_neighbours(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> NeighbourScores:
    """Return the neighbour scores that ``to_parts`` took apart."""
    sizes = int(settings["n_classes"]), int(settings["n_neighbours"])
    return NeighbourScores(arrays["metric"], arrays["rows"], arrays["codes"].astype(np.intp), *sizes)
