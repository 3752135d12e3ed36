"""Draws the curves of an additive model and builds the release."""

from typing import Any

from numpy.typing import NDArray

from tacit.arrays import Rows
from tacit.models.additive.fit import fit_classifier
from tacit.models.additive.levels import encoded_codes
from tacit.models.additive.plan import AdditivePlan
from tacit.models.additive.release import additive_card, additive_release
from tacit.models.additive.rows import batches_of
from tacit.releases.file import Release
from tacit.releases.kind import ReleasePlan, Spend, checked_rows


def make(plan: ReleasePlan[AdditivePlan], X: Rows, y: NDArray[Any], spend: Spend) -> Release:
    """Charge the ledger, then return the curves learned from rows ``X`` [N, p] in [0, 1] with class codes ``y`` [N]."""
    targets = checked_rows(X, y, plan.schema)
    columns = plan.details.columns
    batches = batches_of(encoded_codes(X, plan.schema.features, columns), targets, columns)
    account = plan.charge(spend, "additive release")
    model = fit_classifier(batches, plan.details, account)
    return additive_release(model, additive_card(account), schema=plan.schema.to_dict())
