"""What fabrication draws: noisy class moments per record, or noise in every entry; and how rows are invented of it."""

from dataclasses import dataclass
from typing import Any

from tacit import checks
from tacit.checks import one_of
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.fabricated_rows import METHODS, entry, record
from tacit.kinds.fabricated_rows.directions import directions_of
from tacit.models.entry_noise import entry_step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.conversions import Exact
from tacit.releases.kind import ReleasePlan

ACCOUNTINGS = ("sound", "paper")
MOST_ROWS = 10_000_000
# Rows that share a hull.
BLOCK_SIZE = 1000


@dataclass(frozen=True)
class FabricationSettings:
    """How rows are invented; checked when constructed.

    Parameters
    ----------
    method : {"moments", "hull"}
        "moments": drawn from one Gaussian for each class. "hull": noisy rows smoothed through affine hulls, per entry.
    accounting : {"sound", "paper"}
        "paper": the hull method as printed, whose stated guarantee does not hold; its card says so.
    block_size : int
        Rows that share a hull, at most (as printed: about).
    n_jobs : int or None
        Blocks smoothed at the same time.
    rows : int or None
        How many rows to invent; None: as many as the table has, counted with noise where the number is protected.
    """

    method: str = "moments"
    accounting: str = "sound"
    block_size: int = BLOCK_SIZE
    n_jobs: int | None = None
    rows: int | None = None

    def __post_init__(self) -> None:
        one_of("method", self.method, METHODS)
        one_of("accounting", self.accounting, ACCOUNTINGS)
        checks.whole("block_size", self.block_size, least=2)
        if self.accounting == "paper" and self.method != "hull":
            raise InputError("accounting 'paper' reproduces the method 'hull'; give method='hull' with it.")
        if self.rows is not None and checks.whole("rows", self.rows) > MOST_ROWS:
            raise InputError(f"rows must be at most {MOST_ROWS:,}; got {self.rows:,}.")


def plan(
    schema: Schema, *, unit: Unit, epsilon: float, delta: float, **settings: Any
) -> ReleasePlan[FabricationSettings]:
    """Return what fabricating a table with ``schema`` will draw; nothing is charged.

    ``settings`` are those of `FabricationSettings`.
    """
    details = FabricationSettings(**settings)
    schema.require_public_bounds()
    schema.require_classes()
    budget = Budget(epsilon, delta, unit=unit)
    if unit is Unit.ENTRY:
        return ReleasePlan(
            budget,
            (entry_step(schema, epsilon, delta, entry.WHAT),),
            len(schema.features),
            tuple(Exact),
            warning=entry.LEAKS if details.accounting == "paper" else "",
            schema=schema,
            details=details,
        )
    if details.method == "hull":
        raise InputError("method 'hull' smooths noisy rows, which unit 'entry' alone has; use method 'moments'.")
    checks.fraction("delta", delta)
    steps = tuple(record.record_steps(directions_of(schema), budget))
    return ReleasePlan(budget, steps, len(schema.features), (), schema=schema, details=details)
