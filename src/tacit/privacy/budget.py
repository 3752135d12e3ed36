"""Units of protection, the relation between neighbouring tables, and the budget that is spent on them.

Cautions say which budgets keep a promise formally and protect little.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from tacit import checks
from tacit.errors import BudgetError, InputError

# Above this an epsilon is a typing error rather than a promise: e^100 leaves nothing to protect.
LARGEST_EPSILON = 100.0
# Of a release and of a ledger alike, where none is given and the mechanism needs one.
DEFAULT_DELTA = 1e-6
# Beyond this, odds may change by a factor of half a billion.
LARGE_EPSILON = 20.0
# Below this, noise is a million times as large as what one unit contributes.
SMALL_EPSILON = 1e-6
# A delta that is too large for a table of any size that is worth protecting.
LARGE_DELTA = 1e-3
# Fewer rows than this are lost in the noise of any epsilon that protects.
FEW_ROWS = 20


class Unit(StrEnum):
    """What one epsilon protects."""

    ENTRY = "entry"
    """one cell of the table"""
    RECORD = "record"
    """one row of the table"""
    PERSON = "person"
    """one person with all their rows"""
    PAIR = "pair"
    """one relationship and everything that reveals it"""


class Relation(StrEnum):
    """What makes two tables neighbours: which comparison an inequality is proved for."""

    ADD_REMOVE = "add-remove"
    """one of the tables has one unit more; the number of rows is protected too"""
    REPLACE = "replace"
    """one unit is exchanged for another; the number of rows is public"""


Relations = tuple[Relation, ...]
# Entries and relationships are parts of a table of fixed shape: they change, but are never there or not.
ONLY_REPLACED = (Unit.ENTRY, Unit.PAIR)


def default_relation(unit: Unit) -> Relation:
    """Return the relation meant where none is named: a record or person more or less, an entry or pair exchanged."""
    return Relation.REPLACE if unit in ONLY_REPLACED else Relation.ADD_REMOVE


def relation_of(unit: Unit, stated: "Relation | str | None", *, error: type[InputError] = InputError) -> Relation:
    """Return the relation ``stated`` for ``unit``, or its default."""
    if stated is None:
        return default_relation(unit)
    relation = checks.one_of("relation", stated, list(Relation), error=error)
    if unit in ONLY_REPLACED and relation is not Relation.REPLACE:
        raise error(
            f"relation must be 'replace' for unit {unit.value!r}, which is never added or removed by itself; "
            f"got {relation.value!r}. Choose unit 'record' to protect who is in the table."
        )
    return relation


def relations_of(unit: Unit, stated: "Relation | str | Iterable[Relation | str] | None") -> Relations:
    """Return the relations that an inequality about ``unit`` proves: one, several, or the default for None."""
    several = [stated] if stated is None or isinstance(stated, str) else list(stated)
    if not several:
        raise InputError("relation must name at least one relation; got none.")
    relations = {relation_of(unit, each) for each in several}
    return tuple(relation for relation in Relation if relation in relations)


@dataclass(frozen=True)
class Budget:
    """An upper bound on privacy loss: ``epsilon`` and ``delta`` for one ``unit`` under one ``relation``.

    Parameters
    ----------
    epsilon : float
        Finite, above 0 and at most 100.
    delta : float
        In [0, 1).
    unit : Unit or str
        ``"entry"``, ``"record"``, ``"person"`` or ``"pair"``.
    relation : Relation or str, optional
        ``"add-remove"`` (one unit more or less) or ``"replace"`` (one unit exchanged, the number of rows public). The
        default is ``"add-remove"`` for records and persons; entries and pairs can only be exchanged.

    Examples
    --------
    >>> Budget(1, 1e-6, unit="record").covers(Budget(0.5, unit="record"))
    True
    >>> Budget(1, unit="record").covers(Budget(0.5, unit="record", relation="replace"))
    False
    """

    epsilon: float
    delta: float = 0.0
    unit: Unit = Unit.RECORD
    relation: Relation = Relation.ADD_REMOVE

    def __init__(
        self, epsilon: float, delta: float = 0.0, *, unit: Unit | str, relation: Relation | str | None = None
    ) -> None:
        bounded = checks.positive("epsilon", epsilon, error=BudgetError)
        if bounded > LARGEST_EPSILON:
            raise BudgetError(
                f"epsilon must be at most {LARGEST_EPSILON:g}; got {epsilon!r}. "
                "A larger one protects nothing: release the data openly instead."
            )
        of = checks.one_of("unit", unit, list(Unit), error=BudgetError)
        object.__setattr__(self, "epsilon", bounded)
        object.__setattr__(self, "delta", checks.fraction("delta", delta, zero=True, error=BudgetError))
        object.__setattr__(self, "unit", of)
        object.__setattr__(self, "relation", relation_of(of, relation, error=BudgetError))

    def covers(self, other: "Budget") -> bool:
        """Whether ``other`` asks for no more than this: budgets are only partly ordered."""
        same = (self.unit, self.relation) == (other.unit, other.relation)
        return same and other.epsilon <= self.epsilon and other.delta <= self.delta

    def __str__(self) -> str:
        delta = f", delta {self.delta:g}" if self.delta else ""
        relation = "" if self.unit in ONLY_REPLACED else f" ({self.relation})"
        return f"epsilon {self.epsilon:g}{delta} per {self.unit}{relation}"


def cautions(budget: Budget, *, n_rows: int | None = None) -> tuple[str, ...]:
    """Return sentences about ``budget``, none if nothing is wrong with it.

    ``n_rows`` is the table's, which may itself be private: with it the sentences are for the owner's eyes alone.
    """
    sentences = [*_about_delta(budget, n_rows), *_about_epsilon(budget)]
    if n_rows is not None and n_rows < FEW_ROWS:
        sentences.append(
            f"the table has {n_rows} rows: they are lost in the noise, and the release holds next to nothing. "
            "Release a larger table."
        )
    return tuple(sentences)


def clipping_cautions(clipped: Mapping[str, float]) -> tuple[str, ...]:
    """Return a sentence if all values of some columns lie at or beyond one bound; for the owner's eyes alone.

    ``clipped`` maps names of columns to the share of their values that do.
    """
    names = [repr(name) for name, share in clipped.items() if share >= 1]
    if not names:
        return ()
    columns, hold = ("column", "it holds") if len(names) == 1 else ("columns", "they hold")
    return (
        f"{columns} {', '.join(names)}: every value lies at or beyond a bound and was clipped to it, so that {hold} no "
        "information. Check the bounds and the units in the schema.",
    )


def _about_delta(budget: Budget, n_rows: int | None) -> list[str]:
    per_row = math.inf if not n_rows else 1 / n_rows
    if budget.delta >= per_row:
        return [
            f"delta {budget.delta:g} is at least 1 over the number of rows: publishing one record in full, chosen at "
            f"random, would satisfy it. Choose a smaller delta, such as {per_row / 100:.0e}."
        ]
    if budget.delta >= LARGE_DELTA:
        return [
            f"delta {budget.delta:g} is large: with that probability one {budget.unit} may lose all protection: in a "
            f"table of more than {1 / budget.delta:.0f} rows publishing one of them in full would satisfy it. Choose a "
            "delta well below 1 over the number of rows, such as 1e-6."
        ]
    return []


def _about_epsilon(budget: Budget) -> list[str]:
    if budget.epsilon > LARGE_EPSILON:
        return [
            f"epsilon {budget.epsilon:g} lets odds change by a factor of {math.exp(budget.epsilon):.0e} through one "
            f"{budget.unit}: that is no protection to speak of. Above 10 a promise is hard to defend."
        ]
    if budget.epsilon < SMALL_EPSILON:
        return [
            f"epsilon {budget.epsilon:g} asks for noise a million times as large as what one {budget.unit} adds: what "
            "is released does not depend on the table any more."
        ]
    return []
