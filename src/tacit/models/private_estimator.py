"""What private estimators have in common: a privacy loss, the account that it is charged to, and a source of noise."""

from dataclasses import KW_ONLY, dataclass

from tacit.models.repeated_fits import warn_of_uncounted_search
from tacit.models.scikit_learn import BaseEstimator
from tacit.privacy.account import Account, Plan
from tacit.privacy.ledger import LedgerLike


@dataclass(eq=False, repr=False)
class PrivateEstimator(BaseEstimator):
    """Stores the parameters of every private estimator; a subclass adds its own as fields.

    Parameters
    ----------
    epsilon : float
        Privacy loss of one fit.
    ledger : Ledger, path or None
        The account of the private table. None: the loss is stated on the card alone.
    random_state : int or None
        None for secure noise; an int repeats itself and is marked as not private.

    Attributes
    ----------
    card_ : Card
        What the fitted model guarantees.
    """

    epsilon: float
    _: KW_ONLY
    ledger: LedgerLike = None
    random_state: int | None = None

    def _open(self, plan: Plan, purpose: str) -> Account:
        """Charge the ledger with ``plan`` and return the account that may draw it."""
        if self.ledger is None:
            warn_of_uncounted_search(self)
        return plan.open(ledger=self.ledger, random_state=self.random_state, purpose=purpose)
