"""The data model of a membership-mapping: how well outputs at given rows belong to what was learned."""

import numpy as np

from tacit.arrays import FloatArray
from tacit.models.membership.solution import MappingSolution, evaluate, make_basis, smoothing
from tacit.numerics.kernels import Floats, gaussian_kernel


def log_memberships(mapping: MappingSolution, X: Floats, Y: Floats) -> FloatArray:
    """Return log mu_yj(y_j) [p] of each output vector y_j [N] at the rows ``X`` [N, n]. [membership] Def. 8, eq. 45.

    With f = K_xa alpha the mapping's outputs and alpha = K_aa⁻¹ m, eq. 45 is
    -(beta/2) {|y - f|² + tau alphaᵀ K_aa alpha}, tau = (Tr K_xx - Tr K_aa⁻¹ K_xaᵀ K_xa)/(nu + M - 2). The kernel's
    variance sigma² cancels. A membership lies in [0, 1]; its logarithm is returned, since of many rows it underflows.
    """
    distances = np.square(Y.astype(np.float64) - evaluate(mapping, X)).sum(axis=0)
    landmarks, scales = (each.astype(np.float64) for each in (mapping.landmarks, mapping.scales))
    coefficients = mapping.coefficients.astype(np.float64)
    lengths = np.einsum("mp,mk,kp->p", coefficients, gaussian_kernel(landmarks, landmarks, scales), coefficients)
    tau = smoothing(make_basis(mapping.landmarks, mapping.scales), X)
    # An exact fit has no noise: whatever is not exactly fitted does not belong.
    if mapping.noise == 0:
        return np.where(distances + tau * lengths > 0, -np.inf, 0.0)
    return np.asarray(-0.5 / mapping.noise * (distances + tau * lengths))
