"""Random Fourier features: a public, fixed map whose inner products approximate a Gaussian kernel."""

from functools import lru_cache

import numpy as np

from tacit.arrays import Float32Array
from tacit.numerics.public_random import public_random


@lru_cache(maxsize=4)
def frequencies(n_inputs: int, n_features: int, *, gamma: float = 1.0, seed: int = 0) -> Float32Array:
    """Return the [n_inputs, n_features / 2] matrix of N(0, 2 gamma) frequencies that ``seed`` stands for."""
    drawn = public_random(seed).normal(scale=np.sqrt(2 * gamma), size=(n_inputs, n_features // 2))
    omega: Float32Array = drawn.astype(np.float32)
    return omega


def fourier_features(X: Float32Array, omega: Float32Array) -> Float32Array:
    """Return [cos(X omega), sin(X omega)] / sqrt(D/2), rows of unit length [N, D].

    phi(x).phi(z) estimates e^(-gamma |x - z|²) [fourier].
    """
    angles = X @ omega
    features: Float32Array = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    features *= np.float32(1 / np.sqrt(omega.shape[1]))
    return features
