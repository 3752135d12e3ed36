"""The conditionally deep membership-mapping autoencoder: Algorithm 2 as pure functions."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tacit.models.membership.solution import MappingSolution, choose_basis, evaluate, learn_on_basis
from tacit.numerics.kernels import Floats
from tacit.numerics.linalg import principal_directions
from tacit.records import record


@record
class DeepAutoencoder:
    """Layers that reconstruct the same rows from fewer and fewer directions."""

    directions: Floats
    """P [n, p]; layer l looks along the first n - l + 1 of them"""
    layers: tuple[MappingSolution, ...]


def learn_deep(
    Y: Floats, *, n_components: int, max_landmarks: int, n_layers: int, order: NDArray[np.intp]
) -> DeepAutoencoder:
    """Return the autoencoder of the rows of Y [N, p]. [membership] Alg. 2.

    The subspace has at most N - 1 dimensions, and no more than the rows span, but at least one.
    """
    P = principal_directions(Y, n_components)
    X = Y @ P.T
    layers: list[MappingSolution] = []
    for depth in range(n_layers):
        X = X[:, : max(len(P) - depth, 1)]  # line 2
        basis, tau = choose_basis(X, max_landmarks=max_landmarks, order=order)
        layer = learn_on_basis(basis, tau, X, Y)
        layers.append(layer)
        max_landmarks = len(layer.landmarks)  # line 5
        if depth + 1 < n_layers:
            X = evaluate(layer, X) @ P.T  # eq. 61
    return DeepAutoencoder(P, tuple(layers))


def layer_outputs(model: DeepAutoencoder, Y: Floats) -> Iterator[Floats]:
    """Yield the reconstruction of the rows of Y [N, p] by each layer, least abstract first. [membership] eq. 63."""
    output = Y
    for layer in model.layers:
        output = evaluate(layer, output @ model.directions[: len(layer.scales)].T)
        yield output
