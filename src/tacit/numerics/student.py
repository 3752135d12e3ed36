"""Linear models with normal weights and unknown noise: exact evidence and Student predictions."""

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.special import gammaln

from tacit.arrays import FloatArray
from tacit.records import record


@record
class StudentPosterior:
    """The posterior of u and of the noise variance in r = F u + noise.

    Given the noise variance v, u ~ N(0, v I) before and N(mode, v H^-1) after, H = I + F'F = T T'.
    """

    mode: FloatArray
    """[p]"""
    root: FloatArray
    """[p, p]: the lower triangular T."""
    scale: float
    """Noise variance times this many degrees of freedom over a chi-squared variable is the posterior of v."""
    freedom: float
    log_evidence: float

    def leverages(self, F: FloatArray) -> FloatArray:
        """Return f H^-1 f' of each row of F [N, p]: the variance of F u in units of the noise variance."""
        scaled = solve_triangular(self.root, F.T, lower=True)
        return np.asarray(np.einsum("ij,ij->j", scaled, scaled))


def student_posterior(F: FloatArray, residuals: FloatArray, *, variance: float, freedom: float) -> StudentPosterior:
    """Return the posterior of u and the noise given ``residuals`` r [N] = F u + noise.

    The noise variance is ``freedom`` × ``variance`` over a chi-squared variable of ``freedom`` degrees beforehand, so r
    is Student distributed: its density is the evidence [bishop] section 2.3.7, with Q = r'(I + FF')^-1 r.
    """
    n, p = F.shape
    H = F.T @ F + np.eye(p)
    root = np.asarray(cholesky(H, lower=True))
    mode = np.asarray(cho_solve((root, True), F.T @ residuals))
    Q = float(residuals @ residuals - residuals @ (F @ mode))
    start = freedom * variance
    log_evidence = (
        gammaln((freedom + n) / 2)
        - gammaln(freedom / 2)
        + freedom / 2 * np.log(start)
        - n / 2 * np.log(np.pi)
        - np.log(np.diag(root)).sum()
        - (freedom + n) / 2 * np.log(start + max(Q, 0.0))
    )
    scale = (start + max(Q, 0.0)) / (freedom + n)
    return StudentPosterior(mode, root, scale, freedom + n, float(log_evidence))
