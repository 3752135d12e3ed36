"""Algorithm 1 of [dpa] as printed, kept to be compared with: it gives no guarantee, and its card says so."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tacit.arrays import BoolArray, FloatArray
from tacit.models.autoencoder.functional_mechanism import printed_output_sensitivity, printed_reconstruction_sensitivity
from tacit.models.autoencoder.layers import public_directions
from tacit.privacy.account import Account, Step
from tacit.privacy.mechanisms import Laplace, Mechanism
from tacit.records import record

WARNING = (
    "as printed in [dpa], every layer spends the whole epsilon, the coefficients depend on the weights and are read "
    "again from the data at each of the gradient steps with the same noise, the normalisation layer reads the data's "
    "own minimum and maximum, and fine-tuning reads the rows once more without noise. No epsilon holds; use "
    "accounting='sound'."
)
# On the mean over rows. [dpa] prints 10^-3 for objectives that are sums, but not of how many rows, nor how many steps:
# on the mean of all rows 10^-3 leaves the network where it began. Of .001, .1, 1 and 10, with 100 steps, 1 does best,
# with and without noise, on the digits 4/9 and 2/6, which are in no table.
LEARNING_RATE = 1.0
STEPS = 100
# The noisy objective has no lower bound; without a wall its minimisation runs to infinity.
LARGEST_WEIGHT = 100.0


@record
class PrintedLayer:
    """Sigmoid units and the normalisation layer of [dpa] eq. 13, its ranges read from the data."""

    weights: FloatArray
    low: FloatArray
    high: FloatArray

    def encode(self, X: FloatArray) -> FloatArray:
        """Return (h - γ)/((φ - γ) sqrt(b)), h = σ(Wᵀ x), kept inside [0, 1] for rows that were not in the table."""
        widths = np.maximum(self.high - self.low, np.finfo(float).tiny)
        shares = np.clip((expit(X @ self.weights) - self.low) / widths, 0.0, 1.0)
        return np.asarray(shares / np.sqrt(self.weights.shape[1]))

    def slopes(self, X: FloatArray) -> FloatArray:
        """Return how each code changes with its unit's input Wᵀ x [n, b]; ranges are taken as they are."""
        H = expit(X @ self.weights)
        widths = np.maximum(self.high - self.low, np.finfo(float).tiny)
        inside = (self.low <= H) & (self.high >= H) & (self.high > self.low)
        return np.asarray(np.where(inside, H * (1 - H) / widths, 0.0) / np.sqrt(self.weights.shape[1]))

    def arrays(self) -> dict[str, FloatArray]:
        """Return weights and ranges by name."""
        return {"weights": self.weights, "low": self.low, "high": self.high}


def steps(n_features: int, hidden: Sequence[int], epsilon: float) -> list[Step]:
    """Return one release for each layer and one for the output, each with the whole ``epsilon``."""
    planned = []
    for depth, (p, b) in enumerate(zip((n_features, *hidden), hidden, strict=False), start=1):
        mechanism = Laplace.for_epsilon(
            epsilon, sensitivity=printed_reconstruction_sensitivity(p, b), coordinates=p * b * (b + 1)
        )
        planned.append(Step(mechanism, f"the coefficients of layer {depth}", "[dpa] Lemma 2"))
    b = hidden[-1]
    mechanism = Laplace.for_epsilon(epsilon, sensitivity=printed_output_sensitivity(b), coordinates=b * (b + 1))
    return [*planned, Step(mechanism, "the coefficients of the output layer", "[dpa] Lemma 3")]


def learn(
    account: Account,
    planned: Sequence[Step],
    X: FloatArray,
    labelled: BoolArray,
    codes: NDArray[np.intp],
    *,
    hidden: Sequence[int],
) -> tuple[tuple[PrintedLayer, ...], FloatArray]:
    """Return the layers and the output weights [1, b + 1] of [dpa] Alg. 1: layer by layer, then all of them tuned."""
    layers: list[PrintedLayer] = []
    rows = X[labelled]
    for depth, (step, b) in enumerate(zip(planned, hidden, strict=False)):
        W = _reconstructing_weights(account, step.mechanism, X, public_directions(X.shape[1], b, seed=depth))
        H = expit(X @ W)
        layers.append(PrintedLayer(W, H.min(axis=0), H.max(axis=0)))  # [dpa] eq. 13
        X = layers[-1].encode(X)
    objective = _perturbed_output(account, planned[-1].mechanism, X[labelled], codes)
    tuned, theta = fine_tuned(tuple(layers), np.zeros((1, hidden[-1])), rows, objective)
    # The paper has no constant unit.
    return tuned, np.append(theta, [[0.0]], axis=1)


def coefficients(X: FloatArray, H: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Σ (1/2 - x) hᵀ [p, b] and Σ h hᵀ / 8 [b, b] at the hidden states ``H``: [dpa] eq. 11."""
    return (0.5 - X).T @ H, H.T @ H / 8


def _reconstructing_weights(account: Account, mechanism: Mechanism, X: FloatArray, W: FloatArray) -> FloatArray:
    """Return weights [p, b] after gradient descent on the perturbed reconstruction error: [dpa] Alg. 1, lines 1-3."""
    p, b = W.shape

    def stacked() -> FloatArray:
        L, Q = coefficients(X, expit(X @ W))
        return np.concatenate([L.ravel(), np.broadcast_to(Q, (p, b, b)).ravel()])

    noise = account.release(mechanism, stacked()) - stacked()
    for _ in range(STEPS):
        noisy = stacked() + noise  # the coefficients are read again, the noise is the same: this is what leaks
        W = descend(W, noisy[: p * b].reshape(p, b), noisy[p * b :].reshape(p, b, b), len(X))
    return W


@record
class PerturbedOutput:
    """The perturbed cross-entropy of the output layer: labels [n], and the noise of its coefficients, drawn once."""

    codes: NDArray[np.intp]
    linear_noise: FloatArray
    quadratic_noise: FloatArray

    def at(self, H: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the noisy linear [1, b] and quadratic [1, b, b] coefficients at hidden states ``H`` [n, b]."""
        L, Q = coefficients(self.codes[:, None].astype(float), H)
        return L + self.linear_noise, (Q + self.quadratic_noise)[None]

    def slopes(self, H: FloatArray, theta: FloatArray) -> FloatArray:
        """Return how the truncated loss of each row changes with its hidden states [n, b]; noise has no part in it."""
        margins = H @ theta[0]
        return np.asarray((0.5 - self.codes + margins / 4)[:, None] * theta)


def _perturbed_output(
    account: Account, mechanism: Mechanism, H: FloatArray, codes: NDArray[np.intp]
) -> PerturbedOutput:
    """Return the perturbed objective of the output layer: [dpa] Alg. 1, line 5."""
    b = H.shape[1]
    exact = np.concatenate([part.ravel() for part in coefficients(codes[:, None].astype(float), H)])
    noise = account.release(mechanism, exact) - exact
    return PerturbedOutput(codes, noise[:b].reshape(1, b), noise[b:].reshape(b, b))


def fine_tuned(
    layers: tuple[PrintedLayer, ...], theta: FloatArray, X: FloatArray, objective: PerturbedOutput
) -> tuple[tuple[PrintedLayer, ...], FloatArray]:
    """Return layers and output weights after back-propagation through all of them: [dpa] Alg. 1, line 6.

    Each step reads the labelled rows ``X`` [n, p] again, their ranges too: the noise of the objective does not reach
    the lower layers, so that this step alone leaks.
    """
    for _ in range(STEPS):
        inputs = [X]
        for layer in layers:
            inputs.append(layer.encode(inputs[-1]))
        slopes = objective.slopes(inputs[-1], theta)
        theta = descend(theta, *objective.at(inputs[-1]), len(X))
        layers = _moved(layers, inputs, slopes)
    return layers, theta


def _moved(
    layers: tuple[PrintedLayer, ...], inputs: Sequence[FloatArray], slopes: FloatArray
) -> tuple[PrintedLayer, ...]:
    """Return the layers after one step down the ``slopes`` of the loss in the top layer's codes [n, b]."""
    moved: list[PrintedLayer] = []
    for layer, below in zip(reversed(layers), reversed(inputs[:-1]), strict=True):
        inner = layer.slopes(below) * slopes
        W = layer.weights - LEARNING_RATE * below.T @ inner / len(below)
        slopes = inner @ layer.weights.T
        H = expit(below @ W)
        moved.append(PrintedLayer(np.clip(W, -LARGEST_WEIGHT, LARGEST_WEIGHT), H.min(axis=0), H.max(axis=0)))
    return tuple(reversed(moved))


def descend(W: FloatArray, linear: FloatArray, quadratic: FloatArray, n_rows: int) -> FloatArray:
    """Return the weights [m, b] after one gradient step; ``quadratic`` [m, b, b] holds one matrix for each output."""
    slope = linear + (W[:, None, :] @ (quadratic + quadratic.transpose(0, 2, 1)))[:, 0]
    moved = W - LEARNING_RATE * slope / max(n_rows, 1)
    return np.asarray(np.clip(moved, -LARGEST_WEIGHT, LARGEST_WEIGHT))
