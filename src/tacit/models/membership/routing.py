"""The class of rows by wide autoencoders of one layer, each row evaluated only where it may be reconstructed best."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tacit.models.membership.layers import DeepAutoencoder
from tacit.models.membership.solution import evaluate
from tacit.models.membership.wide import WideAutoencoder, squared_distances
from tacit.models.routing import ClassParts, nearest_groups
from tacit.numerics.kernels import Floats, gaussian_kernel
from tacit.records import record

# Directions on which errors are bounded: at 20000 pictures of 784 pixels, about four of 61 parts are then evaluated.
BOUND_DIRECTIONS = 80


@record
class RoutedAutoencoders:
    """The parts of all classes, and what their errors are bounded by."""

    common: ClassParts[DeepAutoencoder]
    """The autoencoders of all classes, of one layer each, and directions V [p, q]."""
    directions: Floats
    """[p, sum of n]: those of all parts side by side, so that one product encodes rows for all of them."""
    projected: Sequence[Floats]
    """sequence of arrays [M, q]: each part's coefficients times V."""

    @classmethod
    def of(cls, models: Sequence[WideAutoencoder]) -> Self:
        """Return the routed form of one wide autoencoder for each class."""
        common = ClassParts.of(models, BOUND_DIRECTIONS)
        directions = np.concatenate([part.directions for part in common.parts]).T
        projected = [part.layers[0].coefficients @ common.basis for part in common.parts]
        return cls(common, np.ascontiguousarray(directions), projected)

    def __call__(self, Y: Floats) -> NDArray[np.intp]:
        """Return the class code [N] of the part that reconstructs each row best."""

        def exact(part: int, rows: NDArray[np.intp]) -> Floats:
            model, candidates = self.common.parts[part], Y[rows]
            return squared_distances(candidates, evaluate(model.layers[0], candidates @ model.directions.T))

        return nearest_groups(self.bounds(Y), self.common.classes, exact)

    def bounds(self, Y: Floats) -> Floats:
        """Return ‖Vᵀ(y - output)‖² [N, P], at most ‖y - output‖² since V is orthonormal."""
        parts = self.common.parts
        bounds = np.empty((len(Y), len(parts)), dtype=Y.dtype)
        projections, encoded = Y @ self.common.basis, Y @ self.directions
        ends = np.cumsum([len(part.directions) for part in parts])[:-1]
        for place, X in enumerate(np.split(encoded, ends, axis=1)):
            layer = parts[place].layers[0]
            K = gaussian_kernel(np.ascontiguousarray(X), layer.landmarks, layer.scales)
            bounds[:, place] = squared_distances(projections, K @ self.projected[place])
        return bounds
