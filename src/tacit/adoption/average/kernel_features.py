"""Features whose inner products are a kernel between represented rows: linear, or radial of some width."""

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Float32Array, FloatArray, Rows
from tacit.numerics.kernels import gaussian_kernel
from tacit.records import record

LINEAR = "linear"
# Widths of radial kernels in units of the rows' root mean square norm. Half as wide has less evidence on every table.
WIDTHS = {"radial": 1.0}
KERNELS = (LINEAR, *WIDTHS)
MOST_ANCHORS, MOST_FEATURES = 256, 128
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
        """Return the features [N, r] of rows of any precision, computed in single, which is twice as fast."""
        coordinates = Z.astype(np.float32, copy=False)
        anchors, projection = self._single
        if self.kernel == LINEAR:
            return (coordinates @ projection).astype(np.float64)
        near = radial(coordinates, anchors, self.size, WIDTHS[self.kernel])
        return (near @ projection).astype(np.float64)

    @cached_property
    def _single(self) -> tuple[Float32Array, Float32Array]:
        """The anchors and the projection in single precision, for all blocks of rows."""
        return self.anchors.astype(np.float32), self.projection.astype(np.float32)

    def lost(self, Z: FloatArray, phi: FloatArray) -> FloatArray:
        """Return k(z, z) - |phi(z)|² [N], at least 0: the prior variance that the features leave out."""
        whole = np.vecdot(Z, Z) / self.size if self.kernel == LINEAR else 1.0
        return np.asarray(np.maximum(whole - np.vecdot(phi, phi), 0.0))


def radial(Z: Rows, anchors: Rows, size: float, width: float) -> Rows:
    """Return exp(-|z - a|²/(2 width² size)) [N, m]."""
    scales = np.full(Z.shape[1], 1 / (width * np.sqrt(size)), dtype=Z.dtype)
    return np.asarray(gaussian_kernel(Z, anchors, scales))


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
    values, vectors = np.linalg.eigh(radial(anchors, anchors, size, WIDTHS[kernel]))
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
