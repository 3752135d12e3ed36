"""A receiver's network as a feature map of bounded rows, which it may send to an owner."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from tacit.arrays import Float32Array, FloatArray
from tacit.models.semi_supervised.classifier import SharpenedClassifier

# Directions of the receiver's rows that are kept, and the constant feature of every row.
DIRECTIONS, CONSTANT = 40, 0.5
# Rows longer than this part of the receiver's own are shortened: nearly all, since noise is drawn for the longest.
REACH = 0.1
# Features are dyadic numbers, so that sums over rows are exact in any order; rows end a little inside the unit ball.
QUANTUM, INSIDE = 2.0**-15, 1 - 2.0**-10
# Rows that a network reads at a time.
BLOCK = 2000
HEAD_RIDGE = 1e-4


@dataclass(frozen=True, eq=False)
class Embedding:
    """Rows of length at most 1: whitened activations before the network's last layer, and a constant.

    Attributes
    ----------
    network : SharpenedClassifier
        Fitted; its last layer is not used.
    middle, directions : arrays [u], [u, k]
        What is taken off the activations, and directions in which the receiver's rows have variance 1.
    radius : float
        Longer rows are shortened to it.
    """

    network: SharpenedClassifier
    middle: FloatArray
    directions: FloatArray
    radius: float

    @property
    def size(self) -> int:
        """The number of features."""
        return int(self.directions.shape[1]) + 1

    def __call__(self, X: Float32Array) -> FloatArray:
        """Return features [N, k + 1] of length at most 1."""
        return self._of_activations(activations(self.network, X))

    def one_by_one(self, X: Float32Array) -> FloatArray:
        """Return the features of private rows, each computed alone.

        Of a block of rows, libraries may round a row by its place in it: one row more would then move the features of
        others, by more than the sensitivity of a sum over rows allows.
        """
        each = [self._of_activations(activations(self.network, X[place : place + 1], 1)) for place in range(len(X))]
        return np.concatenate(each)

    def _of_activations(self, raw: FloatArray) -> FloatArray:
        Z = (raw - self.middle) @ self.directions / self.radius
        Z *= np.sqrt(1 - CONSTANT**2) / np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), 1.0)
        rows = INSIDE * np.column_stack([Z, np.full(len(Z), CONSTANT)])
        return np.asarray(np.rint(rows / QUANTUM) * QUANTUM)


def activations(network: SharpenedClassifier, X: Float32Array, block: int = BLOCK) -> FloatArray:
    """Return what the last layer of a fitted network reads [N, u], of ``block`` rows at a time."""
    from tacit.models.semi_supervised.training import logits_of  # noqa: PLC0415 - needs torch

    layers: Any = network.network_
    body = layers[:-1]  # the default networks are sequences of layers
    blocks = []
    for start in range(0, len(X), block):
        rows = network.layout_.read(X[start : start + block])
        full = np.concatenate([rows, np.zeros((block - len(rows), *rows.shape[1:]), rows.dtype)])
        blocks.append(logits_of(body, full)[: len(rows)])
    return np.asarray(np.concatenate(blocks), dtype=np.float64)


def embedding_of(network: SharpenedClassifier, X: Float32Array) -> Embedding:
    """Return the embedding by a fitted network, whitened on the receiver's rows ``X``."""
    raw = activations(network, X)
    middle = raw.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov((raw - middle).T, bias=True))
    kept = np.argsort(-values)[: min(DIRECTIONS, int((values > 1e-9 * values.max()).sum()))]
    directions = vectors[:, kept] / np.sqrt(values[kept])
    lengths = np.linalg.norm((raw - middle) @ directions, axis=1)
    return Embedding(network, middle, directions, float(np.quantile(lengths, REACH)))


def fitted_head(features: FloatArray, shares: FloatArray) -> FloatArray:
    """Return the softmax regression [k + 1, C] of class probabilities ``shares`` [N, C] on the features."""
    shape = (features.shape[1], shares.shape[1])

    def objective(flat: NDArray[Any]) -> tuple[float, NDArray[Any]]:
        head = flat.reshape(shape)
        scores = features @ head
        loss = -float((shares * log_softmax(scores, axis=1)).sum()) / len(features)
        gradient = features.T @ (softmax(scores, axis=1) - shares) / len(features)
        return loss + HEAD_RIDGE / 2 * float(flat @ flat), (gradient + HEAD_RIDGE * head).ravel()

    solution = minimize(objective, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return np.asarray(solution.x.reshape(shape))
