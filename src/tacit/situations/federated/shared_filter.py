"""A linear filter against the noise of the parties' rows, learned from statistics that add up over all parties.

The noise's law is public, so class means and the covariance within classes can be estimated from noisy rows at no
cost of privacy. One party alone estimates them badly; the statistics of several add up to those of all rows.
"""

from collections.abc import Sequence
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Float32Array, FloatArray, Rows
from tacit.errors import InputError
from tacit.kinds.noisy_rows.rows import PrivateRows
from tacit.models.class_moments.moments import denoised, denoised_squares
from tacit.records import record


@record
class Statistics:
    """Sums over one or more parties' noisy rows, each value first made unbiased: post-processing of noisy rows."""

    counts: FloatArray
    """[C]"""
    sums: FloatArray
    """[C, p]: of rows of each class."""
    products: Float32Array
    """[p, p]: sum of x xᵀ of all rows."""
    noise: FloatArray
    """[p]: sum of the noise's variances in each column."""

    def arrays(self) -> dict[str, NDArray[np.floating]]:
        """Return the arrays by name, as they are sent."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@record
class Filter:
    """What the aggregator sends to the parties: class means [C, p] and the matrix [p, p] that shrinks noise."""

    means: Float32Array
    gain: Float32Array

    def arrays(self) -> dict[str, NDArray[np.floating]]:
        """Return the arrays by name, as they are sent."""
        return {"means": self.means, "gain": self.gain}


def statistics_of(private: PrivateRows) -> Statistics:
    """Return the sums over a party's noisy rows, each value replaced by an unbiased one of less variance."""
    clean = denoised(private.rows, private.scale).astype(np.float32)
    sums = np.zeros((private.n_classes, clean.shape[1]))
    for code in np.unique(private.codes):
        sums[code] = clean[private.codes == code].sum(axis=0, dtype=np.float64)
    noise = (clean.astype(np.float64) ** 2 - denoised_squares(private.rows, private.scale)).sum(axis=0)
    counts = np.bincount(private.codes, minlength=private.n_classes).astype(float)
    return Statistics(counts, sums, clean.T @ clean, noise)


def checked_statistics(statistics: Statistics, *, n_classes: int, n_features: int) -> Statistics:
    """Return ``statistics`` if their shapes and numbers can be those of a party, else raise InputError."""
    shapes = {
        "counts": (n_classes,),
        "sums": (n_classes, n_features),
        "products": (n_features, n_features),
        "noise": (n_features,),
    }
    for name, array in statistics.arrays().items():
        if array.shape != shapes[name]:
            raise InputError(f"{name} must have shape {shapes[name]}; got {array.shape}.")
        if not np.isfinite(array).all():
            raise InputError(f"{name} must be finite; got NaN or infinity.")
    if (statistics.counts < 0).any() or statistics.counts.sum() < 1:
        raise InputError("counts must be at least 0, and not all 0.")
    return statistics


def pooled(parties: Sequence[Statistics]) -> Statistics:
    """Return the statistics of all rows of ``parties``: sums of sums."""
    if not parties:
        raise InputError("parties must hold at least one party's statistics; got none.")
    return Statistics(
        sum(party.counts for party in parties),  # type: ignore[arg-type]  # not empty, so no plain 0
        sum(party.sums for party in parties),  # type: ignore[arg-type]
        sum(party.products for party in parties),  # type: ignore[arg-type]
        sum(party.noise for party in parties),  # type: ignore[arg-type]
    )


def learn_filter(statistics: Statistics) -> Filter:
    """Return class means and the linear filter of least mean squared error, W (W + s I)⁻¹ [wiener].

    W is the covariance within classes of the clean rows, estimated as that of the unbiased values less the noise's
    variances, with negative eigenvalues cut to 0; s is the mean variance of the noise in one value.
    """
    total = statistics.counts.sum()
    means = statistics.sums / np.maximum(statistics.counts, 1.0)[:, None]
    between = (means * statistics.counts[:, None]).T @ means
    within = (statistics.products - between) / total
    within[np.diag_indices_from(within)] -= statistics.noise / total
    spread = max(float(statistics.noise.mean() / total), np.finfo(float).tiny)
    variances, directions = np.linalg.eigh((within + within.T) / 2)
    variances = np.maximum(variances, 0.0)
    gain = (directions * (variances / (variances + spread))) @ directions.T
    return Filter(means.astype(np.float32), gain.astype(np.float32))


def filtered(private: PrivateRows, shared: Filter) -> Rows:
    """Return a party's filtered rows [N, p]: m_c + G (x − m_c) for a row x of class c, x unbiased."""
    p = private.rows.shape[1]
    if shared.gain.shape != (p, p) or shared.means.shape != (private.n_classes, p):
        raise InputError(f"the filter must be for {p} columns and {private.n_classes} classes; it is for others.")
    own_means = shared.means[private.codes]
    rows: Rows = own_means + (denoised(private.rows, private.scale).astype(np.float32) - own_means) @ shared.gain.T
    return rows
