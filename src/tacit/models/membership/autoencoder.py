"""The membership-mapping autoencoder, deep and wide, as an estimator."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from tacit.arrays import FLOATS
from tacit.models.estimator_input import validate_data
from tacit.models.membership.wide import (
    AutoencoderSettings,
    Reconstructions,
    WideAutoencoder,
    learn_wide,
    wide_errors,
    wide_filter,
    wide_layers,
)
from tacit.models.parts import PartEstimator, in_blocks
from tacit.models.scikit_learn import OneToOneFeatureMixin, TransformerMixin
from tacit.numerics.kernels import Floats


@dataclass(eq=False, repr=False, kw_only=True)
class MembershipAutoencoder(OneToOneFeatureMixin, TransformerMixin, PartEstimator):
    """Reconstruct rows by kernel mappings from a few principal directions of their neighbourhood.

    The training rows fall into parts of neighbours; each part is learned in closed form by a conditionally deep
    autoencoder. A row is reconstructed by whichever part and layer comes closest to it.

    Nothing is protected: the landmarks are means of training rows. A fitted autoencoder must never be handed out.

    Parameters
    ----------
    n_components, n_layers, part_size, overlap, random_state, n_jobs
        As in ``PartEstimator``.
    max_landmarks : int, float or None, default 0.5
        As in ``MembershipClassifier``.

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

    max_landmarks: float | None = 0.5

    def fit(self, X: ArrayLike, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn passes a target
        """Learn to reconstruct the rows of ``X`` [N, p]. [membership] Alg. 3."""
        settings = AutoencoderSettings.of(self)
        Y = np.asarray(validate_data(self, X, dtype=FLOATS))
        order = check_random_state(self.random_state).permutation(len(Y))
        self.parts_: WideAutoencoder = learn_wide(Y, [order], settings, n_jobs=self.n_jobs)[0]
        return self

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """Return the reconstructions [N, p]."""
        return self.filter(X).rows

    def filter(self, X: ArrayLike) -> Reconstructions:
        """Return the reconstructions, their errors, and the parts and layers they are from. [membership] eq. 69."""
        blocks = in_blocks(partial(wide_filter, self._fitted()), self._rows(X), n_jobs=self.n_jobs)
        return Reconstructions.joined(blocks)

    def reconstruction_errors(self, X: ArrayLike) -> NDArray[Any]:
        """Return ‖y - reconstruction‖² of each row [N]."""
        return np.concatenate(in_blocks(partial(wide_errors, self._fitted()), self._rows(X), n_jobs=self.n_jobs))

    def reconstruct_layers(self, X: ArrayLike) -> NDArray[Any]:
        """Return [L, N, p]: what each layer of a row's best part makes of it, least abstract first."""
        blocks = in_blocks(partial(wide_layers, self._fitted()), self._rows(X), n_jobs=self.n_jobs)
        return np.concatenate(blocks, axis=1)

    def _fitted(self) -> WideAutoencoder:
        check_is_fitted(self)
        return self.parts_

    def _rows(self, X: ArrayLike) -> Floats:
        dtype = self.parts_[0].directions.dtype
        return np.asarray(validate_data(self, X, dtype=dtype, reset=False))
