"""A dry run: what a release would draw and spend; nothing is charged and nothing written."""

from typing import Any

from tacit.errors import TacitError
from tacit.interfaces.studio.tasks.promise import Promise
from tacit.interfaces.studio.worker import Order
from tacit.privacy.account import Plan
from tacit.privacy.ledger import Ledger
from tacit.privacy.spending import digits
from tacit.workflows.dry_run import mechanism_words, statement_after
from tacit.workflows.fabricate import PlannedFabrication, plan_fabrication
from tacit.workflows.release import PlannedRelease, plan_release


def run(order: Order) -> dict[str, Any]:
    """Return the steps of the plan, and what the ledger would have left."""
    promise = Promise.of(order)
    terms = promise.terms()
    planned: PlannedRelease | PlannedFabrication
    if promise.need.workflow == "fabricate":
        planned = plan_fabrication(promise.table, terms, progress=order.progress)
    else:
        planned = plan_release(promise.table, terms, method=promise.need.method, progress=order.progress)
    order.progress("reading every row, for what you should know")
    planned.warn()
    plan = planned.plan
    steps = [
        {"what": each.what, "noise": mechanism_words(each.mechanism), "because": each.because} for each in plan.steps
    ]
    return {"budget": str(plan.budget), "steps": steps, **_after(plan, terms.ledger)}


def _after(plan: Plan, ledger: Ledger | None) -> dict[str, Any]:
    """Return what the ledger would have spent and left, or why it would refuse."""
    if ledger is None:
        return {}
    try:
        after = statement_after(plan, ledger)
    except TacitError as refused:
        return {"refused": str(refused)}
    return {"spent": digits(after.spent, up=True), "left": digits(after.left), "of": f"{ledger.budget.epsilon:g}"}
