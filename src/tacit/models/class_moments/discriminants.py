"""Class scores from what a release holds: linear discriminants of class sums, quadratic ones of class moments."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Arrays, Float32Array, FloatArray, Rows
from tacit.models.class_moments.features import ImageFeatures, ScaledColumns
from tacit.models.class_moments.frames import Frame, ImageFrame, frame_parts, stored_frame
from tacit.records import record

QUADRATIC = ("middle", "basis", "means", "whitening", "offsets")
# Ridge of the linear discriminant in units of the noise on a mean: found once on public data, then fixed.
RIDGE = 8.0
# A class covariance is used if at least this share of it is signal.
LEAST_SIGNAL = 0.5


@record
class LinearDiscriminant:
    """Scores features(frame(x)) W + b."""

    frame: Frame
    features: ImageFeatures | ScaledColumns
    W: FloatArray
    b: FloatArray

    def __call__(self, X: Rows) -> FloatArray:
        """Return class scores [N, C]."""
        scores: FloatArray = self.features(self.frame(X)) @ self.W + self.b
        return scores

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        arrays, frame = frame_parts(self.frame)
        shape = list(self.features.shape) if isinstance(self.features, ImageFeatures) else None
        settings = {"form": "linear", "frame": frame, "image": shape, "n_columns": self.features.size}
        return {**arrays, "W": self.W, "b": self.b}, settings


@record
class QuadraticDiscriminant:
    """Gaussian log-densities -|whitening_c (z - mean_c)|²/2 + offset_c of z = basis (frame(x) - middle)."""

    frame: Frame
    middle: FloatArray
    basis: FloatArray
    means: FloatArray
    whitening: FloatArray
    offsets: FloatArray

    def __call__(self, X: Rows) -> FloatArray:
        """Return class scores [N, C]."""
        Z = (self.frame(X) - self.middle) @ self.basis
        scores = np.empty((len(Z), len(self.means)))
        for code, (mean, whitening) in enumerate(zip(self.means, self.whitening, strict=True)):
            scores[:, code] = self.offsets[code] - 0.5 * (((Z - mean) @ whitening) ** 2).sum(axis=1)
        return scores

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        arrays, frame = frame_parts(self.frame)
        return {**arrays, **{name: getattr(self, name) for name in QUADRATIC}}, {"form": "quadratic", "frame": frame}


def stored_discriminant(
    arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]
) -> LinearDiscriminant | QuadraticDiscriminant:
    """Return the discriminant that ``to_parts`` took apart."""
    frame = stored_frame(arrays, settings["frame"])
    if settings["form"] == "quadratic":
        parts: dict[str, Any] = {name: arrays[name] for name in QUADRATIC}
        return QuadraticDiscriminant(frame=frame, **parts)
    image = settings["image"]
    features = ImageFeatures(tuple(image)) if image else ScaledColumns(int(settings["n_columns"]))
    return LinearDiscriminant(frame, features, arrays["W"], arrays["b"])


@record
class MomentFamily:
    """Discriminants of one set of class moments, by subspace dimension and floor of the variances."""

    frame: Frame
    middle: FloatArray
    values: FloatArray
    vectors: FloatArray
    means: FloatArray
    covariances: Float32Array
    counts: FloatArray
    noise: FloatArray

    @classmethod
    def in_frame(cls, arrays: Mapping[str, NDArray[Any]], frame: Frame, Z: Float32Array) -> "MomentFamily":
        """Return the family in the principal basis of the receiver's rows ``Z``, already brought into ``frame``."""
        values, vectors = np.linalg.eigh(np.atleast_2d(np.cov(Z.T, dtype=np.float64)))
        columns = frame.theirs
        return cls(
            frame=frame,
            middle=Z.mean(axis=0, dtype=np.float64),
            values=np.maximum(values[::-1], 0.0),
            vectors=vectors[:, ::-1],
            means=arrays["means"][:, columns],
            covariances=(
                arrays["covariances"]
                if isinstance(frame, ImageFrame)
                else arrays["covariances"][:, columns[:, None], columns[None, :]]
            ),
            counts=np.maximum(arrays["counts"], 1.0),
            noise=arrays["noise"],
        )

    def discriminant(self, dimension: int, floor: float) -> QuadraticDiscriminant:
        """Return the discriminant in ``dimension`` directions.

        Means are shrunk along each direction by signal/(signal + noise), the noise being public. The pooled covariance
        is the receiver's total less what lies between the means; a class's own covariance joins it as far as it rises
        above its noise. Variances are at least ``floor`` times the receiver's mean variance.
        """
        d = min(dimension, self.vectors.shape[1])
        V, total = self.vectors[:, :d], self.values[:d]
        shares = self.counts / self.counts.sum()
        average = float(shares @ (self.noise / self.counts))
        M, left_over = _shrunk((self.means - self.middle) @ V, shares, average)
        between = M - shares @ M
        least = floor * float(total.mean()) or 1e-12
        within = np.diag(total - left_over) - between.T @ (between * shares[:, None])
        pooled = _floored(within, least)
        whitening = np.empty((len(M), d, d))
        offsets = np.empty(len(M))
        for code in range(len(M)):
            own = pooled + self._own_part(code, V, pooled) + np.diag(left_over)
            variances, directions = np.linalg.eigh((own + own.T) / 2)
            variances = np.maximum(variances, least)
            whitening[code] = directions / np.sqrt(variances)
            offsets[code] = -0.5 * np.log(variances).sum()
        return QuadraticDiscriminant(self.frame, self.middle, V, M, whitening, offsets)

    def _own_part(self, code: int, V: FloatArray, pooled: FloatArray) -> FloatArray:
        """Return what the class's own covariance adds to the pooled one, as far as it is signal."""
        difference: FloatArray = V.T @ self.covariances[code] @ V - pooled
        d = len(pooled)
        noise = self.noise[code] ** 2 / self.counts[code] * d * (d + 1)
        share = max(0.0, 1 - noise / max(float((difference**2).sum()), 1e-300))
        return share * difference if share > LEAST_SIGNAL else np.zeros_like(difference)


def _shrunk(M: FloatArray, shares: FloatArray, noise: float) -> tuple[FloatArray, FloatArray]:
    """Return means shrunk towards their average by the noise on them, and the uncertainty left in each direction."""
    overall = shares @ M
    signal = np.maximum(shares @ (M - overall) ** 2 - noise, 0.0)
    shrink = signal / (signal + noise) if noise > 0 else np.ones(M.shape[1])
    return overall + (M - overall) * shrink, shrink * noise


def _floored(S: FloatArray, least: float) -> FloatArray:
    values, axes = np.linalg.eigh(S)
    floored: FloatArray = (axes * np.maximum(values, least)) @ axes.T
    return floored
