"""Classification by distance: one affine hull machine for each class."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.arrays import FLOATS
from tacit.models.affine_hull.layers import Shifted
from tacit.models.affine_hull.wide import Shape, Wide, in_blocks, learn_wide, wide_distances
from tacit.numerics.kernels import Floats


def hull_distances(hulls: Sequence[Wide], seen: Shifted) -> Floats:
    """Return the distance [N, C] of each row from its image by the hull of each class."""
    return np.stack([wide_distances(hull, seen) for hull in hulls], axis=1)


def matching_scores(distances: Floats) -> Floats:
    """Return exp(-d_c² / sum_c d_c²) [N, C] of distances d [N, C]; 1 where all are 0. [hull] Def. 8."""
    squares = np.square(distances, dtype=np.float64)
    total = squares.sum(axis=1, keepdims=True)
    scores: Floats = np.exp(-np.divide(squares, total, out=np.zeros_like(squares), where=total > 0))
    return scores


class AffineHullClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Give a row to the class whose affine hull machine maps it least far.

    Nothing is protected: the coefficients are made of training rows. A fitted classifier must never be handed out.

    The smoothing chooses itself, and in doing so depends on the scale of the data: features are expected in [0, 1], as
    a schema encodes them. A row far from all training rows may have their kernel average as its image; see
    ``AffineHull``.

    Parameters
    ----------
    n_components : int, default 20
        Principal directions that the first layer looks along; each further layer has one fewer, and at least one.
    n_layers : int, default 1
        Further layers cost as much as the first and seldom change a prediction.
    part_size : int or None, default 700
        A class of more rows falls into parts of about so many neighbours (at most twice as many), with a hull each.
        None: one hull for a class, whose cost grows with its rows to the third power.
    overlap : int, default 2
        In how many neighbouring parts a row is learned: 1 as in the paper; 2 costs twice as much and is better.
    rank : int or None, default 80
        Project each part's rows on this many of their principal directions first: smaller and faster. None: all.
    random_state : int, RandomState or None
        Chooses the rows from which clustering starts.
    n_jobs : int or None
        Parts learned, and blocks of rows predicted, at the same time.

    Attributes
    ----------
    classes_ : array [C]
    hulls_ : list of sequences of DeepHull
        The parts of each class, in the order of ``classes_``.
    n_features_in_ : int

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import train_test_split
    >>> X, new, y, truth = train_test_split(*load_digits(return_X_y=True), random_state=0)
    >>> bool(AffineHullClassifier().fit(X / 16, y).score(new / 16, truth) > 0.98)
    True
    """

    def __init__(
        self,
        *,
        n_components: int = 20,
        n_layers: int = 1,
        part_size: int | None = 700,
        overlap: int = 2,
        rank: int | None = 80,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_layers = n_layers
        self.part_size = part_size
        self.overlap = overlap
        self.rank = rank
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn the hull of each class of rows ``X`` [N, p] with labels ``y`` [N]. [hull] Def. 7."""
        shape = Shape(self.n_components, self.n_layers, self.part_size, self.overlap, self.rank)
        rows, labels = validate_data(self, X, y, dtype=FLOATS)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        order = check_random_state(self.random_state).permutation(len(codes))
        groups = [order[codes[order] == code] for code in range(len(self.classes_))]
        self.hulls_: list[Wide] = learn_wide(np.asarray(rows), groups, shape, n_jobs=self.n_jobs)
        return self

    def class_distances(self, X: ArrayLike) -> NDArray[Any]:
        """Return the distance of each row from its image by the hull of each class [N, C]. [hull] eq. 62."""
        check_is_fitted(self)
        origin = self.hulls_[0][0].mean
        Y = np.asarray(validate_data(self, X, dtype=origin.dtype, reset=False))
        return in_blocks(partial(hull_distances, self.hulls_), Y, origin, n_jobs=self.n_jobs)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of the nearest hull [N]. [hull] Def. 7."""
        nearest = self.class_distances(X).argmin(axis=1)
        labels: NDArray[Any] = self.classes_[nearest]
        return labels

    def decision_function(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class-matching scores [N, C]; for two classes how much more the second matches [N].

        [hull] Def. 8.
        """
        scores = matching_scores(self.class_distances(X))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_proba(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class-matching scores over their sum [N, C].

        They order the classes and are not calibrated: with C classes each lies between 1/(1 + (C - 1) e) and
        e/(e + C - 1). Wrap the classifier in ``sklearn.calibration.CalibratedClassifierCV`` for probabilities.
        """
        scores = matching_scores(self.class_distances(X))
        shares: NDArray[Any] = scores / scores.sum(axis=1, keepdims=True)
        return shares
