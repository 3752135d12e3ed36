"""Draws the weights of a linear release."""

from typing import Any

from numpy.typing import NDArray
from sklearn.base import clone

from tacit.arrays import Rows
from tacit.kinds.linear.plan import LinearDetails
from tacit.releases.file import Release
from tacit.releases.kind import ReleasePlan, Spend, checked_rows


def make(plan: ReleasePlan[LinearDetails], X: Rows, y: NDArray[Any], spend: Spend) -> Release:
    """Charge the ledger, then return weights learned from rows ``X`` [N, p] in [0, 1] with class codes ``y`` [N]."""
    checked_rows(X, y, plan.schema)
    estimator: Any = clone(plan.details.estimator)
    estimator.set_params(ledger=spend.ledger, random_state=spend.random_state)
    purpose = spend.purpose or "linear release"
    release: Release = estimator.fit(X, y, plan=plan.details.split_plan, charge=plan, purpose=purpose).release()
    return release
