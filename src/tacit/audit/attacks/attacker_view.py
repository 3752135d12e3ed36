"""A release as somebody sees it who wants to know who was in the table: rows, and moments of classes."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacit.arrays import FloatArray
from tacit.audit.attacks.released_rows import Codes, nearest_distances, own_class_distances

# Covariances of more columns than this cost more time than an attack is worth.
MOST_COLUMNS = 256
# Variance of values spread evenly over [0, 1].
EVEN = 1 / 12

Place = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """What was released of each class.

    Attributes
    ----------
    labels : array of int [K]
        The class codes.
    means : array [K, q]
    counts : array [K]
        How many rows each mean stands for.
    covariances : array [K, q, q] or None
        If they were released.
    noise : array [K] or None
        Variance that noise adds to one value, beside covariances.
    """

    labels: Codes
    means: FloatArray
    counts: FloatArray
    covariances: FloatArray | None = None
    noise: FloatArray | None = None

    def match(self, Z: FloatArray, y: Codes, centres: FloatArray) -> FloatArray:
        """Return how much the moments look as if each row of Z [N, q] were part of them.

        <z, S - n c>, z the row less the public ``centres`` [C, q] c of its class, S the class sum and n the class
        count [tracing]. With covariances V the quadratic term n zᵀVz/2v² joins <z, S - n c>/v, as in the logarithm of
        a normal density of values of variance v, a twelfth and the noise. 0 for rows of other classes.
        """
        match = np.zeros(len(Z))
        for place, code in enumerate(self.labels):
            mine = np.flatnonzero(y == code)
            if not mine.size:
                continue
            own, count = Z[mine] - centres[code], self.counts[place]
            match[mine] = own @ (count * (self.means[place] - centres[code]))
            if self.covariances is not None and self.noise is not None:
                V = self.covariances[place].astype(np.float64)
                v = EVEN + self.noise[place]
                match[mine] = match[mine] / v + count * np.einsum("ij,ij->i", own @ V, own) / (2 * v**2)
        return match


@dataclass(frozen=True, eq=False)
class Seen:
    """A release as rows in some space.

    Attributes
    ----------
    place : callable
        Takes encoded rows [N, p] to the space [N, q] of the released rows.
    rows : array [m, q]
        Released rows, or class means.
    labels : array of int [m]
        The class codes of the released rows.
    moments : ClassMoments or None
        None where single rows say more than moments do.
    """

    place: Place
    rows: FloatArray
    labels: Codes
    moments: ClassMoments | None = None

    @classmethod
    def of_moments(cls, place: Place, moments: ClassMoments) -> "Seen":
        """Return a release of class moments; its rows are the means."""
        return cls(place, moments.means, moments.labels, moments)

    def distances(self, X: FloatArray, y: Codes) -> FloatArray:
        """Return how far each row lies from the nearest released row of its own class."""
        return own_class_distances(self.place(X), y, self.rows, self.labels)

    def nearest(self, X: FloatArray) -> FloatArray:
        """Return how far each row lies from the nearest released row of any class. [hull] eq. 68."""
        return nearest_distances(self.place(X), self.rows)

    def match(self, Z: FloatArray, y: Codes, centres: FloatArray) -> FloatArray:
        """Return how much the release looks as if each row were part of it, for the shadow attack to calibrate.

        Rows Z [N, q] are placed already: many releases are seen in the same space.
        """
        if self.moments is None:
            return -own_class_distances(Z, y, self.rows, self.labels)
        return self.moments.match(Z, y, centres)


def same_place(X: FloatArray) -> FloatArray:
    """Return the rows as they are: what was released has the columns of the table."""
    return X


def moments_of_rows(rows: FloatArray, labels: Codes) -> ClassMoments:
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
