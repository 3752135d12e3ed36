"""Features whose inner products are a kernel between represented rows: linear, or radial of some width."""

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray, Rows
from tacit.numerics.exact_products import ExactMatrix
from tacit.numerics.kernels import LOWEST_EXPONENT
from tacit.records import record

LINEAR = "linear"
# Widths of radial kernels in units of the rows' root mean square norm. Half as wide has less evidence on every table.
WIDTHS = {"radial": 1.0}
KERNELS = (LINEAR, *WIDTHS)
MOST_ANCHORS, MOST_FEATURES = 256, 128
# Coordinates of rows are cut at this, far beyond those of a representation and of a release's features.
LARGEST_COORDINATE = 64.0
# Directions of less than this part of the largest eigenvalue are left out; their variance stays in the diagonal.
LEAST_EIGENVALUE = 1e-4


@record
class KernelFeatures:
    """Features phi(z) with phi(z) phi(z') = k(z, z') for the rows of their making, as far as MOST_FEATURES go."""

    kernel: str
    """"linear": k = z z'/size; else k = exp(-|z - z'|²/(2 width² size))."""
    size: float
    """Mean squared norm of the receiver's rows: k(z, z) is about 1."""
    anchors: FloatArray
    """[m, d]: rows from which a radial kernel is measured; empty for the linear one."""
    projection: FloatArray
    """[d or m, r]"""

    def __post_init__(self) -> None:
        # As they come back from a file: the order in memory decides the last bits of products.
        for name in ("anchors", "projection"):
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name)))

    def __call__(self, Z: Rows) -> FloatArray:
        """Return the features [N, r], of each row the same digits whatever rows are beside it."""
        if self.kernel == LINEAR:
            return self._projected(Z)
        return self._projected(self._near(Z))

    @cached_property
    def _projected(self) -> ExactMatrix:
        largest = LARGEST_COORDINATE if self.kernel == LINEAR else 1.0
        return ExactMatrix.of(self.projection, largest=largest)

    @cached_property
    def _near(self) -> "Nearness":
        return Nearness.of(self.anchors, 1 / (WIDTHS[self.kernel] * np.sqrt(self.size)))

    def lost(self, Z: FloatArray, phi: FloatArray) -> FloatArray:
        """Return k(z, z) - |phi(z)|² [N], at least 0: the prior variance that the features leave out."""
        whole = np.vecdot(Z, Z) / self.size if self.kernel == LINEAR else 1.0
        return np.asarray(np.maximum(whole - np.vecdot(phi, phi), 0.0))


@record
class Nearness:
    """exp(-scale² |z - a|²/2) of rows z to anchors a."""

    anchors: ExactMatrix
    """[d, m]: scaled, about their mean."""
    origin: FloatArray
    halves: FloatArray
    """[m]: half of the anchors' squared lengths."""
    scale: float

    @classmethod
    def of(cls, anchors: FloatArray, scale: float) -> "Nearness":
        """Return what is near to ``anchors`` [m, d]."""
        origin = anchors.mean(axis=0)
        matrix = ExactMatrix.of(((anchors - origin) * scale).T, largest=LARGEST_COORDINATE * scale)
        return cls(matrix, origin, 0.5 * (matrix.values**2).sum(axis=0), scale)

    def __call__(self, Z: Rows) -> FloatArray:
        """Return [N, m], each row the same in any company."""
        U = self.anchors.cut((Z - self.origin) * self.scale)
        K = U @ self.anchors.values
        K -= 0.5 * np.vecdot(U, U)[:, None]
        K -= self.halves
        np.clip(K, LOWEST_EXPONENT, 0, out=K)
        np.exp(K, out=K)
        return np.asarray(K)


def view_kernel(kernel: str, place: int) -> str:
    """Return the name of a kernel of the features of the release at ``place``."""
    return f"{kernel}@{place}"


def view_of(kernel: str) -> int | None:
    """Return the place of the release whose features a kernel reads; None for the receiver's own columns."""
    _, mark, place = kernel.partition("@")
    return int(place) if mark else None


def kernel_features(kernel: str, Z: FloatArray, size: float) -> KernelFeatures:
    """Return the features of ``kernel`` for the labelled rows ``Z`` [L, d], and by the same map for any others."""
    if kernel == LINEAR:
        return KernelFeatures(kernel, size, np.empty((0, Z.shape[1])), _linear_projection(Z, size))
    # Evenly spread over the rows, whose order is the caller's random one.
    anchors = Z if len(Z) <= MOST_ANCHORS else Z[np.linspace(0, len(Z) - 1, MOST_ANCHORS).astype(np.intp)]
    values, vectors = np.linalg.eigh(Nearness.of(anchors, 1 / (WIDTHS[kernel] * np.sqrt(size)))(anchors))
    kept = _kept(values)
    return KernelFeatures(kernel, size, anchors, vectors[:, kept] / np.sqrt(values[kept]))


def features_of(Z: FloatArray, size: float, kernels: Iterable[str] = KERNELS) -> dict[str, KernelFeatures]:
    """Return the features of each kernel."""
    return {kernel: kernel_features(kernel, Z, size) for kernel in kernels}


def _linear_projection(Z: FloatArray, size: float) -> FloatArray:
    """Return the principal directions of the rows over sqrt(size); outside their span labels teach nothing."""
    if len(Z) >= Z.shape[1]:
        values, vectors = np.linalg.eigh(Z.T @ Z)
        return np.asarray(vectors[:, _kept(values)] / np.sqrt(size))
    values, vectors = np.linalg.eigh(Z @ Z.T)
    kept = _kept(values)
    return np.asarray(Z.T @ (vectors[:, kept] / np.sqrt(values[kept])) / np.sqrt(size))


def _kept(values: FloatArray) -> NDArray[np.intp]:
    """Return the places of at most MOST_FEATURES eigenvalues that are not negligible, largest first."""
    order = np.argsort(values)[::-1][:MOST_FEATURES]
    return np.asarray(order[values[order] > LEAST_EIGENVALUE * max(values[order[0]], 1e-300)]) if len(order) else order
