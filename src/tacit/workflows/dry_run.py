"""What a dry run says: the noise of each step in words, and what a ledger would have left."""

from tacit.privacy.account import Plan, plan_claim
from tacit.privacy.ledger import Ledger, Statement
from tacit.privacy.mechanisms.base import Mechanism, settings_of


def mechanism_words(mechanism: Mechanism) -> str:
    """Return a mechanism and its settings in one line."""
    settings = settings_of(mechanism)
    name = settings.pop("mechanism")
    shown = (f"{key} {value:.6g}" if isinstance(value, float) else f"{key} {value}" for key, value in settings.items())
    return f"{name}: {', '.join(shown)}"


def statement_after(plan: Plan, ledger: Ledger) -> Statement:
    """Return the statement of ``ledger`` as it would be after the charge of ``plan``, which is not charged.

    Raises
    ------
    BudgetExceededError, InputError
        If the ledger would refuse it.
    """
    claim = plan_claim(
        plan.steps,
        plan.budget,
        n_features=plan.n_features,
        exact=plan.exact,
        rows_per_person=plan.rows_per_person,
    )
    return ledger.preview(claim)
