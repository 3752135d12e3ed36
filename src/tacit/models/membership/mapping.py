"""Regression by a membership-mapping: a kernel model whose smoothing, width and size choose themselves."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from tacit import checks
from tacit.arrays import FLOATS
from tacit.errors import InputError
from tacit.models.estimator_input import validate_data
from tacit.models.membership.data_model import log_memberships
from tacit.models.membership.solution import (
    MIN_SMOOTHING,
    LandmarkBasis,
    MappingSolution,
    choose_basis,
    evaluate,
    landmark_limit,
    learn_on_basis,
    make_basis,
    smoothing,
)
from tacit.models.scikit_learn import BaseEstimator, MultiOutputMixin, RegressorMixin
from tacit.numerics.kernels import Floats, feature_scales


class MembershipMapping(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Kernel regression on landmarks, with smoothing, kernel widths and number of landmarks read off the data.

    Nothing is protected: the landmarks are means of training rows. A fitted mapping must never be handed out.

    Far from every landmark the prediction is 0, since the mapping has mean zero: centre ``y`` if 0 is no sensible
    answer there.

    Parameters
    ----------
    max_landmarks : int, float or None, default None
        The most landmarks to try: a number, a share of the rows in (0, 1], or None for min(⌈N/2⌉, 1000).
    min_smoothing : float, default 0.1
        The least smoothing that the number of landmarks may leave, kappa: smaller means more landmarks and a closer
        fit. A curve over one to three features may want 1e-4.
    landmarks : array [M, n] or None
        Landmarks to use as they are. None: cluster centres of the training rows.
    random_state : int, RandomState or None
        Chooses the rows from which clustering starts.

    Attributes
    ----------
    mapping_ : MappingSolution
        Landmarks, scales, coefficients, smoothing, variance and noise.
    n_features_in_ : int

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> X, y = make_friedman1(600, random_state=0)
    >>> model = MembershipMapping(random_state=0).fit(X[:400], y[:400])
    >>> bool(model.score(X[400:], y[400:]) > 0.85)
    True
    """

    def __init__(
        self,
        *,
        max_landmarks: float | None = None,
        min_smoothing: float = MIN_SMOOTHING,
        landmarks: ArrayLike | None = None,
        random_state: Any = None,
    ) -> None:
        self.max_landmarks = max_landmarks
        self.min_smoothing = min_smoothing
        self.landmarks = landmarks
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn the mapping from rows ``X`` [N, n] to ``y`` [N] or [N, p]. [membership] Alg. 1."""
        rows, outputs = validate_data(self, X, y, dtype=FLOATS, multi_output=True, y_numeric=True)
        Y = np.asarray(outputs, dtype=rows.dtype).reshape(len(rows), -1)
        basis, tau = self._basis(rows)
        self.mapping_: MappingSolution = learn_on_basis(basis, tau, rows, Y)
        self._one_output = np.ndim(outputs) == 1
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the outputs at the rows of ``X``: [N] or [N, p], as ``y`` was. [membership] eq. 60."""
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=self.mapping_.landmarks.dtype, reset=False)
        outputs = evaluate(self.mapping_, rows)
        return outputs[:, 0] if self._one_output else outputs

    def log_memberships(self, X: ArrayLike, y: ArrayLike) -> NDArray[Any]:
        """Return the logarithm of the membership of each output at all rows together [p]: the data model, eq. 45.

        0 is complete membership, reached by no data with noise; outputs that the mapping does not follow have large
        negative values. [membership] Def. 8.
        """
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=self.mapping_.landmarks.dtype, reset=False)
        outputs = np.asarray(y, dtype=rows.dtype)
        wanted = (len(rows),) if self._one_output else (len(rows), self.mapping_.coefficients.shape[1])
        if outputs.shape != wanted:
            raise InputError(f"y must have shape {wanted}, as in fit, for these rows; got {outputs.shape}.")
        return log_memberships(self.mapping_, rows, outputs.reshape(len(rows), -1))

    def _basis(self, X: Floats) -> tuple[LandmarkBasis, float]:
        limit = landmark_limit(self.max_landmarks, len(X))
        least = checks.positive("min_smoothing", self.min_smoothing)
        if self.landmarks is None:
            order = check_random_state(self.random_state).permutation(len(X))
            return choose_basis(X, max_landmarks=limit, order=order, min_smoothing=least)
        landmarks = check_array(self.landmarks, dtype=X.dtype, input_name="landmarks")
        if landmarks.shape[1] != X.shape[1]:
            raise InputError(
                f"landmarks must have one column for each of the {X.shape[1]} features of X; got {landmarks.shape[1]}."
            )
        basis = make_basis(landmarks, feature_scales(X))
        return basis, smoothing(basis, X)
