"""Class means that start at a few labels and drift towards the unlabelled rows near them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.adoption.pictures.weighting import centred, probabilities
from tacit.arrays import Codes, FloatArray, Rows

# Each step is a soft assignment: few steps help, many let the means drift away from their classes.
STEPS = 3
# How soft, as a share of the usual gap between a row's nearest and furthest mean.
SOFTNESS = 0.1


@dataclass(frozen=True)
class DriftedMeans:
    """Scores 2 x·m_c - |m_c|², which order classes by the distance to their means."""

    means: FloatArray

    def __call__(self, F: Rows) -> FloatArray:
        """Return class scores [N, C], centred."""
        return centred(2 * F.astype(np.float64) @ self.means.T - (self.means**2).sum(axis=1))


def drift_means(F: Rows, labelled: NDArray[np.intp], codes: Codes, n_classes: int) -> DriftedMeans:
    """Return the class means of rows ``F`` [N, n] of which ``labelled`` have ``codes``.

    Steps of a mixture of equal round Gaussians with the labelled rows held fast. A class without a labelled row
    starts, and by symmetry stays near, the mean of all.
    """
    rows = F.astype(np.float64)
    certain = np.eye(n_classes)[codes]
    counts = certain.sum(axis=0)[:, None]
    means = np.where(counts > 0, certain.T @ rows[labelled] / np.maximum(counts, 1), rows.mean(axis=0))
    for _ in range(STEPS):
        scores = DriftedMeans(means)(rows)
        softness = SOFTNESS * float(np.median(np.ptp(scores, axis=1))) or 1.0
        shares = probabilities(scores / softness)
        shares[labelled] = certain
        means = shares.T @ rows / np.maximum(shares.sum(axis=0), 1e-12)[:, None]
    return DriftedMeans(means)
