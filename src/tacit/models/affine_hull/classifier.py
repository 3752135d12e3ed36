"""Classification by distance: one affine hull machine for each class."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from tacit.models.affine_hull.layers import ShiftedRows
from tacit.models.affine_hull.routing import RoutedHulls
from tacit.models.affine_hull.wide import HullSettings, WideHull, learn_wide, map_blocks, wide_distances
from tacit.models.estimator_input import validate_data
from tacit.models.per_class import decisions
from tacit.models.routing import RoutedClassifier, Router, worth_routing
from tacit.numerics.kernels import Floats


def hull_distances(hulls: Sequence[WideHull], rows: ShiftedRows) -> Floats:
    """Return the distance [N, C] of each row from its image by the hull of each class."""
    return np.stack([wide_distances(hull, rows) for hull in hulls], axis=1)


def matching_scores(distances: Floats) -> Floats:
    """Return exp(-d_c² / sum_c d_c²) [N, C] of distances d [N, C]; 1 where all are 0. [hull] Def. 8."""
    squares = np.square(distances, dtype=np.float64)
    total = squares.sum(axis=1, keepdims=True)
    scores: Floats = np.exp(-np.divide(squares, total, out=np.zeros_like(squares), where=total > 0))
    return scores


@dataclass(eq=False, repr=False, kw_only=True)
class AffineHullClassifier(RoutedClassifier):
    """Give a row to the class whose affine hull machine maps it least far: [hull] Def. 7.

    Nothing is protected: the coefficients are made of training rows. A fitted classifier must never be handed out.

    The smoothing chooses itself, and in doing so depends on the scale of the data: features are expected in [0, 1], as
    a schema encodes them. A row far from all training rows may have their kernel average as its image; see
    ``AffineHull``.

    Parameters
    ----------
    n_components, n_layers, part_size, overlap, random_state, n_jobs
        As in ``PartEstimator``.
    rank : int or None, default 80
        Project each part's rows on this many of their principal directions first: smaller and faster. None: all.

    Attributes
    ----------
    classes_, n_features_in_
        As in ``RoutedClassifier``.
    hulls_ : list of sequences of DeepHull
        The parts of each class, in the order of ``classes_``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AffineHullClassifier(n_components=3).fit(X[::2] / 8, y[::2])
    >>> bool(model.score(X[1::2] / 8, y[1::2]) > 0.9)
    True
    """

    rank: int | None = 80

    def class_distances(self, X: ArrayLike) -> NDArray[Any]:
        """Return the distance of each row from its image by the hull of each class [N, C]. [hull] eq. 62."""
        check_is_fitted(self)
        origin = self.hulls_[0][0].mean
        return map_blocks(partial(hull_distances, self.hulls_), self._rows(X), origin, n_jobs=self.n_jobs)

    def decision_function(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class-matching scores [N, C]; for two classes how much more the second matches [N].

        [hull] Def. 8.
        """
        return decisions(matching_scores(self.class_distances(X)))

    def predict_proba(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class-matching scores over their sum [N, C].

        They order the classes and are not calibrated: with C classes each lies between 1/(1 + (C - 1) e) and
        e/(e + C - 1). Wrap the classifier in ``sklearn.calibration.CalibratedClassifierCV`` for probabilities.
        """
        scores = matching_scores(self.class_distances(X))
        shares: NDArray[Any] = scores / scores.sum(axis=1, keepdims=True)
        return shares

    def _scores(self, X: ArrayLike) -> NDArray[Any]:
        """Return minus the distances [N, C]: the nearest hull is predicted. [hull] Def. 7."""
        return -self.class_distances(X)

    def _learn(self, rows: Floats, groups: Sequence[NDArray[np.intp]]) -> None:
        self.hulls_ = learn_wide(rows, groups, HullSettings.of(self), n_jobs=self.n_jobs)

    def _rows(self, X: ArrayLike) -> Floats:
        return np.asarray(validate_data(self, X, dtype=self.hulls_[0][0].mean.dtype, reset=False))

    def _router(self, n_rows: int) -> Router | None:
        return RoutedHulls.of(self.hulls_) if worth_routing(n_rows, sum(map(len, self.hulls_))) else None
