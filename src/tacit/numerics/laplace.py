"""Laplace approximations of logistic and softmax models with standard normal priors: mode, spread and evidence."""

from typing import Any

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize
from scipy.special import expit, log_expit, log_softmax

from tacit.arrays import Codes, FloatArray
from tacit.records import record

MOST_STEPS = 60
MOST_HALVINGS = 30
# Newton's decrement (twice the distance to the maximum, about) at which the search ends.
DECREMENT = 1e-10
LBFGS: Any = {"maxiter": 500, "maxfun": 1000, "ftol": 1e-11, "gtol": 1e-5, "maxcor": 20}


@record
class Posterior:
    """A normal approximation of a posterior."""

    mode: FloatArray
    """[p]: of largest posterior density."""
    root: FloatArray
    """[p, p]: Lower triangular T with covariance T'^-1 T^-1 = H^-1, H = T T' the curvature at the mode."""
    log_evidence: float
    """log of the integral of likelihood times prior: log p(y | mode) - |mode|²/2 - log|H|/2."""

    def spread(self, F: FloatArray) -> FloatArray:
        """Return the standard deviation of F u for each row of F [N, p]: |T^-1 f|."""
        scaled = solve_triangular(self.root, F.T, lower=True)
        return np.asarray(np.sqrt(np.einsum("ij,ij->j", scaled, scaled)))


def logistic_posterior(F: FloatArray, offsets: FloatArray, positive: FloatArray) -> Posterior:
    """Return the posterior of u ~ N(0, I) given labels with P(positive) = sigma(offset + f u).

    Newton's method with halved steps on the concave log-posterior.

    Parameters
    ----------
    F : array [L, p]
        Features, each multiplied by the prior's standard deviation of its weight.
    offsets : array [L]
        Log-odds at u = 0.
    positive : array [L]
        1 where the label is the second class, else 0.
    """
    signs = 2 * positive - 1
    u = np.zeros(F.shape[1])
    value = float(log_expit(signs * offsets).sum())
    for _ in range(MOST_STEPS):
        p = expit(offsets + F @ u)
        gradient = F.T @ (positive - p) - u
        root = _curvature_root(F, p * (1 - p))
        step = cho_solve((root, True), gradient)
        if gradient @ step < DECREMENT:
            break
        for _ in range(MOST_HALVINGS):
            trial = u + step
            new = float(log_expit(signs * (offsets + F @ trial)).sum() - trial @ trial / 2)
            if new >= value:
                break
            step /= 2
        else:
            break
        u, value = trial, new
    p = expit(offsets + F @ u)
    root = _curvature_root(F, p * (1 - p))
    return Posterior(u, root, value - float(np.log(np.diag(root)).sum()))


def softmax_posterior(
    F: FloatArray, G: FloatArray, offsets: FloatArray, codes: Codes, scales: FloatArray | None = None
) -> Posterior:
    """Return the posterior of (V, a), all standard normal, given labels with P(c) ∝ exp(offset_c + f s_c V_c + G_c a).

    The mode holds V [p, C] row by row, then a [R].

    Parameters
    ----------
    F : array [L, p]
        Features that each class weighs on its own.
    G : array [L, C, R]
        Features of row and class whose weights all classes share.
    offsets : array [L, C]
    codes : array of int [L]
    scales : array [p, C] or None
        The s_c of each feature; None: 1.
    """
    (_, p), (n_classes, n_shared) = F.shape, G.shape[1:]
    truth = np.eye(n_classes)[codes]
    scales = np.ones((p, n_classes)) if scales is None else scales

    def negative(theta: FloatArray) -> tuple[float, FloatArray]:
        V, a = theta[: p * n_classes].reshape(p, n_classes), theta[p * n_classes :]
        logs = log_softmax(offsets + F @ (scales * V) + G @ a, axis=1)
        residuals = np.exp(logs) - truth
        gradient = np.concatenate([(scales * (F.T @ residuals)).ravel(), np.tensordot(residuals, G, 2)]) + theta
        return float(-(truth * logs).sum() + theta @ theta / 2), gradient

    start = np.zeros(p * n_classes + n_shared)
    minimum = minimize(negative, start, jac=True, method="L-BFGS-B", options=LBFGS)
    mode = np.asarray(minimum.x, dtype=np.float64)
    V, a = mode[: p * n_classes].reshape(p, n_classes), mode[p * n_classes :]
    P = np.exp(log_softmax(offsets + F @ (scales * V) + G @ a, axis=1))
    root = np.asarray(cholesky(_softmax_curvature(F, G, P, scales), lower=True))
    return Posterior(mode, root, -float(minimum.fun) - float(np.log(np.diag(root)).sum()))


def _curvature_root(F: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the Cholesky factor of I + F' diag(weights) F."""
    H = (F.T * weights) @ F
    H[np.diag_indices(len(H))] += 1.0
    return np.asarray(cholesky(H, lower=True))


def _softmax_curvature(F: FloatArray, G: FloatArray, P: FloatArray, scales: FloatArray) -> FloatArray:
    """Return I plus the negative Hessian of the log-likelihood at class probabilities P [L, C].

    A row's negative Hessian in its class scores is diag(P) - P P'.
    """
    (_, p), (n_classes, n_shared) = F.shape, G.shape[1:]
    H = np.eye(p * n_classes + n_shared)
    blocks = H[: p * n_classes, : p * n_classes].reshape(p, n_classes, p, n_classes)
    for c in range(n_classes):
        for other in range(c, n_classes):
            block = (F.T * (P[:, c] * ((c == other) - P[:, other]))) @ F * np.outer(scales[:, c], scales[:, other])
            blocks[:, c, :, other] += block
            if other != c:
                blocks[:, other, :, c] += block.T
    centred = G - np.einsum("lc,lcr->lr", P, G)[:, None, :]
    weighted = P[:, :, None] * centred  # [L, C, R]
    cross = (scales[:, :, None] * np.einsum("lp,lcr->pcr", F, weighted)).reshape(p * n_classes, n_shared)
    H[: p * n_classes, p * n_classes :] += cross
    H[p * n_classes :, : p * n_classes] += cross.T
    H[p * n_classes :, p * n_classes :] += np.einsum("lcr,lcs->rs", weighted, centred)
    return H


def left_out_logistic(margins: FloatArray, variances: FloatArray, positive: FloatArray) -> FloatArray:
    """Return log p(y_i | all other labels) [L], about, from the posterior margins [L] and their variances.

    Taking row i's own likelihood, of slope g = y - p and curvature w = p(1 - p), out of the normal posterior N(f, v)
    leaves the mean f - v g/(1 - w v) [gp] section 3.6.1.
    """
    p = expit(margins)
    means = margins - variances * (positive - p) / (1 - p * (1 - p) * variances)
    return np.asarray(log_expit((2 * positive - 1) * means))


def left_out_softmax(scores: FloatArray, covariances: FloatArray, codes: Codes) -> FloatArray:
    """Return log p(y_i | all other labels) [L], about, from class scores [L, C] and their covariances [L, C, C].

    As `left_out_logistic`: with W = diag(p) - p p' the mean of the rest is f - S (I - W S)^-1 g.
    """
    P = np.exp(log_softmax(scores, axis=1))
    n, n_classes = P.shape
    W = P[:, :, None] * (np.eye(n_classes) - P[:, None, :])
    G = np.eye(n_classes)[codes] - P
    spread = covariances @ np.linalg.inv(np.eye(n_classes) - W @ covariances)
    means = scores - np.einsum("ncd,nd->nc", spread, G)
    return np.asarray(log_softmax(means, axis=1)[np.arange(n), codes])
