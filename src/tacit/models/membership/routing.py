"""The class of rows by wide autoencoders of one layer, each row evaluated only where it may be reconstructed best."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tacit.models.membership.layers import DeepAutoencoder
from tacit.models.membership.solution import evaluate
from tacit.models.membership.wide import WideAutoencoder, squared_distances
from tacit.models.routing import common_directions, nearest_groups
from tacit.numerics.kernels import Floats, gaussian_kernel

# Directions on which errors are bounded: at 20000 pictures of 784 pixels, about four of 61 parts are then evaluated.
BOUND_DIRECTIONS = 80


@dataclass(frozen=True, eq=False)
class RoutedAutoencoders:
    """The parts of all classes, and what their errors are bounded by.

    Attributes
    ----------
    parts : sequence of DeepAutoencoder
        Of one layer each.
    classes : array of int [P]
        The class of each part.
    basis : array [p, q]
        Orthonormal columns V.
    directions : array [p, sum of n]
        Those of all parts side by side, so that one product encodes rows for all of them.
    projected : sequence of arrays [M, q]
        Each part's coefficients times V.
    """

    parts: Sequence[DeepAutoencoder]
    classes: NDArray[np.intp]
    basis: Floats
    directions: Floats
    projected: Sequence[Floats]

    @classmethod
    def of(cls, models: Sequence[WideAutoencoder]) -> Self:
        """Return the routed form of one wide autoencoder for each class."""
        parts = [part for model in models for part in model]
        classes = np.repeat(np.arange(len(models)), [len(model) for model in models])
        basis = common_directions([part.directions for part in parts], BOUND_DIRECTIONS)
        directions = np.concatenate([part.directions for part in parts]).T
        projected = [part.layers[0].coefficients @ basis for part in parts]
        return cls(parts, classes, basis, np.ascontiguousarray(directions), projected)

    def __call__(self, Y: Floats) -> NDArray[np.intp]:
        """Return the class code [N] of the part that reconstructs each row best."""

        def exact(part: int, rows: NDArray[np.intp]) -> Floats:
            model, mine = self.parts[part], Y[rows]
            return squared_distances(mine, evaluate(model.layers[0], mine @ model.directions.T))

        return nearest_groups(self.bounds(Y), self.classes, exact)

    def bounds(self, Y: Floats) -> Floats:
        """Return ‖Vᵀ(y - output)‖² [N, P], at most ‖y - output‖² since V is orthonormal."""
        bounds = np.empty((len(Y), len(self.parts)), dtype=Y.dtype)
        projections, encoded = Y @ self.basis, Y @ self.directions
        ends = np.cumsum([len(part.directions) for part in self.parts])[:-1]
        for place, X in enumerate(np.split(encoded, ends, axis=1)):
            layer = self.parts[place].layers[0]
            K = gaussian_kernel(np.ascontiguousarray(X), layer.landmarks, layer.scales)
            bounds[:, place] = squared_distances(projections, K @ self.projected[place])
        return bounds
