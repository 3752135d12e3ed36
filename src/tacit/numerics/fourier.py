"""Random Fourier features: a public, fixed map whose inner products approximate a Gaussian kernel."""

from functools import lru_cache

import numpy as np

from tacit.arrays import Float32Array
from tacit.numerics.exact_products import ExactMatrix
from tacit.numerics.public_random import public_random


@lru_cache(maxsize=4)
def frequencies(n_inputs: int, n_features: int, *, gamma: float = 1.0, seed: int = 0) -> ExactMatrix:
    """Return the [n_inputs, n_features / 2] matrix of N(0, 2 gamma) frequencies that ``seed`` stands for.

    It is for rows with entries in [-1, 1].
    """
    drawn = public_random(seed).normal(scale=np.sqrt(2 * gamma), size=(n_inputs, n_features // 2))
    return ExactMatrix.of(drawn.astype(np.float32), largest=1.0)


def fourier_features(X: Float32Array, omega: ExactMatrix) -> Float32Array:
    """Return [cos(X omega), sin(X omega)] / sqrt(D/2), rows of unit length [N, D], each the same in any company.

    phi(x).phi(z) estimates e^(-gamma |x - z|²) [fourier].
    """
    angles = omega(X).astype(np.float32)
    features: Float32Array = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    features *= np.float32(1 / np.sqrt(omega.values.shape[1]))
    return features
