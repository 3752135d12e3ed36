"""Objective perturbation of several problems on the same rows: each class against all others, solved together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError, SensitivityError
from tacit.numerics.logistic import minimise_together
from tacit.privacy import noise
from tacit.privacy.budget import Relations
from tacit.privacy.events import RepeatedEvent
from tacit.privacy.mechanisms.base import registered
from tacit.privacy.mechanisms.objective import FAR_WRONG, ObjectivePerturbation, require_shares, tables_of
from tacit.privacy.stream import NoiseStream

# Numbers of one kind that are kept of all rows for the problems solved at a time: 80 megabytes.
MOST_NUMBERS = 10_000_000


@registered
@dataclass(frozen=True)
class AgainstRest:
    """The weights [R, d] of R problems, the r-th of which tells class r from all others by objective perturbation.

    A row is (z, c, o_1, …, o_R): features, class code, and margins z w_r under public prior weights of each problem. In
    problem r it counts as `ObjectivePerturbation`'s row (s z, s o_r), s = 1 if c = r and -1 otherwise. A further column
    holds the share in [0, 1] by which a row counts in every problem.

    Inequality: every row takes part in every problem, and their noise is independent: R times the loss of one.

    Parameters
    ----------
    each : ObjectivePerturbation
        The mechanism of one problem.
    problems : int
        R, the number of classes.
    """

    each: ObjectivePerturbation
    problems: int
    name = "objective perturbation, each class against the rest"
    exact = False
    # One row of the table.
    sensitivity = 1.0

    def __post_init__(self) -> None:
        if isinstance(self.each, Mapping):
            object.__setattr__(self, "each", ObjectivePerturbation(**self.each))
        checks.whole("problems", self.problems)

    @property
    def event(self) -> RepeatedEvent:
        """The event of one problem, once for each."""
        return RepeatedEvent(self.each.event, self.problems)

    @property
    def output_direction(self) -> FloatArray:
        """Along which weights tell the `opposite_rows` apart."""
        return np.outer(self._signs(0.0), self.each.output_direction)

    @property
    def hides_row_count(self) -> bool:
        """Whether tables with different numbers of rows may be neighbours."""
        return self.each.hides_row_count

    @property
    def relations(self) -> Relations:
        """As of one problem."""
        return self.each.relations

    @property
    def provable_relations(self) -> Relations:
        """As of one problem."""
        return self.each.provable_relations

    def opposite_rows(self) -> tuple[FloatArray, FloatArray]:
        """Return two neighbours that are told apart best: a row far wrong in all problems; its opposite, or none."""
        z = self.each.radius * np.eye(self.each.dimension)[0]
        rest = [0.0, *(FAR_WRONG * self._signs(0.0))]
        row, other = np.array([[*z, *rest]]), np.array([[*-z, *rest]])
        return row, np.zeros_like(row) if self.each.neighbours == "added" else other

    def distance(self, first: FloatArray, second: FloatArray) -> float:
        """Return how many rows of one table the other lacks, as `each` counts them."""
        return self.each.distance(first, second)

    def draw(self, values: FloatArray, stream: NoiseStream) -> FloatArray:
        """Return the weights [R, d] of each table before the last two axes."""
        tables = tables_of(np.asarray(values, dtype=np.float64))
        drawn = np.stack([self._draw_one(table, stream) for table in tables])
        return drawn.reshape(*np.shape(values)[:-2], self.problems, self.each.dimension)

    def _draw_one(self, table: FloatArray, stream: NoiseStream) -> FloatArray:
        Z, codes, offsets, shares = self._parts(table)
        counted = Z if shares is None else Z * shares[:, None]
        minimisers = np.empty((self.problems, self.each.dimension))
        for problems in self._groups(len(table)):
            linear = noise.norm_gamma(stream, minimisers[problems].shape, beta=self.each.beta)
            # log(1 + e^m) = m + log(1 + e^-m): a row of another class is one of this class and a linear term.
            own = (codes == np.arange(self.problems)[problems, None]).astype(np.float64)
            linear += counted.sum(axis=0) - own @ counted
            minimisers[problems] = self._minimisers(Z, offsets[problems], linear, shares)
        return minimisers + noise.norm_gamma(stream, minimisers.shape, beta=self.each.closing_rate)

    def _groups(self, n_rows: int) -> Iterator[slice]:
        """Give the problems that are solved together: all, unless rows are very many."""
        size = max(MOST_NUMBERS // max(n_rows, 1), 1)
        for start in range(0, self.problems, size):
            yield slice(start, start + size)

    def _minimisers(
        self, Z: FloatArray, offsets: FloatArray, linear: FloatArray, shares: FloatArray | None
    ) -> FloatArray:
        minimum = minimise_together(
            Z, offsets, linear, curvature=self.each.curvature, tolerance=self.each.solver_tolerance, shares=shares
        )
        self.each.require_minimum(minimum)
        return minimum.point

    def _parts(self, table: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray | None]:
        """Return features [N, d], class codes [N], margins [R, N] and shares [N], if any, of a checked table."""
        d, end = self.each.dimension, self.each.dimension + 1 + self.problems
        if table.ndim != 2 or table.shape[1] not in (end, end + 1):
            raise InputError(
                f"values must have rows of {d} features, a class, {self.problems} margins and perhaps a share; got "
                f"shape {table.shape}."
            )
        require_shares(table[:, end:])
        self.each.require_short(table[:, :d], table[:, d:])
        codes = table[:, d]
        if not np.isin(codes, np.arange(self.problems)).all():
            raise SensitivityError(f"classes must be codes from 0 to {self.problems - 1}.")
        shares = table[:, end] if table.shape[1] > end else None
        return table[:, :d], codes, np.ascontiguousarray(table[:, d + 1 : end].T), shares

    def _signs(self, code: float) -> FloatArray:
        """Return the label of a row of class ``code`` in each problem."""
        return np.where(np.arange(self.problems) == code, 1.0, -1.0)
