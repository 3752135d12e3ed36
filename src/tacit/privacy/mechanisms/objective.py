"""Objective perturbation: the weights of a logistic regression whose objective carries a random linear term."""

import math
from dataclasses import dataclass

import numpy as np

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError, SensitivityError
from tacit.numerics.logistic import Minimum, minimise_together
from tacit.privacy import noise
from tacit.privacy.budget import Relation, Relations
from tacit.privacy.events import ApproximateEvent
from tacit.privacy.mechanisms.base import registered
from tacit.privacy.stream import NoiseStream

# The gradient at the weights found is at most this part of what one row can contribute. Where the noise is so large
# that rounding stands in the way, this part of the noise: a hundred units in the last place.
TOLERANCE, ROUNDING = 1e-6, 2.0**-46
# The part of epsilon that hides how the solver stopped. With the tolerance it makes closing noise of a hundredth of
# the noise of the linear term.
CLOSING_SHARE = 1e-4
# A margin at which the loss has slope 1 whatever the noise, so that a row tells as much as it can.
FAR_WRONG = -1e6
# The largest slope of the loss of what takes the place of a row: another row, or none.
OTHER_SLOPE = {"replaced": 1.0, "added": 0.0}


def loss_supremum(beta: float, curvature: float, radius: float = 1.0, *, other: float = 1.0) -> float:
    """Return the privacy loss of the exact minimiser when a row of norm at most ``radius`` gives way to another.

    The weights w tell b = -(gradient at w), with density e^(-beta |b|) times the Hessian's determinant. A row whose
    loss has slope s in [0, 1] contributes s radius to the gradient and s(1-s) radius² to the Hessian, in one direction.
    So the loss is at most the maximum over s of beta radius (other + s) + log(1 + radius² s(1-s)/curvature), where the
    other row has slope 1 and adds no curvature (``other`` = 1: a row is replaced), or there is none (``other`` = 0: a
    row is added or removed). The sum is concave in s; at s = 1, where it is (other + 1) beta radius, it still rises if
    curvature >= radius/beta, that is n(lambda + Delta) >= 2 radius²/epsilon for beta = epsilon/(2 radius).
    """
    rate, bend = beta * radius, radius**2 / curvature
    if rate >= bend:
        return (other + 1) * rate
    # Where the derivative rate + bend (1-2s)/(1 + bend s(1-s)) is 0.
    half = 0.5 - 1 / rate
    s = min(half + math.sqrt(half**2 + 1 / bend + 1 / rate), 1.0)
    return rate * (other + s) + math.log1p(bend * s * (1 - s))


def chaudhuri_setting(epsilon: float, curvature: float, radius: float = 1.0) -> tuple[float, float]:
    """Return (beta, curvature) by the accounting of [erm], as in [pptl] Alg. 1, lines 1-6.

    epsilon' = epsilon - 2 log(1 + radius²/(4 curvature)); if nothing is left, the curvature is raised to
    radius²/(4(e^(epsilon/4) - 1)) and epsilon' = epsilon/2. beta = epsilon'/(2 radius).
    """
    left = epsilon - 2 * math.log1p(radius**2 / (4 * curvature))
    if left > 0:
        return left / (2 * radius), curvature
    # Never below what was asked for: the printed Delta may be negative.
    raised = max(curvature, radius**2 / (4 * math.expm1(epsilon / 4)))
    return epsilon / (4 * radius), raised


@registered
@dataclass(frozen=True)
class ObjectivePerturbation:
    """The minimiser u of sum_i log(1 + e^-(z_i u + o_i)) + b u + curvature/2 |u|², b of density e^(-beta |b|).

    The input has one row (z_i, o_i) for each record: its features times its label, -1 or 1, and its margin under public
    prior weights, of which u is the change. The last two axes are one table; each table before them is a query. A
    further column holds the share a_i in [0, 1] of its loss by which a record counts; without it all count whole.

    Inequality: replacing one row costs at most ``loss_supremum`` for the exact minimiser [erm]; a row of zeros counts
    as no row, so adding or removing one costs no more, and with ``neighbours="added"``, which promises nothing else,
    half as much. A share of a loss has no more slope and curvature than the loss, and so costs no more. The solver
    stops at a gradient of at most t, hence at most t/curvature from the minimiser; noise of the same law that hides a
    move of that length costs ``closing``/2 on each of two neighbours [amp]. It converges for any rows; should rounding
    keep it from the tolerance, nothing is released, which the promise does not cover. Both noises have no integer form
    and are drawn in double precision, as the card says.

    Parameters
    ----------
    beta : float
        Rate of the noise: |b| is Gamma(d, 1/beta).
    curvature : float
        n(lambda + Delta): what regularisation alone adds to the Hessian.
    radius : float
        The largest norm of a row z; longer rows are refused.
    dimension : int
        d, the number of features.
    closing : float
        Epsilon for hiding how the solver stopped.
    neighbours : {"replaced", "added"}
        What one unit of ``sensitivity`` is: a row that is another one, or a row more or less.
    """

    beta: float
    curvature: float
    radius: float
    dimension: int
    closing: float
    neighbours: str = "replaced"
    name = "objective perturbation"
    exact = False
    # One row of the table.
    sensitivity = 1.0

    def __post_init__(self) -> None:
        for name in ("beta", "curvature", "radius", "closing"):
            checks.positive(name, getattr(self, name))
        checks.whole("dimension", self.dimension)
        checks.one_of("neighbours", self.neighbours, OTHER_SLOPE)

    @classmethod
    def for_epsilon(
        cls,
        epsilon: float,
        *,
        curvature: float,
        dimension: int,
        radius: float = 1.0,
        accounting: str = "tight",
        neighbours: str = "replaced",
    ) -> "ObjectivePerturbation":
        """Return the mechanism that costs ``epsilon``, with at least the given curvature.

        ``accounting="tight"``: the curvature is raised to where nothing is deducted from epsilon. ``"chaudhuri"``: the
        deduction and the rise of [erm].
        """
        epsilon = checks.positive("epsilon", epsilon)
        closing = CLOSING_SHARE * epsilon
        rest = epsilon - closing
        if checks.one_of("accounting", accounting, ("tight", "chaudhuri")) == "chaudhuri":
            beta, raised = chaudhuri_setting(rest, curvature, radius)
        else:
            beta = rest / ((1 + OTHER_SLOPE[checks.one_of("neighbours", neighbours, OTHER_SLOPE)]) * radius)
            raised = max(curvature, radius / beta)
        return cls(beta, raised, radius, dimension, closing, neighbours)

    @property
    def event(self) -> ApproximateEvent:
        """A pure event."""
        other = OTHER_SLOPE[self.neighbours]
        return ApproximateEvent(loss_supremum(self.beta, self.curvature, self.radius, other=other) + self.closing)

    @property
    def added_epsilon(self) -> float:
        """What a row more or less costs: a row of zeros, which is none, gives way to it."""
        return loss_supremum(self.beta, self.curvature, self.radius, other=OTHER_SLOPE["added"]) + self.closing

    @property
    def hides_row_count(self) -> bool:
        """Whether tables with different numbers of rows may be neighbours."""
        return self.neighbours == "added"

    @property
    def relations(self) -> Relations:
        """What the event is proved for where the curvature was made for the table's own number of rows."""
        return (Relation.ADD_REMOVE,) if self.neighbours == "added" else (Relation.REPLACE,)

    @property
    def provable_relations(self) -> Relations:
        """What the event is proved for where the curvature is a public number: a row of zeros is no row."""
        return (Relation.ADD_REMOVE,) if self.neighbours == "added" else tuple(Relation)

    @property
    def tolerance(self) -> float:
        """The largest gradient at which the solver may stop: public, and within reach of double precision."""
        return max(TOLERANCE * self.radius, ROUNDING * self.dimension / self.beta)

    @property
    def solver_tolerance(self) -> float:
        """Where the solver stops: half of the tolerance is room for the rounding of the gradient itself."""
        return self.tolerance / 2

    @property
    def closing_rate(self) -> float:
        """The rate of the noise that hides how the solver stopped.

        Two neighbours share the closing epsilon: each of their outputs lies tolerance/curvature near a minimiser.
        """
        return (self.closing / 2) / (self.tolerance / self.curvature)

    @property
    def output_direction(self) -> FloatArray:
        """Along which weights tell the `opposite_rows` apart."""
        first: FloatArray = np.eye(self.dimension)[0]
        return first

    def opposite_rows(self) -> tuple[FloatArray, FloatArray]:
        """Return two neighbouring tables that are told apart best: a row far wrong; its opposite, or none."""
        row = np.append(self.radius * np.eye(self.dimension)[0], FAR_WRONG)
        if self.neighbours == "added":
            return row[None], np.zeros_like(row)[None]
        return row[None], (row * np.append(-np.ones(self.dimension), 1.0))[None]

    def distance(self, first: FloatArray, second: FloatArray) -> float:
        """Return how many rows of one table the other lacks; of each, where a replaced row is one less and one more."""
        if self.neighbours == "replaced":
            return float(rows_apart(first, second))
        return float(sum(rows_beyond(*(table[table[:, : self.dimension].any(axis=1)] for table in (first, second)))))

    def draw(self, values: FloatArray, stream: NoiseStream) -> FloatArray:
        """Return the weights of each table, d for each."""
        tables = self._checked(values)
        linear = noise.norm_gamma(stream, (len(tables), self.dimension), beta=self.beta)
        minimisers = np.stack([self._minimiser(table, b) for table, b in zip(tables, linear, strict=True)])
        hiding = noise.norm_gamma(stream, minimisers.shape, beta=self.closing_rate)
        return (minimisers + hiding).reshape(*np.shape(values)[:-2], self.dimension)

    def _checked(self, values: FloatArray) -> FloatArray:
        values = np.asarray(values, dtype=np.float64)
        d = self.dimension
        if values.ndim < 2 or values.shape[-1] not in (d + 1, d + 2):
            raise InputError(
                f"values must have rows of {d} features, a margin and perhaps a share; got shape {values.shape}."
            )
        tables = tables_of(values)
        for table in tables:
            self.require_short(table[:, :d], table[:, d:])
            require_shares(table[:, d + 1 :])
        return tables

    def require_short(self, Z: FloatArray, others: FloatArray) -> None:
        """Refuse rows ``Z`` beyond the radius, and anything that is not finite in them or beside them."""
        with np.errstate(over="ignore", invalid="ignore"):
            squares = np.vecdot(Z, Z)
        # Written so that NaN is refused too.
        if not (squares <= self.radius**2).all() or not np.isfinite(others).all():
            raise SensitivityError(f"rows must be finite and no longer than {self.radius:g}. Shorten them first.")

    def require_minimum(self, minimum: Minimum) -> None:
        """Refuse weights whose gradient is larger than the guarantee allows."""
        # Newton's method reaches it for any table: only more than about 2^30 rows leave too few digits.
        if minimum.gradient_norm > self.solver_tolerance:
            raise InputError(
                f"the minimiser could not be found to a gradient of {self.solver_tolerance:.3g}, which the guarantee "
                "needs. Nothing is released. Raise the regularisation."
            )

    def _minimiser(self, table: FloatArray, linear: FloatArray) -> FloatArray:
        d = self.dimension
        minimum = minimise_together(
            table[:, :d],
            table[None, :, d],
            linear[None],
            curvature=self.curvature,
            tolerance=self.solver_tolerance,
            shares=table[:, d + 1] if table.shape[1] > d + 1 else None,
        )
        self.require_minimum(minimum)
        weights: FloatArray = minimum.point[0]
        return weights


def require_shares(shares: FloatArray) -> None:
    """Refuse shares of a loss beyond [0, 1]: the inequality holds for a whole loss at most."""
    if not ((shares >= 0) & (shares <= 1)).all():  # NaN compares as false
        raise SensitivityError("shares of rows must lie in [0, 1].")


def tables_of(values: FloatArray) -> FloatArray:
    """Return the tables before the last two axes as one list; a table may have no rows."""
    return values.reshape(math.prod(values.shape[:-2]), *values.shape[-2:])


def rows_apart(first: FloatArray, second: FloatArray) -> int:
    """Return how many rows must be replaced to make one table of the other, in any order."""
    return max(rows_beyond(first, second))


def rows_beyond(first: FloatArray, second: FloatArray) -> tuple[int, int]:
    """Return how many rows each table has beyond the other, in any order."""
    counts: dict[bytes, int] = {}
    for table, sign in ((first, 1), (second, -1)):
        for row in np.ascontiguousarray(table, dtype=np.float64).reshape(-1, table.shape[-1]) + 0.0:
            counts[row.tobytes()] = counts.get(row.tobytes(), 0) + sign
    more, less = (sum(max(sign * count, 0) for count in counts.values()) for sign in (1, -1))
    return more, less
