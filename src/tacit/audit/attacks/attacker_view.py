"""What an attacker reads from a release: rows, and moments of classes."""

from collections.abc import Callable

import numpy as np

from tacit.arrays import FloatArray, IntArray
from tacit.audit.attacks.released_rows import nearest_distances, own_class_distances
from tacit.records import record

# Covariances of more columns than this cost more time than an attack is worth.
MOST_COLUMNS = 256
# Variance of values spread evenly over [0, 1].
UNIFORM_VARIANCE = 1 / 12

# Takes encoded rows [N, p] to the space [N, q] of what was released.
RowMap = Callable[[FloatArray], FloatArray]


@record
class ClassMoments:
    """What was released of each class."""

    labels: IntArray
    """[K]: the class codes."""
    means: FloatArray
    """[K, q]"""
    counts: FloatArray
    """[K]: how many rows each mean stands for."""
    covariances: FloatArray | None = None
    """[K, q, q] or None: if they were released."""
    noise: FloatArray | None = None
    """[K] or None: Variance that noise adds to one value, beside covariances."""

    def match(self, Z: FloatArray, y: IntArray, centres: FloatArray) -> FloatArray:
        """Return a score of how well the moments fit a table that holds each row of Z [N, q].

        <z, S - n c>, z the row less the public ``centres`` [C, q] c of its class, S the class sum and n the class
        count [tracing]. With covariances V the quadratic term n zᵀVz/2v² joins <z, S - n c>/v, as in the logarithm of
        a normal density of values of variance v, a twelfth and the noise. 0 for rows of other classes.
        """
        match = np.zeros(len(Z))
        for place, code in enumerate(self.labels):
            of_class = np.flatnonzero(y == code)
            if not of_class.size:
                continue
            z, n = Z[of_class] - centres[code], self.counts[place]
            match[of_class] = z @ (n * (self.means[place] - centres[code]))
            if self.covariances is not None and self.noise is not None:
                V = self.covariances[place].astype(np.float64)
                v = UNIFORM_VARIANCE + self.noise[place]
                match[of_class] = match[of_class] / v + n * np.einsum("ij,ij->i", z @ V, z) / (2 * v**2)
        return match


@record
class AttackerView:
    """What an attacker reads from a release: rows in some space, and their moments."""

    embed: RowMap
    """Takes encoded rows [N, p] to the space [N, q] of the released rows."""
    rows: FloatArray
    """[m, q]: released rows, or class means."""
    labels: IntArray
    """[m]: the class codes of the released rows."""
    moments: ClassMoments | None = None
    """None where single rows say more than moments do."""

    @classmethod
    def of_moments(cls, embed: RowMap, moments: ClassMoments) -> "AttackerView":
        """Return the view of class moments; its rows are the means."""
        return cls(embed, moments.means, moments.labels, moments)

    def distances(self, X: FloatArray, y: IntArray) -> FloatArray:
        """Return the distance of each row to the nearest released row of its own class."""
        return own_class_distances(self.embed(X), y, self.rows, self.labels)

    def nearest(self, X: FloatArray) -> FloatArray:
        """Return the distance of each row to the nearest released row of any class. [hull] eq. 68."""
        return nearest_distances(self.embed(X), self.rows)

    def match(self, Z: FloatArray, y: IntArray, centres: FloatArray) -> FloatArray:
        """Return a membership score of each row, which the shadow attack calibrates.

        Rows Z [N, q] are embedded already, since many releases share one space.
        """
        if self.moments is None:
            return -own_class_distances(Z, y, self.rows, self.labels)
        return self.moments.match(Z, y, centres)


def unchanged(X: FloatArray) -> FloatArray:
    """Return the rows as they are: what was released has the columns of the table."""
    return X


def moments_of_rows(rows: FloatArray, labels: IntArray) -> ClassMoments:
    """Return the moments of fabricated rows, which stand for those of the table that they were drawn from."""
    codes, counts = np.unique(labels, return_counts=True)
    means = np.stack([rows[labels == code].mean(axis=0) for code in codes])
    if rows.shape[1] > MOST_COLUMNS:
        return ClassMoments(codes, means, counts.astype(float))
    covariances = np.stack([_covariance(rows[labels == code]) for code in codes])
    return ClassMoments(codes, means, counts.astype(float), covariances, np.zeros(len(codes)))


def _covariance(rows: FloatArray) -> FloatArray:
    centred = rows - rows.mean(axis=0)
    covariance: FloatArray = centred.T @ centred / len(rows)
    return covariance
