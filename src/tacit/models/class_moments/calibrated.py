"""Calibrated class log-odds from noisy class sums of a table's columns, and how far they stand out from the noise."""

import math
import zlib
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from tacit.arrays import FloatArray, Rows
from tacit.models.class_moments.discriminants import RIDGE, LinearDiscriminant
from tacit.models.class_moments.features import ScaledColumns, count_weight
from tacit.models.class_moments.frames import Frame
from tacit.numerics.public_random import public_random
from tacit.records import record

# Differences between classes make up at most this part of the variance along any direction.
MOST_BETWEEN = 0.75
# Where they would make up more, rows vary more at the owner's than at the receiver's: as much more in every direction
# as is needed, in parts of the mean variance. Releases of one of four hospitals to another, of which some hardly record
# a column, gain .04 AUC by it, and 54 tables of SurvSet, KEEL and other packages 0 to .003 (owners of 300 rows).
RIDGES = np.append(0.0, np.geomspace(0.01, 30.0, 25))
# Beforehand, class means differ along a direction of variance s with a variance proportional to s^power, in units of
# their noise: either by as many standard deviations everywhere (1) or more where rows vary more (2).
POWERS = (1.0, 2.0)
SIGNALS = np.geomspace(1e-3, 1e4, 29)
# Directions of less than this part of the mean variance count as having so much.
LEAST_VARIANCE = 0.01
# A class counts as having at least this share, however its noisy count came out.
LEAST_SHARE = 1e-3
ROUNDS = 50


@record
class CalibratedDiscriminant:
    """Class log-odds of a receiver's rows, and what is known of their quality."""

    scores: LinearDiscriminant
    """Its softmax is the classes' probabilities, of mean ``shares`` over the receiver's rows."""
    halves: tuple[LinearDiscriminant, LinearDiscriminant]
    """The same from sums with more noise, independent between the two."""
    separation: float
    separation_z: float
    size: float
    """As in a `ScoreQuality`."""
    shares: FloatArray
    """[C]"""


@record
class _Contrasts:
    """Class means less their average [C, k], the variance of their noise, and the receiver's feature moments."""

    D: FloatArray
    covariance: FloatArray
    """[C, C]: of the contrasts' noise, the same in every column."""
    shares: FloatArray
    S: FloatArray
    inverse: FloatArray
    """[k, k]: (S + lambda I)^-1 with S the receiver's covariance of the features."""
    phi: FloatArray
    """[N, k]: the receiver's features less their mean, ``middle``."""
    middle: FloatArray

    def discriminant(self, D: FloatArray, covariance: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return directions W [k, C], products D W without what noise adds, and the variance along W [C]."""
        W = self.inverse @ D.T
        # E[e_c' A e_d] = cov_cd tr A for noise e in the contrasts: without it noise would pass for separation.
        products = D @ W - covariance * float(np.trace(self.inverse))
        return W, products, np.einsum("kc,kl,lc->c", W, self.S, W)


def calibrated_discriminant(
    arrays: Mapping[str, NDArray[Any]], X: Rows, *, sigma: float, frame: Frame, features: ScaledColumns
) -> CalibratedDiscriminant:
    """Return log-odds of normal classes of one covariance, by the owner's class means and the receiver's rows.

    Scores are those of `posterior_directions`; offsets make the mean probability of each class its released share.
    Their quality is read along w_c = (S + lambda I)^-1 (m_c - m), which the noise in the means did not choose:
    separation without what noise of known size adds, and how far it stands out of that noise.
    """
    contrasts = _contrasts(arrays, X, sigma=sigma, frame=frame, features=features)
    finish = partial(_finished, contrasts, frame=frame, features=features)
    # Two copies with noise of their own: adding and subtracting fresh noise of the same size makes them independent.
    fresh = _fresh_noise(contrasts)
    first, second = (
        contrasts.discriminant(D, 2 * contrasts.covariance)[0] for D in (contrasts.D + fresh, contrasts.D - fresh)
    )
    separation, z = _separation(contrasts)
    return CalibratedDiscriminant(
        scores=finish(*posterior_directions(contrasts.D, contrasts.covariance, contrasts.S, contrasts.shares)),
        halves=(finish(first, 1.0), finish(second, 1.0)),
        separation=separation,
        separation_z=z,
        size=max(float(arrays["counts"].sum()), 0.0) * math.hypot(1.0, count_weight(1.0)) / sigma,
        shares=contrasts.shares,
    )


def _separation(contrasts: _Contrasts) -> tuple[float, float]:
    """Return how far the classes' scores lie apart without what noise adds, and how far that stands out of the noise.

    The former in standard deviations of the scores, the latter in those of the noise.
    """
    _, products, total = contrasts.discriminant(contrasts.D, contrasts.covariance)
    z = _signal(contrasts, products) / _noise_of_signal(contrasts)
    # Shrunk by its noise, and to what the variance of the receiver's rows leaves room for.
    between, whole = float(contrasts.shares @ (contrasts.shares @ products**2)), float(contrasts.shares @ total)
    products = (
        products * max(z, 0.0) ** 2 / (1 + z**2) * min(1.0, math.sqrt(MOST_BETWEEN * whole / max(between, 1e-300)))
    )
    signal = max(_signal(contrasts, products), 0.0)
    within = max(whole - float(contrasts.shares @ (contrasts.shares @ products**2)), 1e-300)
    return signal / math.sqrt(within * max(float(contrasts.shares @ (1 - contrasts.shares)) / 2, 1e-12)), z


def posterior_directions(
    D: FloatArray, covariance: FloatArray, S: FloatArray, shares: FloatArray
) -> tuple[FloatArray, float]:
    """Return directions [k, C] whose products with rows are log-odds, up to the slope that is returned with them.

    Contrasts ``D`` [C, k] of class means carry normal noise, of ``covariance`` between classes and equal in every
    column. Along the i-th axis of the receiver's covariance ``S``, of variance s_i, they have the prior variance
    t s_i^q in units of their noise, so their posterior mean is a part t s_i^q/(1 + t s_i^q) of them; averaged over t
    and q by the evidence of the contrasts themselves. Directions are S^-1 times it; the slope is the difference of
    means along them, over the variance of rows less what lies between classes. It is divided by sqrt(1 + pi/8 v), v
    being the mean posterior variance of the log-odds of two classes: the mean of a logistic function of a normal
    variable [mackay].

    No class differences vary by more than all rows do. Where these would, the owner's rows vary in other directions
    than the receiver's, as when one of them seldom records a column: ``S`` then gets the smallest ridge of RIDGES with
    which they do not.
    """
    variances, axes = np.linalg.eigh(S)
    variances = np.maximum(variances, 1e-12)
    readings = (_reading(D, covariance, (variances + each * variances.mean(), axes), shares) for each in RIDGES)
    for reading in readings:
        if reading.between <= MOST_BETWEEN:
            break
    W, between = reading.W, reading.between
    whole = float(shares @ np.einsum("kc,kl,lc->c", W, S, W)) / (len(shares) - 1)
    slope = between / max(whole - between**2, (1 - MOST_BETWEEN) * whole, 1e-300)
    return W, slope / math.sqrt(1 + math.pi / 8 * slope**2 * reading.unsure)


@record
class _Reading:
    """Directions by posterior means, and what they leave open."""

    W: FloatArray
    """[k, C]"""
    between: float
    """Mean difference of class means along the directions: the share of the rows' variance that lies between them."""
    unsure: float
    """Mean posterior variance of the products of rows with the difference of two classes' directions."""


def _reading(
    D: FloatArray, covariance: FloatArray, spectrum: tuple[FloatArray, FloatArray], shares: FloatArray
) -> _Reading:
    """Return directions by the contrasts' posterior means under a covariance of these variances and axes."""
    variances, axes = spectrum
    noise, mixing = np.linalg.eigh(covariance)
    kept = noise > 1e-9 * noise[-1]
    contrasts = (mixing[:, kept] / np.sqrt(noise[kept])).T @ D @ axes  # [C - 1, k], of unit noise
    shapes = (variances / variances.mean()) ** np.array(POWERS)[:, None]
    signal = (SIGNALS[:, None, None] * shapes).reshape(-1, len(variances))  # [hypotheses, k]
    squares, n_contrasts = (contrasts**2).sum(axis=0), len(contrasts)
    logs = -0.5 * (n_contrasts * np.log1p(signal) + squares / (1 + signal)).sum(axis=1)
    gains = softmax(logs) @ (signal / (1 + signal))
    floored = np.maximum(variances, LEAST_VARIANCE * variances.mean())
    along = (gains / floored)[:, None] * (axes.T @ D.T)  # [k, C]: the directions in coordinates of the axes
    between = float(shares @ (variances @ along**2)) / n_contrasts
    # What is left of the noise after the contrasts were seen is a part ``gains`` of it.
    left = float((gains * variances / floored**2).sum())
    return _Reading(np.asarray(axes @ along), between, _pair_variance(covariance) * left)


def _pair_variance(covariance: FloatArray) -> float:
    """Return the mean variance of the difference of two classes' contrasts."""
    n = len(covariance)
    return float(2 * (n * np.trace(covariance) - covariance.sum()) / (n * (n - 1)))


def _signal(contrasts: _Contrasts, products: FloatArray) -> float:
    """Return the mean over classes of the difference of means along their directions."""
    return float(contrasts.shares @ np.diag(products))


def _noise_of_signal(contrasts: _Contrasts) -> float:
    """Return the signal's standard deviation under pure noise.

    Its variance is 2 tr(A²) tr((Pi V)²), Pi the shares and V the covariance of the contrasts' noise.
    """
    weighted = contrasts.shares[:, None] * contrasts.covariance
    return math.sqrt(max(2 * float((contrasts.inverse**2).sum() * np.trace(weighted @ weighted)), 1e-300))


def _contrasts(
    arrays: Mapping[str, NDArray[Any]], X: Rows, *, sigma: float, frame: Frame, features: ScaledColumns
) -> _Contrasts:
    counts = np.maximum(arrays["counts"], 1.0)
    shares = np.maximum(counts / counts.sum(), LEAST_SHARE)
    shares = shares / shares.sum()
    means = arrays["sums"][:, frame.theirs] / counts[:, None]
    phi = features(frame(X)).astype(np.float64)
    middle = phi.mean(axis=0)
    phi -= middle
    S = phi.T @ phi / len(phi)
    ridged = S + RIDGE * sigma / float(counts.sum()) * np.eye(len(S))
    centring = np.eye(len(counts)) - shares  # row c: unit vector c less the shares
    covariance = centring @ np.diag((sigma / counts) ** 2) @ centring.T
    return _Contrasts(centring @ means, covariance, shares, S, np.asarray(np.linalg.inv(ridged)), phi, middle)


def _fresh_noise(contrasts: _Contrasts) -> FloatArray:
    """Return normal noise [C, k] of the same law as that in the contrasts, the same each time for the same release."""
    values, vectors = np.linalg.eigh(contrasts.covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    # Nothing private depends on the seed; it differs between releases, so that no direction is favoured in all.
    generator = public_random(zlib.crc32(contrasts.D.tobytes()))
    return np.asarray(root @ generator.standard_normal(contrasts.D.shape))


def _finished(
    contrasts: _Contrasts, W: FloatArray, slope: float, frame: Frame, features: ScaledColumns
) -> LinearDiscriminant:
    """Return the discriminant of ``slope`` whose mean probabilities over the receiver's rows are the shares."""
    W = slope * W
    offsets, scores = np.log(contrasts.shares), contrasts.phi @ W
    for _ in range(ROUNDS):
        mean = softmax(scores + offsets, axis=1).mean(axis=0)
        offsets = offsets + np.log(contrasts.shares) - np.log(np.maximum(mean, 1e-12))
    return LinearDiscriminant(frame, features, W, offsets - contrasts.middle @ W)
