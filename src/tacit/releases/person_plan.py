"""Plans per person: what a kind draws per record, with enough noise for all rows of one person at once."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from tacit import checks
from tacit.errors import InputError
from tacit.privacy.account import Plan, plan_event
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.calibration import calibrate
from tacit.privacy.events import Event

AnyPlan = TypeVar("AnyPlan", bound=Plan)
# Beyond this the noise drowns any table that fits into memory.
MOST_ROWS_PER_PERSON = 1_000_000


def require_rows_per_person(unit: Unit, rows: int | None) -> int | None:
    """Return the bound on one person's rows, which unit "person" needs and no other takes."""
    if unit is not Unit.PERSON:
        if rows is not None:
            raise InputError(
                f"rows_per_person must be None with unit '{unit}'; got {rows!r}. Of a person with more rows some are "
                "left out, which one row more may change: give unit 'person', which counts that."
            )
        return None
    if rows is None:
        raise InputError(
            "rows_per_person must be given with unit 'person': the most rows of one person that are read, a public "
            "number. Give --rows-per-person K, or rows = K in the schema's column of kind 'person'."
        )
    if checks.whole("rows_per_person", rows) > MOST_ROWS_PER_PERSON:
        raise InputError(f"rows_per_person must be at most {MOST_ROWS_PER_PERSON:,}; got {rows:,}.")
    return rows


def person_plan(plan_per_record: Callable[[float, float], AnyPlan], promise: Budget, rows: int) -> AnyPlan:
    """Return the plan with the least noise that keeps ``promise`` for a person with at most ``rows`` rows.

    ``plan_per_record(epsilon, delta)`` is the kind's own plan per record, of which only the level of the noise is used.
    Inequality: K rows change one after the other, each by what one record may change, so that sums move at most K
    times as far; Laplace and Gaussian noise K times as large then keep what they kept for one record. That is the
    group's exact cost, which (epsilon, delta) of one record alone would overstate: ``accounting.at_group``.
    """

    def at(level: float) -> AnyPlan:
        # A smaller delta than the promise's keeps some epsilon above 0 for any noise that the search tries.
        return for_persons(plan_per_record(promise.epsilon / level, promise.delta / rows), promise, rows)

    def event(level: float) -> Event:
        made = at(level)
        return plan_event(made.steps, made.budget)

    # A kind that spends no delta promises none, and is calibrated for what it promises.
    return at(calibrate(event, at(float(rows)).budget, start=float(rows)))


def for_persons(plan: AnyPlan, promise: Budget, rows: int) -> AnyPlan:
    """Return a plan per record as one per person: each step meets ``rows`` rows, and the budget is ``promise``."""
    budget = Budget(
        promise.epsilon,
        promise.delta if plan.budget.delta else 0.0,
        unit=Unit.PERSON,
        relation=plan.budget.relation,
    )
    together = f"; of one person at most {rows} row{'s' * (rows > 1)} are read, which together move it at most {rows} "
    steps = tuple(
        replace(step, rows=rows, because=f"{step.because}{together}time{'s' * (rows > 1)} as far")
        for step in plan.steps
    )
    changes: dict[str, Any] = {"budget": budget, "steps": steps, "rows_per_person": rows}
    return replace(plan, **changes)
