"""Layers of the private autoencoder: public random code, weights from noisy moments, normalised code."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.models.autoencoder.functional_mechanism import MomentQuery, Norm, cross_entropy, released_moments
from tacit.numerics.blocks import in_full_blocks
from tacit.numerics.exact_products import ExactMatrix
from tacit.privacy.account import Account
from tacit.privacy.mechanisms import Gaussian, Laplace
from tacit.records import record

# How steep units are: at the typical angle between a row and a weight vector in p dimensions, 1/sqrt(p), the
# activation is the hyperbolic tangent of a half.
GAIN = 0.5

# A query of the data, and the noise of its answer.
NoisyQuery = tuple[MomentQuery, Laplace | Gaussian]


class Encoder(Protocol):
    """A layer that turns rows into code."""

    def encode(self, X: FloatArray) -> FloatArray:
        """Return the code of rows in the unit ball."""
        ...

    def arrays(self) -> dict[str, FloatArray]:
        """Return all that the layer is made of, by name."""
        ...


@record
class Layer:
    """A tied encoder: code = tanh(g Wᵀ(x - c)), brought to [-1, 1] by the range of each unit, rows of length 1.

    Parameters
    ----------
    weights : array [p, b]
        W, columns of length 1.
    centre : array [p]
        c, the noisy mean of the rows, inside the unit ball.
    nonnegative : bool
        Whether inputs have no negative entries, which narrows the units' ranges.
    """

    weights: FloatArray
    centre: FloatArray
    nonnegative: bool

    @property
    def n_units(self) -> int:
        """The width b of the code."""
        return int(self.weights.shape[1])

    def encode(self, X: FloatArray) -> FloatArray:
        """Return the code [N, b] of rows in the unit ball; each row has length 1, or 0 where nothing is active."""
        low, high = self.range()
        products = ExactMatrix.of(self.weights, largest=1.0)(X) - self.centre @ self.weights
        activity = np.tanh(steepness(len(self.weights)) * products)
        widths = np.maximum(high - low, np.finfo(float).tiny)
        return normalised_rows((2 * activity - low - high) / widths)

    def arrays(self) -> dict[str, FloatArray]:
        """Return weights and centre by name."""
        return {"weights": self.weights, "centre": self.centre}

    def range(self) -> tuple[FloatArray, FloatArray]:
        """Return the least and the largest activity of each unit, from the private weights alone: for [dpa] eq. 13.

        The data's own minimum and maximum, which the paper reads, would tell who is in the table.
        """
        low, high = projection_range(self.weights, nonnegative=self.nonnegative)
        shift = self.centre @ self.weights
        gain = steepness(len(self.weights))
        return np.tanh(gain * (low - shift)), np.tanh(gain * (high - shift))

    def reconstruct(self, X: FloatArray) -> FloatArray:
        """Return c + W W⁺ (x - c): what the weights keep of each row."""
        kept = np.linalg.pinv(self.weights)
        restored: FloatArray = self.centre + (X - self.centre) @ kept.T @ self.weights.T
        return restored


def steepness(n_features: int) -> float:
    """Return g, the factor inside the activation."""
    return GAIN * math.sqrt(n_features)


def normalised_rows(X: FloatArray) -> FloatArray:
    """Return rows of length 1; a row of zeros stays."""
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(lengths > 0, lengths, 1.0)


def with_constant(X: FloatArray) -> FloatArray:
    """Return (sqrt(b) x, 1) / sqrt(b + 1): a constant unit beside rows [N, b] of length at most 1, length kept."""
    b = X.shape[1]
    constant = np.full((len(X), 1), 1 / math.sqrt(b + 1))
    return np.hstack([X * math.sqrt(b / (b + 1)), constant])


def projection_range(W: FloatArray, *, nonnegative: bool) -> tuple[FloatArray, FloatArray]:
    """Return the least and largest w·x of each column w over |x| <= 1, or over those x without negative entries.

    Over the ball ∓|w|; over its nonnegative part -|w₋| and |w₊|, the lengths of the negative and positive parts.
    """
    if nonnegative:
        return -np.linalg.norm(np.minimum(W, 0.0), axis=0), np.linalg.norm(np.maximum(W, 0.0), axis=0)
    lengths = np.linalg.norm(W, axis=0)
    return -lengths, lengths


def public_directions(n_features: int, n_units: int, *, seed: int) -> FloatArray:
    """Return the first weights [p, b] of a layer: random, public, of length 1, orthogonal where they can be."""
    R = check_random_state(seed).normal(size=(n_features, n_units))
    if n_units <= n_features:
        return np.asarray(np.linalg.qr(R)[0])
    return np.asarray(R / np.linalg.norm(R, axis=0))


def public_code(X: FloatArray, R: FloatArray) -> FloatArray:
    """Return h [N, b + 1], |h| <= 1: tanh units in public directions over sqrt(b), and a constant unit."""
    products = ExactMatrix.of(R, largest=1.0)(X)
    return with_constant(np.tanh(steepness(len(R)) * products) / math.sqrt(R.shape[1]))


def layer_query(n_features: int, n_units: int, *, norm: Norm) -> MomentQuery:
    """Return the moments a layer needs: |x|₂ <= 1 and |h|₂ <= 1, so |x|₁ <= sqrt(p) and |h|₁ <= sqrt(b + 1)."""
    if norm == 2:
        return MomentQuery(n_features, n_units + 1, 1.0, 1.0, norm)
    return MomentQuery(n_features, n_units + 1, math.sqrt(n_features), math.sqrt(n_units + 1), norm)


def centre_query(n_features: int) -> MomentQuery:
    """Return the sum of rows, |x|₁ <= sqrt(p), and their number, each once: p + 1 numbers for pure epsilon."""
    return MomentQuery(n_features, 1, math.sqrt(n_features), 1.0, 1, weight=1.0)


def learned_weights(C: FloatArray, M: FloatArray, *, ridge: float) -> FloatArray:
    """Return the weights that reconstruct the rows best from the public code, by noisy C = Σ x hᵀ and M = Σ h hᵀ.

    The decoder minimises the truncated reconstruction error ([dpa] eq. 11); the encoder is tied to it. Of the decoder
    only the orthogonal factor is kept: it spans the same directions and does not amplify the noise along weak ones.
    """
    constant = math.sqrt(len(M))  # the constant unit is 1/sqrt(b + 1): its moments are sums
    decoder = cross_entropy(M[:, -1] * constant, C, M).minimiser(ridge=ridge / 8)
    left, _, right = np.linalg.svd(decoder[:, :-1], full_matrices=False)
    return normalised_rows((left @ right).T).T


def noisy_centre(C: FloatArray, M: FloatArray) -> FloatArray:
    """Return the mean row, inside the unit ball, by the moments of the last unit, which is constant."""
    constant = math.sqrt(len(M))
    mean: FloatArray = C[:, -1] * constant / max(M[-1, -1] * len(M), 1.0)
    return mean / max(1.0, float(np.linalg.norm(mean)))


def stack_queries(n_features: int, hidden: tuple[int, ...], *, norm: Norm) -> list[tuple[MomentQuery, ...]]:
    """Return what each layer of widths ``hidden`` asks, the first of the features, the next of the code below.

    Noise for pure epsilon grows with the number of answers, and the centre matters more than the directions: there it
    is asked for on its own, besides the moments.
    """
    below = zip((n_features, *hidden), hidden, strict=False)
    if norm == 1:
        return [(layer_query(p, b, norm=norm), centre_query(p)) for p, b in below]
    return [(layer_query(p, b, norm=norm),) for p, b in below]


def stack_shares(queries: Sequence[tuple[MomentQuery, ...]], share: float) -> list[float]:
    """Return the part of the budget of each query: ``share`` in equal parts for the layers, then for their queries."""
    return [share / len(queries) / len(layer) for layer in queries for _ in layer]


def learn_stack(account: Account, queries: Sequence[Sequence[NoisyQuery]], X: FloatArray) -> tuple[Layer, ...]:
    """Return the layers learned from rows ``X`` [N, p], nonnegative and in the unit ball; each query is drawn once."""
    layers: list[Layer] = []
    for depth, ((query, mechanism), *apart) in enumerate(queries):
        directions = public_directions(query.n_targets, query.n_units - 1, seed=depth)
        code = in_full_blocks(partial(public_code, R=directions), X)
        C, M = released_moments(account, query, mechanism, X, code)
        weights = learned_weights(C, M, ridge=query.ridge(mechanism))
        for centre, noise in apart:
            C, M = released_moments(account, centre, noise, X, np.ones((len(X), 1)))
        layers.append(Layer(weights, noisy_centre(C, M), nonnegative=depth == 0))
        X = in_full_blocks(layers[-1].encode, X)
    return tuple(layers)


def encode_stack(layers: Sequence[Encoder], X: FloatArray) -> FloatArray:
    """Return the code of the last layer; without layers the rows themselves."""
    for layer in layers:
        X = in_full_blocks(layer.encode, X)
    return X


def stack_arrays(layers: Sequence[Encoder]) -> dict[str, FloatArray]:
    """Return the arrays of all layers by name and depth, for a release."""
    return {
        f"{name}_{depth}": array
        for depth, layer in enumerate(layers, start=1)
        for name, array in layer.arrays().items()
    }


def read_stack(arrays: Mapping[str, NDArray[Any]]) -> tuple[Layer, ...]:
    """Return the layers that ``stack_arrays`` wrote; malformed ones are refused."""
    n_layers, more = divmod(len(arrays), 2)
    if more:
        raise InputError("each layer must have weights and a centre, and there must be nothing else.")
    layers = tuple(
        Layer(
            checks.finite_array("weights", arrays[f"weights_{depth}"]),
            checks.finite_array("centre", arrays[f"centre_{depth}"]),
            nonnegative=depth == 1,
        )
        for depth in range(1, n_layers + 1)
    )
    if any(layer.weights.ndim != 2 or layer.centre.shape != layer.weights.shape[:1] for layer in layers):
        raise InputError("each layer must have a matrix of weights and a centre as long as its columns.")
    if any(above.weights.shape[0] != below.weights.shape[1] for below, above in pairwise(layers)):
        raise InputError("each layer must have a row of weights for each unit of the layer below.")
    return layers
