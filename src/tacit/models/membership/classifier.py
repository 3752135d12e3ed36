"""Classification by reconstruction: one wide autoencoder for each class."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from tacit.arrays import BoolArray
from tacit.errors import InputError
from tacit.models.estimator_input import validate_data
from tacit.models.membership.routing import RoutedAutoencoders
from tacit.models.membership.wide import (
    AutoencoderSettings,
    WideAutoencoder,
    learn_wide,
    wide_errors,
    wide_filter,
    wide_layers,
)
from tacit.models.parts import in_blocks
from tacit.models.routing import RoutedClassifier, Router, worth_routing
from tacit.numerics.kernels import Floats


def class_errors(models: Sequence[WideAutoencoder], Y: Floats) -> Floats:
    """Return the squared reconstruction error [N, C] of each row by the autoencoder of each class."""
    return np.stack([wide_errors(model, Y) for model in models], axis=1)


@dataclass(eq=False, repr=False, kw_only=True)
class MembershipClassifier(RoutedClassifier):
    """Give a row to the class whose autoencoder reconstructs it best: [membership] Alg. 4, eq. 71.

    Nothing is protected: the landmarks are means of training rows. A fitted classifier must never be handed out.

    The scores are minus squared distances and no probabilities; where those are needed, wrap the classifier in
    ``sklearn.calibration.CalibratedClassifierCV``.

    Parameters
    ----------
    n_components, n_layers, part_size, overlap, random_state, n_jobs
        As in ``PartEstimator``.
    max_landmarks : int, float or None, default 0.5
        The most landmarks of a part: a number, a share of its rows in (0, 1], or None for min(⌈N/2⌉, 1000).

    Attributes
    ----------
    classes_, n_features_in_
        As in ``RoutedClassifier``.
    autoencoders_ : list of sequences of DeepAutoencoder
        The parts of each class, in the order of ``classes_``.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import train_test_split
    >>> X, new, y, truth = train_test_split(*load_digits(return_X_y=True), random_state=0)
    >>> bool(MembershipClassifier(random_state=0).fit(X, y).score(new, truth) > 0.97)
    True
    """

    max_landmarks: float | None = 0.5

    def reconstruction_errors(self, X: ArrayLike) -> NDArray[Any]:
        """Return ‖y - WD(y; P_c)‖² [N, C]: the squared error of each row by the autoencoder of each class."""
        check_is_fitted(self)
        return np.concatenate(in_blocks(partial(class_errors, self.autoencoders_), self._rows(X), n_jobs=self.n_jobs))

    def reconstruct(self, X: ArrayLike, y: ArrayLike) -> NDArray[Any]:
        """Return each row reconstructed by the autoencoder of class ``y``, one label or one for each row [N, p].

        [membership] eq. 69, as eq. 84 and 87 use it.
        """
        check_is_fitted(self)
        Y = self._rows(X)
        outputs = np.empty_like(Y)
        for code, members in self._by_class(y, len(Y)):
            blocks = in_blocks(partial(wide_filter, self.autoencoders_[code]), Y[members], n_jobs=self.n_jobs)
            outputs[members] = np.concatenate([block.rows for block in blocks])
        return outputs

    def reconstruct_layers(self, X: ArrayLike, y: ArrayLike) -> NDArray[Any]:
        """Return [L, N, p]: what each layer of the best part of class ``y`` makes of a row, least abstract first."""
        check_is_fitted(self)
        Y = self._rows(X)
        outputs = np.empty((len(self.autoencoders_[0][0].layers), *Y.shape), dtype=Y.dtype)
        for code, members in self._by_class(y, len(Y)):
            blocks = in_blocks(partial(wide_layers, self.autoencoders_[code]), Y[members], n_jobs=self.n_jobs)
            outputs[:, members] = np.concatenate(blocks, axis=1)
        return outputs

    def _scores(self, X: ArrayLike) -> NDArray[Any]:
        """Return minus the reconstruction errors [N, C]. [membership] eq. 71."""
        return -self.reconstruction_errors(X)

    def _learn(self, rows: Floats, groups: Sequence[NDArray[np.intp]]) -> None:
        self.autoencoders_ = learn_wide(rows, groups, AutoencoderSettings.of(self), n_jobs=self.n_jobs)

    def _router(self, n_rows: int) -> Router | None:
        n_parts, deepest = sum(map(len, self.autoencoders_)), max(len(part.layers) for part in self.autoencoders_[0])
        if deepest > 1 or not worth_routing(n_rows, n_parts):
            return None
        return RoutedAutoencoders.of(self.autoencoders_)

    def _rows(self, X: ArrayLike) -> Floats:
        dtype = self.autoencoders_[0][0].directions.dtype
        return np.asarray(validate_data(self, X, dtype=dtype, reset=False))

    def _by_class(self, y: ArrayLike, n_rows: int) -> list[tuple[int, BoolArray]]:
        """Return the place of each class that occurs in ``y`` and the rows that have it."""
        labels = np.broadcast_to(np.asarray(y), n_rows)
        learned = np.isin(labels, self.classes_)
        if not learned.all():
            raise InputError(
                f"y must hold labels that the classifier has learned, such as {self.classes_[0]!r}; "
                f"{np.count_nonzero(~learned)} of {n_rows} are others."
            )
        masks = [(code, labels == label) for code, label in enumerate(self.classes_)]
        return [(code, mask) for code, mask in masks if mask.any()]
