"""Classification by distance: one affine hull machine for each class."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from tacit.models.affine_hull.layers import ShiftedRows
from tacit.models.affine_hull.routing import RoutedHulls
from tacit.models.affine_hull.wide import HullSettings, WideHull, learn_wide, map_blocks, wide_distances
from tacit.models.estimator_input import validate_data
from tacit.models.parts import PartEstimator, learn_classes
from tacit.models.per_class import ScoreClassifierMixin, decisions
from tacit.models.routing import routed_codes, worth_routing
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
class AffineHullClassifier(ScoreClassifierMixin, PartEstimator):
    """Give a row to the class whose affine hull machine maps it least far.

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
    classes_ : array [C]
    hulls_ : list of sequences of DeepHull
        The parts of each class, in the order of ``classes_``.
    n_features_in_ : int

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AffineHullClassifier(n_components=3).fit(X[::2] / 8, y[::2])
    >>> bool(model.score(X[1::2] / 8, y[1::2]) > 0.9)
    True
    """

    rank: int | None = 80

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn the hull of each class of rows ``X`` [N, p] with labels ``y`` [N]. [hull] Def. 7."""
        learn = partial(learn_wide, settings=HullSettings.of(self))
        self.classes_, self.hulls_ = learn_classes(self, X, y, learn)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of each row [N]: the class with the nearest image. [hull] Def. 7.

        Of many rows each is mapped only by parts whose distance a bound does not exclude.
        """
        check_is_fitted(self)
        Y = np.asarray(validate_data(self, X, dtype=self.hulls_[0][0].mean.dtype, reset=False))
        if not worth_routing(len(Y), sum(map(len, self.hulls_))):
            return super().predict(X)
        codes = routed_codes(RoutedHulls.of(self.hulls_), Y, n_jobs=self.n_jobs)
        return np.asarray(self.classes_[codes])

    def class_distances(self, X: ArrayLike) -> NDArray[Any]:
        """Return the distance of each row from its image by the hull of each class [N, C]. [hull] eq. 62."""
        check_is_fitted(self)
        origin = self.hulls_[0][0].mean
        Y = np.asarray(validate_data(self, X, dtype=origin.dtype, reset=False))
        return map_blocks(partial(hull_distances, self.hulls_), Y, origin, n_jobs=self.n_jobs)

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
