"""Class scores of pictures from noisy class sums, with frame and ridge chosen without any label."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from tacit.arrays import Float32Array, FloatArray, Rows
from tacit.models.class_moments.discriminants import RIDGE, LinearDiscriminant
from tacit.models.class_moments.features import ImageFeatures, ScaledColumns
from tacit.models.class_moments.frames import Frame
from tacit.models.class_moments.pooled_sums import safe_counts
from tacit.records import record

# Least ridges to choose among: where the receiver's pictures differ from the owner's, directions in which its rows
# hardly vary carry more of that difference than of the classes, however little noise there is.
FLOORS = (0.0, 0.005, 0.02, 0.1)
# If guessed classes are more uneven than this, rows are weighed so that classes count alike, and guessed again: in the
# covariance of an uneven table the common classes' differences are taken for noise.
MOST_UNEVEN = 1.6
BALANCINGS = 3
# Rows on which frames and ridges are compared.
COMPARED_ROWS = 2500


@record
class PictureScores:
    """Scores of the receiver's pictures, and the same from two halves of the features, whose noise is independent."""

    scores: LinearDiscriminant
    halves: tuple[LinearDiscriminant, LinearDiscriminant]


@record
class _Moments:
    """The owner's class contrasts [C, k], and the receiver's feature rows [N, k] less their mean."""

    contrasts: FloatArray
    phi: Float32Array
    middle: FloatArray
    covariance: FloatArray

    @classmethod
    def of(cls, contrasts: FloatArray, phi: Float32Array, weights: Float32Array | None = None) -> "_Moments":
        """Return the moments of feature rows, each counted by its weight; None: all alike."""
        shares = np.full(len(phi), 1 / len(phi), np.float32) if weights is None else weights / weights.sum()
        middle = shares @ phi
        rows = phi - middle
        covariance = (rows * shares[:, None]).T @ rows
        return cls(contrasts, rows, middle.astype(np.float64), np.asarray(covariance, dtype=np.float64))

    def directions(self, ridge: float, columns: NDArray[np.intp]) -> FloatArray:
        """Return W = (S + ridge I)^-1 (m_c - m) [k, C] by some of the features; the others have 0."""
        W = np.zeros(self.contrasts.T.shape)
        part = self.covariance[np.ix_(columns, columns)] + ridge * np.eye(len(columns))
        W[columns] = cho_solve(cho_factor(part), self.contrasts[:, columns].T)
        return W


def balancing_weights(scores: FloatArray) -> Float32Array | None:
    """Return weights [N] under which rows of all guessed classes count alike; None if they do so already.

    A class is taken to have at least a fifth of an equal share.
    """
    guesses, n_classes = scores.argmax(axis=1), scores.shape[1]
    shares = np.bincount(guesses, minlength=n_classes) * n_classes / max(len(guesses), 1)
    if shares.min() >= 1 / MOST_UNEVEN and shares.max() <= MOST_UNEVEN:
        return None
    return np.asarray(1 / np.maximum(shares, 0.2)[guesses], dtype=np.float32)


def mean_margin(scores: FloatArray) -> float:
    """Return by how much the best class leads on average, in standard deviations of the scores [N, C]."""
    contrasts = scores - scores.mean(axis=1, keepdims=True)
    ordered = np.sort(contrasts, axis=1)
    return float((ordered[:, -1] - ordered[:, -2]).mean()) / (float(contrasts.std()) or 1.0)


def _best_frame(
    contrasts: FloatArray, X: Rows, frames: Sequence[Frame], features: ImageFeatures | ScaledColumns, noise: float
) -> tuple[Frame, float]:
    """Return the frame and the ridge of largest mean margin over some of the rows."""
    everything, sample = np.arange(features.size), X[:: max(1, -(-len(X) // COMPARED_ROWS))]

    def candidates() -> Iterator[tuple[float, Frame, float]]:
        for frame in frames:
            moments = _Moments.of(contrasts, features(frame(sample)))
            for ridge in sorted({max(noise, floor) for floor in FLOORS}):
                yield mean_margin(moments.phi @ moments.directions(ridge, everything)), frame, ridge

    _, frame, ridge = max(candidates(), key=lambda each: each[0])
    return frame, ridge


def _balanced_moments(contrasts: FloatArray, phi: Rows, ridge: float) -> _Moments:
    """Return the moments of features ``phi`` in which the classes that the scores name are about as common."""
    moments = _Moments.of(contrasts, phi)
    for _ in range(BALANCINGS):
        weights = balancing_weights(moments.phi @ moments.directions(ridge, np.arange(phi.shape[1])))
        if weights is None:
            break
        moments = _Moments.of(contrasts, phi, weights)
    return moments


def picture_scores(
    arrays: Mapping[str, NDArray[Any]],
    X: Rows,
    *,
    sigma: float,
    frames: Sequence[Frame],
    features: ImageFeatures | ScaledColumns,
) -> PictureScores:
    """Return the discriminants in the frame and with the ridge of largest mean margin over the receiver's rows.

    W = (S + lambda I)^-1 (m_c - m) with m_c the mean of class c, m their average, S the receiver's covariance of the
    features and lambda = max(8 sigma/n, lambda0); no label is looked at. Scores of unrelated classes lie close
    together, so that a larger lead means a better match. Classes count alike, however common they are at the owner's.
    Scores are 0 at the receiver's mean row, of which uneven classes make up equal parts: half-way between two noisy
    means would carry their squared noise.
    """
    # A class of which the noise leaves next to no rows must not have next to infinite means, in both halves at once.
    counts = safe_counts(arrays["counts"], sigma)
    means = arrays["sums"] / counts[:, None]
    contrasts, noise = means - means.mean(axis=0), RIDGE * sigma / float(counts.sum())
    everything = np.arange(features.size)
    frame, ridge = _best_frame(contrasts, X, frames, features, noise)
    moments = _balanced_moments(contrasts, features(frame(X)), ridge)

    def discriminant(columns: NDArray[np.intp]) -> LinearDiscriminant:
        W = moments.directions(ridge, columns)
        return LinearDiscriminant(frame, features, W, -moments.middle @ W)

    return PictureScores(discriminant(everything), (discriminant(everything[::2]), discriminant(everything[1::2])))
