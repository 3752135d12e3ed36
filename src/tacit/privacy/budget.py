"""Units of protection and the budget that is spent on them."""

from dataclasses import dataclass
from enum import StrEnum

from tacit import checks
from tacit.errors import BudgetError

# Above this an epsilon is a typing error rather than a promise: e^100 leaves nothing to protect.
LARGEST_EPSILON = 100.0


class Unit(StrEnum):
    """What one epsilon protects."""

    ENTRY = "entry"
    """one cell of the table"""
    RECORD = "record"
    """one row of the table"""
    PAIR = "pair"
    """one relationship and everything that reveals it"""


@dataclass(frozen=True)
class Budget:
    """An upper bound on privacy loss: ``epsilon`` and ``delta`` for one ``unit``.

    Parameters
    ----------
    epsilon : float
        Finite, above 0 and at most 100.
    delta : float
        In [0, 1).
    unit : Unit or str
        ``"entry"``, ``"record"`` or ``"pair"``.

    Examples
    --------
    >>> Budget(1, 1e-6, unit="record").covers(Budget(0.5, unit="record"))
    True
    """

    epsilon: float
    delta: float = 0.0
    unit: Unit = Unit.RECORD

    def __init__(self, epsilon: float, delta: float = 0.0, *, unit: Unit | str) -> None:
        bounded = checks.positive("epsilon", epsilon, error=BudgetError)
        if bounded > LARGEST_EPSILON:
            raise BudgetError(
                f"epsilon must be at most {LARGEST_EPSILON:g}; got {epsilon!r}. "
                "A larger one protects nothing: release the data openly instead."
            )
        object.__setattr__(self, "epsilon", bounded)
        object.__setattr__(self, "delta", checks.fraction("delta", delta, zero=True, error=BudgetError))
        object.__setattr__(self, "unit", checks.one_of("unit", unit, list(Unit), error=BudgetError))

    def covers(self, other: "Budget") -> bool:
        """Whether ``other`` asks for no more than this: budgets are only partly ordered."""
        return self.unit == other.unit and other.epsilon <= self.epsilon and other.delta <= self.delta

    def __str__(self) -> str:
        if self.delta == 0:
            return f"epsilon {self.epsilon:g} per {self.unit}"
        return f"epsilon {self.epsilon:g}, delta {self.delta:g} per {self.unit}"
