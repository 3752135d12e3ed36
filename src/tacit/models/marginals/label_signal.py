"""What released tables say about the label beyond their noise: the public quality of scores that are read from them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import FloatArray
from tacit.models.marginals.measuring import Measurement
from tacit.models.marginals.planning import CELL_SHARE, MOST_PAIRS, PAIR_SHARE, TREE_SHARE
from tacit.models.marginals.tables import ColumnTable

# Shares of rows below this one count as it: noise in them would weigh most.
LEAST_SHARE = 0.005


@dataclass(frozen=True)
class LabelSignal:
    """How far the classes lie apart in the tables of columns."""

    separation: float
    """Distance of a class's mean score from the rest's in deviations of the scores, as if columns were independent."""
    z: float
    """The squared distance in deviations of what noise and the sampling of rows explain."""
    size: float
    """Noisy number of rows times mu of the whole release [gdp]."""


@dataclass(frozen=True)
class Distance:
    """An estimated squared distance, right on average, and how far noise and the sampling of rows move it."""

    squared: float
    noise_variance: float
    sampling_variance: float


def label_signal(measurement: Measurement, columns: Sequence[int]) -> LabelSignal:
    """Return what the tables of ``columns`` say about the label, averaged over the classes, each against the rest.

    Distances of columns add up. Noise in their tables is independent; rows are the same, so that the deviations of
    their sampling add up rather than the variances, as if columns were copies of each other.
    """
    tables = [measurement.columns[j] for j in columns]
    n_classes = measurement.layout.n_classes
    classes = range(n_classes) if n_classes > 2 else range(1, n_classes)
    squared = deviation = 0.0
    for code in classes:
        parts = [class_distance(table, code, measurement.cell_sigma) for table in tables]
        squared += sum(part.squared for part in parts) / len(classes)
        sampling = sum(math.sqrt(part.sampling_variance) for part in parts)
        deviation += math.sqrt(sum(part.noise_variance for part in parts) + sampling**2) / len(classes)
    return LabelSignal(math.sqrt(max(squared, 0.0)), squared / deviation if deviation else 0.0, size_of(measurement))


def class_distance(table: ColumnTable, code: int, sigma: float) -> Distance:
    """Return sum over coarse cells of (D² - its variance)/p, D the difference of shares in class ``code`` and the rest.

    That is the squared distance of the mean scores log p(cell | class)/p(cell | rest) in their deviations, if classes
    differ little. The covariance of D without any signal is that of noise of standard deviation ``sigma`` in a fine
    cell, V = diag(v), and of sampling, S = a (diag(p) - p p'), a = 1/n_class + 1/n_rest; a quadratic form of such D
    with weights 1/p has the variance 2 tr((V + S)/p)².
    """
    counts = table.coarse(table.counts)  # [C, g]
    inside, outside = counts[code], np.delete(counts, code, axis=0).sum(axis=0)
    n_inside, n_outside = (max(float(part.sum()), 1.0) for part in (inside, outside))
    p = np.maximum(counts.sum(axis=0) / (n_inside + n_outside), LEAST_SHARE)
    p /= p.sum()
    noise = sigma**2 * np.bincount(table.groups) * (1 / n_inside**2 + (len(counts) - 1) / n_outside**2)
    sampling = (1 / n_inside + 1 / n_outside) * (np.diag(p) - np.outer(p, p))
    difference = inside / n_inside - outside / n_outside
    squared = float(((difference**2 - noise - np.diag(sampling)) / p).sum())
    both, alone = _form_variance(np.diag(noise) + sampling, p), _form_variance(sampling, p)
    return Distance(squared, both - alone, alone)


def _form_variance(covariance: FloatArray, p: FloatArray) -> float:
    """Return the variance of sum x²/p for a normal x with this covariance."""
    scaled = covariance / p
    return 2 * float(np.trace(scaled @ scaled))


def size_of(measurement: Measurement) -> float:
    """Return the noisy number of rows times mu: q tables with their share of mu² have the ratio sqrt(q)/sigma.

    Tables of columns that were asked in place of pairs have the pairs' share too, by how many they are.
    """
    q = len(measurement.columns)
    n_pairs = min(q * (q - 1) // 2, MOST_PAIRS)
    total = TREE_SHARE + CELL_SHARE + (PAIR_SHARE if n_pairs else 0.0)
    again = 0.0 if measurement.pairs or not n_pairs else PAIR_SHARE * (n_pairs // q) * q / n_pairs
    mu = math.sqrt(q * total / (CELL_SHARE + again)) / measurement.cell_sigma
    return max(float(measurement.columns[0].counts.sum()), 0.0) * mu
