"""One Gaussian for each class, from noisy moments: what is noise is taken for the prior, what is signal is kept."""

from typing import Any

import numpy as np

from tacit.arrays import Codes, FloatArray, IntArray
from tacit.kinds.fabricated_rows.deformations import deformed
from tacit.kinds.fabricated_rows.directions import Directions
from tacit.records import record

# Deformations from which the prior covariance of a class of pictures is taken.
DEFORMATIONS = 200


@record
class NoisyMoments:
    """Class moments in public directions, and how much noise is in them."""

    means: FloatArray
    """[C, d]"""
    covariances: FloatArray
    """[C, d, d]"""
    counts: FloatArray
    """[C]: at least 1."""
    mean_noise: FloatArray
    """[C]: expected squared length of the noise in a mean."""
    covariance_noise: FloatArray
    """[C]: expected squared Frobenius norm of the noise in a covariance."""


@record
class ClassGaussians:
    """The laws to draw from: means [C, d], factors L [C, d, d] with covariance L Lᵀ, shares of the classes [C]."""

    means: FloatArray
    factors: FloatArray
    shares: FloatArray

    def draw(self, codes: Codes, random: Any) -> FloatArray:
        """Return one row of coordinates [N, d] for each class code."""
        Z = np.empty((len(codes), self.means.shape[1]))
        for code in np.unique(codes):
            of_class = np.flatnonzero(codes == code)
            Z[of_class] = self.means[code] + random.standard_normal((len(of_class), Z.shape[1])) @ self.factors[code].T
        return Z


def signal_share(difference: FloatArray, noise: float) -> float:
    """Return max(0, 1 - noise / |difference|²): the part of a noisy difference to keep [stein]."""
    square = float((difference**2).sum())
    return max(0.0, 1 - noise / square) if square > 0 else 0.0


def class_gaussians(moments: NoisyMoments, directions: Directions, random: Any) -> ClassGaussians:
    """Return the Gaussians of noisy moments.

    A mean is drawn towards the mean of all rows, and a covariance first towards what all classes share and that
    towards a prior, each as far as its noise, whose law is public, demands. The prior of a picture's class is the
    covariance of small deformations of its mean; of a table, the variances alone.
    """
    shares = moments.counts / moments.counts.sum()
    middle = shares @ moments.means
    means = np.array(
        [
            middle + signal_share(mean - middle, noise) * (mean - middle)
            for mean, noise in zip(moments.means, moments.mean_noise, strict=True)
        ]
    )
    prior = _prior(means, moments, shares, directions, random)
    covariances = shrunk_covariances(moments.covariances, prior, shares, moments.covariance_noise)
    factors = np.array([_factor(each, directions.least_variance) for each in covariances])
    return ClassGaussians(means, factors, shares)


def shrunk_covariances(noisy: FloatArray, prior: FloatArray, shares: FloatArray, noise: FloatArray) -> FloatArray:
    """Return covariances [C, d, d] between the noisy ones and their prior: pooled first, then class by class."""
    common = np.tensordot(shares, noisy - prior, axes=1)
    common *= signal_share(common, float(shares**2 @ noise))
    own = noisy - prior - common
    kept = [signal_share(each, level) for each, level in zip(own, noise, strict=True)]
    covariances: FloatArray = prior + common + np.array(kept)[:, None, None] * own
    return covariances


def dealt_codes(shares: FloatArray, count: int, random: Any) -> Codes:
    """Return ``count`` class codes in random order, each class as often as its share says."""
    codes: Codes = random.permutation(np.repeat(np.arange(len(shares)), whole_parts(shares, count)))
    return codes


def whole_parts(shares: FloatArray, count: int) -> IntArray:
    """Return whole numbers that add up to ``count``, nearest to the shares: the largest remainders are rounded up."""
    exact = shares / shares.sum() * count
    parts: IntArray = np.floor(exact).astype(np.int64)
    parts[np.argsort(parts - exact, kind="stable")[: count - int(parts.sum())]] += 1
    return parts


def _prior(
    means: FloatArray, moments: NoisyMoments, shares: FloatArray, directions: Directions, random: Any
) -> FloatArray:
    if not directions.shape or directions.pixels is None:
        variances = np.einsum("c,cii->i", shares, moments.covariances)
        return np.tile(np.diag(np.maximum(variances, directions.least_variance)), (len(means), 1, 1))
    pictures = directions.rows(means)[:, directions.pixels]
    rows = np.empty((DEFORMATIONS, *pictures.shape))
    rows[:, :, directions.pixels] = deformed(pictures, directions.shape, DEFORMATIONS, random)
    return np.array([np.cov(directions.coordinates(rows[:, code]).T) for code in range(len(means))])


def _factor(covariance: FloatArray, least: float) -> FloatArray:
    """Return L with L Lᵀ the covariance, its variances along principal directions at least ``least``."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    factor: FloatArray = vectors * np.sqrt(np.maximum(values, least))
    return factor
