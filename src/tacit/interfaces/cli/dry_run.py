"""The dry run of commands that spend: what would be drawn, with which noise, and what would be left."""

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tacit.errors import BudgetExceededError, InputError
from tacit.interfaces.cli.json_output import print_json
from tacit.interfaces.cli.spend import balance
from tacit.privacy.account import Plan
from tacit.privacy.ledger import Ledger
from tacit.privacy.mechanisms.base import settings_of
from tacit.privacy.spending import digits
from tacit.workflows.dry_run import mechanism_words, statement_after


def print_dry_run(plan: Plan, book: Ledger | None, *, as_json: bool = False) -> None:
    """Print what would be drawn and spent."""
    if as_json:
        print_json(dry_run_facts(plan, book))
        return
    table = Table(title="dry run: what would be released", box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for header in ("what", "noise", "because"):
        table.add_column(header, overflow="fold")
    for step in plan.steps:
        table.add_row(Text(step.what), Text(mechanism_words(step.mechanism)), Text(step.because))
    console = Console()
    console.print(table)
    console.print(Text(f"would spend {plan.budget}; nothing was spent, nothing was written."))
    if book is not None:
        console.print(_left_after(plan, book))


def _left_after(plan: Plan, book: Ledger) -> Text:
    """Return what the ledger would have left, as it would account for the charge itself."""
    try:
        after = statement_after(plan, book)
    except (BudgetExceededError, InputError) as refused:
        return Text(str(refused), style="bold red")
    spent, left = digits(after.spent, up=True), digits(after.left)
    return Text(f"ledger {book.path.name}: epsilon {spent} of {book.budget.epsilon:g} would be spent, {left} left.")


def dry_run_facts(plan: Plan, account: Ledger | None) -> dict[str, Any]:
    """Return what would be drawn and spent, and what the ledger would have left, or why it would refuse."""
    steps = [
        {"what": step.what, "noise": settings_of(step.mechanism), "because": step.because, "times": step.times}
        for step in plan.steps
    ]
    budget = plan.budget
    return {
        "dry_run": True,
        "epsilon": budget.epsilon,
        "delta": budget.delta,
        "unit": budget.unit,
        "relation": budget.relation,
        "steps": steps,
        "ledger": None if account is None else _after(plan, account),
    }


def _after(plan: Plan, account: Ledger) -> dict[str, Any]:
    try:
        return balance(account, statement_after(plan, account))
    except (BudgetExceededError, InputError) as refusal:
        return {"path": account.path, "refused": str(refusal)}
