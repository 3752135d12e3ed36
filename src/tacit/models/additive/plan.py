"""What an additive release will draw, calibrated once from public facts: the columns, the target, epsilon and delta."""

import math
from dataclasses import dataclass

import numpy as np

from tacit.arrays import FloatArray
from tacit.errors import BudgetError
from tacit.models.additive.levels import ColumnLevels
from tacit.models.additive.marginals import query_size
from tacit.models.additive.pair_selection import MOST_COLUMNS
from tacit.models.additive.pairs import RANK
from tacit.models.additive.rows import RowLayout
from tacit.numerics.exact_sums import IntegerSum
from tacit.privacy.account import Account, Plan, Step
from tacit.privacy.accounting import calibrate
from tacit.privacy.budget import Budget, Relation, Unit
from tacit.privacy.events import Event, GaussianEvent, SequentialEvent
from tacit.privacy.mechanisms import Gaussian
from tacit.records import record

# The part of mu squared that the numbers of rows at each level get; the rest is cut into equal units.
MARGINAL_SHARE = 0.11
UNITS = 120
# Cells of the histogram in which the finished scores are checked.
CHECK_CELLS = 16

LEVEL_COUNTS = "the number of rows at each level of each column and of the target, and of all rows"
GRADIENTS = (
    "the gradient of an additive model's loss at each step, the choice of pairs of columns, the check of its finished "
    "scores, and the mean and spread of a number to predict"
)
MARGINALS_BECAUSE = (
    "adding one row adds 1 to one level of each column and of the target, and to the number of rows. Columns of two "
    "levels are asked for as half their difference, numbers through the square root of running sums; all of it is "
    "divided by the norm of the longest such row"
)
UNITS_BECAUSE = (
    "each query is divided by the most that adding one row can move it: for a gradient, also that by all pairs of "
    "columns, the length to which each row's part is shortened; for the histogram of finished scores the root of "
    "the number of cells in which one row is counted; for sums of a number and its prediction by cells the "
    "longest part that the ends of both allow; for mean and spread the longest pair of both that public bounds "
    "allow. A row's part is cut towards zero to whole numbers, so that rounding adds nothing to it"
)


@record
class AdditivePlan:
    """Mechanisms of an additive release.

    The sizes of its queries and how many units each takes follow from noisy answers; what they cost together does not.
    """

    layout: RowLayout
    """Levels of the columns, and of the target at the end."""
    budget: Budget
    marginals: Gaussian
    """Numbers of rows at each level: one draw."""
    unit: Gaussian
    """Every further query, divided by its sensitivity: a fixed number of draws, however they are spent."""
    mu: float
    """What all draws together cost, as a Gaussian of this ratio of sensitivity to noise [gdp]."""

    @property
    def columns(self) -> tuple[ColumnLevels, ...]:
        """Levels of the columns to learn from."""
        return self.layout.levels[:-1]

    @property
    def target(self) -> ColumnLevels:
        """Levels of what is learned: classes, or those of a number."""
        return self.layout.levels[-1]

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps to charge."""
        return (
            Step(self.marginals, LEVEL_COUNTS, MARGINALS_BECAUSE, relation=Relation.ADD_REMOVE),
            Step(self.unit, GRADIENTS, UNITS_BECAUSE, UNITS, relation=Relation.ADD_REMOVE),
        )

    @property
    def as_plan(self) -> Plan:
        """The promise and its steps; nothing leaves without noise."""
        return Plan(self.budget, self.steps, len(self.columns), exact=())


def plan_additive(
    columns: tuple[ColumnLevels, ...], target: ColumnLevels, *, epsilon: float, delta: float
) -> AdditivePlan:
    """Return the plan of a release that learns ``target`` from ``columns``; nothing is charged.

    All noise is Gaussian, so its composition is exact: mu² is the sum of the squared ratios of sensitivity to noise.
    """
    budget = Budget(epsilon, delta, unit=Unit.RECORD)
    if budget.delta == 0:
        raise BudgetError("delta must be above 0 for an additive release, whose noise is Gaussian; got 0. Try 1e-6.")
    layout = RowLayout((*columns, target))
    n_scores = 1 if target.is_number or target.size == 2 else target.size
    # No query is larger: gradients by columns and by pairs of them, and the check.
    coordinates = (layout.size + 2 * CHECK_CELLS + MOST_COLUMNS * (MOST_COLUMNS - 1) // 2 * RANK**2) * n_scores

    def mechanisms(level: float) -> tuple[Gaussian, Gaussian]:
        return (
            Gaussian(level / math.sqrt(MARGINAL_SHARE), 1.0, query_size(layout.levels)),
            Gaussian(level / math.sqrt((1 - MARGINAL_SHARE) / UNITS), 1.0, coordinates),
        )

    marginals, unit = mechanisms(calibrate(lambda level: _event(*mechanisms(level)), budget))
    return AdditivePlan(layout, budget, marginals, unit, mu=_total(marginals, unit))


@dataclass(eq=False)
class UnitDraws:
    """The units of a plan, as an account gives them out."""

    account: Account
    mechanism: Gaussian
    left: int = UNITS
    """How many are not yet drawn."""

    def ask(self, query: IntegerSum, draws: int) -> FloatArray:
        """Return the mean of ``draws`` noisy answers to a query of sensitivity 1."""
        answers = self.account.release_repeatedly(self.mechanism, query, draws)
        self.left -= draws
        mean: FloatArray = np.mean(answers, axis=0)
        return mean


def spread_units(units: int, steps: int) -> tuple[int, ...]:
    """Return how many units each of ``steps`` steps takes: as equal as they can be, the last ones more.

    >>> spread_units(11, 4)
    (2, 3, 3, 3)
    """
    steps = min(steps, units)
    return tuple(units // steps + (index >= steps - units % steps) for index in range(steps))


def _event(marginals: Gaussian, unit: Gaussian) -> Event:
    one = unit.event
    # Equal Gaussians compose to one of sigma / sqrt(count).
    units = GaussianEvent(one.sigma, one.sensitivity * math.sqrt(UNITS), min(one.bias * UNITS, 0.5))
    return SequentialEvent((marginals.event, units))


def _total(marginals: Gaussian, unit: Gaussian) -> float:
    return math.sqrt(1 / marginals.sigma**2 + UNITS / unit.sigma**2)
