"""The class of rows by wide hull machines, each row evaluated only by the parts whose images may be the nearest."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tacit.models.affine_hull.layers import DeepHull, ShiftedRows, nearest_images, shifted
from tacit.models.affine_hull.wide import WideHull
from tacit.models.routing import ClassParts, nearest_groups
from tacit.numerics.kernels import Floats
from tacit.records import record

# Directions on which distances are bounded: more than a part has, or its span would fill them and bound nothing.
BOUND_DIRECTIONS = 250


@record
class RoutedHulls:
    """The parts of all classes, and what distances from their images are bounded by."""

    common: ClassParts[DeepHull]
    """The machines of all classes, and directions V [p, q]."""
    means: Floats
    """[P, q]: Vᵀ of each part's mean less the origin, the mean of the first part."""
    spans: Sequence[Floats]
    """sequence of arrays [q, r]: orthonormal columns that span Vᵀ of each part's directions."""

    @classmethod
    def of(cls, models: Sequence[WideHull]) -> Self:
        """Return the routed form of one wide hull for each class."""
        common = ClassParts.of(models, BOUND_DIRECTIONS)
        means = np.stack([part.mean - common.parts[0].mean for part in common.parts]) @ common.basis
        spans = [np.linalg.qr(common.basis.T @ part.directions.T)[0] for part in common.parts]
        return cls(common, means, spans)

    def __call__(self, Y: Floats) -> NDArray[np.intp]:
        """Return the class code [N] of the part with the nearest image of each row."""
        all_rows = shifted(Y, self.common.parts[0].mean)

        def exact(part: int, rows: NDArray[np.intp]) -> Floats:
            some = ShiftedRows(all_rows.rows[rows], all_rows.squares[rows], all_rows.origin)
            return nearest_images(self.common.parts[part], some)[1]

        return nearest_groups(self.bounds(all_rows), self.common.classes, exact)

    def bounds(self, rows: ShiftedRows) -> Floats:
        """Return the squared distance [N, P] of Vᵀ y from Vᵀ of all that a part spans, which holds its images."""
        Z = rows.rows @ self.common.basis
        squares, products = np.einsum("ij,ij->i", Z, Z), Z @ self.means.T  # [N], [N, P]
        bounds = np.empty((len(Z), len(self.means)), dtype=Z.dtype)
        for place, (mean, span) in enumerate(zip(self.means, self.spans, strict=True)):
            inside = Z @ span - mean @ span
            bounds[:, place] = squares - 2 * products[:, place] + mean @ mean - np.einsum("ij,ij->i", inside, inside)
        return np.maximum(bounds, 0)
