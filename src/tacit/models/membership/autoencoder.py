"""The membership-mapping autoencoder, deep and wide, as an estimator."""

from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.arrays import FLOATS
from tacit.models.membership.wide import (
    Filtered,
    Shape,
    Wide,
    in_blocks,
    learn_wide,
    wide_errors,
    wide_filter,
    wide_layers,
)
from tacit.numerics.kernels import Floats


class MembershipAutoencoder(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Reconstruct rows by kernel mappings from a few principal directions of their neighbourhood.

    The training rows fall into parts of neighbours; each part is learned in closed form by a conditionally deep
    autoencoder. A row is reconstructed by whichever part and layer comes closest to it.

    Nothing is protected: the landmarks are means of training rows. A fitted autoencoder must never be handed out.

    Parameters
    ----------
    n_components : int, default 20
        Directions of the first layer; each further layer has one fewer, and at least one.
    max_landmarks : int, float or None, default 0.5
        The most landmarks of a part: a number, a share of its rows in (0, 1], or None for min(⌈N/2⌉, 1000).
    n_layers : int, default 1
    part_size : int or None, default 700
        About how many rows a part has, and at most twice as many. None: all rows are one part.
    overlap : int, default 2
        In how many neighbouring parts a row is learned: 1 as in the paper; 2 costs twice as much and is better.
    random_state : int, RandomState or None
        Chooses the rows from which clustering starts.
    n_jobs : int or None
        Parts learned, and blocks of rows reconstructed, at the same time.

    Attributes
    ----------
    parts_ : sequence of DeepAutoencoder
    n_features_in_ : int

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, _ = load_digits(return_X_y=True)
    >>> model = MembershipAutoencoder(random_state=0).fit(X[:1000])
    >>> bool(model.reconstruction_errors(X[1000:]).mean() < X[1000:].var(axis=0).sum() / 3)
    True
    """

    def __init__(
        self,
        *,
        n_components: int = 20,
        max_landmarks: float | None = 0.5,
        n_layers: int = 1,
        part_size: int | None = 700,
        overlap: int = 2,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.max_landmarks = max_landmarks
        self.n_layers = n_layers
        self.part_size = part_size
        self.overlap = overlap
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn passes a target
        """Learn to reconstruct the rows of ``X`` [N, p]. [membership] Alg. 3."""
        shape = Shape(self.n_components, self.max_landmarks, self.n_layers, self.part_size, self.overlap)
        Y = np.asarray(validate_data(self, X, dtype=FLOATS))
        order = check_random_state(self.random_state).permutation(len(Y))
        self.parts_: Wide = learn_wide(Y, [order], shape, n_jobs=self.n_jobs)[0]
        return self

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """Return the reconstructions [N, p]."""
        return self.filter(X).rows

    def filter(self, X: ArrayLike) -> Filtered:
        """Return the reconstructions, their errors, and the parts and layers they are from. [membership] eq. 69."""
        pieces = in_blocks(partial(wide_filter, self._fitted()), self._rows(X), n_jobs=self.n_jobs)
        return Filtered(
            np.concatenate([piece.rows for piece in pieces]),
            np.concatenate([piece.errors for piece in pieces]),
            np.concatenate([piece.parts for piece in pieces]),
            np.concatenate([piece.layers for piece in pieces]),
        )

    def reconstruction_errors(self, X: ArrayLike) -> NDArray[Any]:
        """Return ‖y - reconstruction‖² of each row [N]."""
        return np.concatenate(in_blocks(partial(wide_errors, self._fitted()), self._rows(X), n_jobs=self.n_jobs))

    def reconstruct_layers(self, X: ArrayLike) -> NDArray[Any]:
        """Return [L, N, p]: what each layer of a row's best part makes of it, least abstract first."""
        pieces = in_blocks(partial(wide_layers, self._fitted()), self._rows(X), n_jobs=self.n_jobs)
        return np.concatenate(pieces, axis=1)

    def _fitted(self) -> Wide:
        check_is_fitted(self)
        return self.parts_

    def _rows(self, X: ArrayLike) -> Floats:
        dtype = self.parts_[0].directions.dtype
        return np.asarray(validate_data(self, X, dtype=dtype, reset=False))
