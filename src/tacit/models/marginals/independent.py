"""The mixture where no pair of columns was counted: one component for each class, its columns independent."""

import itertools

import numpy as np

from tacit.arrays import IntArray
from tacit.models.marginals.mixture import SMALLEST, Mixture
from tacit.models.marginals.raking import towards
from tacit.models.marginals.tables import CoarseCounts


def independent_mixture(coarse: CoarseCounts, offsets: IntArray) -> Mixture:
    """Return p(class c, x) = p(c) prod_j p(x_j | c), from released counts of coarse cells by class.

    The shares of a class are drawn towards those of all classes, column by column, as far as noise explains their
    difference [stein].
    """
    n_rows = float(coarse.class_counts.sum())
    shares = np.empty_like(coarse.counts)
    for first, end in itertools.pairwise(offsets):
        counts = coarse.counts[:, first:end]
        common = np.outer(coarse.class_counts, counts.sum(axis=0)) / n_rows
        variances = np.broadcast_to(coarse.variances[first:end], counts.shape)
        drawn = np.maximum(towards(counts, common, variances, free=(len(counts) - 1) * (end - first - 1)), SMALLEST)
        shares[:, first:end] = drawn / drawn.sum(axis=1, keepdims=True)
    return Mixture(np.diag(coarse.class_counts / n_rows), shares.astype(np.float32))
