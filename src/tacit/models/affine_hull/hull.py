"""The kernel affine hull machine, plain, deep and wide, as an estimator of one set of points."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from tacit.arrays import FLOATS
from tacit.models.affine_hull.layers import ShiftedRows
from tacit.models.affine_hull.wide import HullSettings, WideHull, learn_wide, map_blocks, wide_distances, wide_images
from tacit.models.estimator_input import validate_data
from tacit.models.parts import PartEstimator
from tacit.models.scikit_learn import OneToOneFeatureMixin, TransformerMixin
from tacit.numerics.kernels import Floats


@dataclass(eq=False, repr=False, kw_only=True)
class AffineHull(OneToOneFeatureMixin, TransformerMixin, PartEstimator):
    """Map rows onto a bounded region of the affine hull of the training rows, and measure how far they were from it.

    Nothing is protected: the coefficients are made of training rows. A fitted hull must never be handed out.

    The smoothing chooses itself, and in doing so depends on the scale of the data: features are expected in [0, 1], as
    a schema encodes them.

    Where the sum of a row's memberships crosses zero, which happens far from all training rows, the published image
    explodes. Then the image is the average of the training rows by the kernel, so that no image is more than 1000 times
    as far from the mean of its part as every training row of it.

    Parameters
    ----------
    n_components, n_layers, random_state, n_jobs
        As in ``PartEstimator``.
    part_size : int or None, default 1000
        More rows than this fall into parts of about so many neighbours (at most twice as many), with a hull each: the
        wide form. None: one hull of all rows, whose cost grows with their number to the third power.
    overlap : int, default 1
        In how many neighbouring parts a row is learned.
    rank : int or None, default None
        As in ``AffineHullClassifier``; images leave out what is in no other direction. None: all directions.

    Attributes
    ----------
    parts_ : sequence of DeepHull
    n_features_in_ : int

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> hull = AffineHull().fit(X[y == 0] / 16)
    >>> near, far = hull.distances(X[y == 0] / 16), hull.distances(X[y == 1] / 16)
    >>> bool(near.max() < far.mean())
    True
    """

    part_size: int | None = 1000
    overlap: int = 1
    rank: int | None = None

    def fit(self, X: ArrayLike, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn passes a target
        """Learn the hull of the rows of ``X`` [N, p]. [hull] Def. 1, 3 and 5."""
        settings = HullSettings.of(self)
        Y = np.asarray(validate_data(self, X, dtype=FLOATS))
        order = check_random_state(self.random_state).permutation(len(Y))
        self.parts_: WideHull = learn_wide(Y, [order], settings, n_jobs=self.n_jobs)[0]
        return self

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """Return the image of each row [N, p]. [hull] eq. 55."""
        return self._nearest(wide_images, X)

    def distances(self, X: ArrayLike) -> NDArray[Any]:
        """Return the distance of each row from its image [N]. [hull] eq. 60."""
        return self._nearest(wide_distances, X)

    def _nearest(self, function: Callable[[WideHull, ShiftedRows], Floats], X: ArrayLike) -> Floats:
        check_is_fitted(self)
        origin = self.parts_[0].mean
        Y = np.asarray(validate_data(self, X, dtype=origin.dtype, reset=False))
        return map_blocks(partial(function, self.parts_), Y, origin, n_jobs=self.n_jobs)
