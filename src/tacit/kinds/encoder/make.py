"""Draws the moments of an encoder's layers and builds the release."""

from typing import Any

from numpy.typing import NDArray

from tacit.arrays import Rows
from tacit.models.autoencoder.encoder import PlannedLayers
from tacit.releases.file import Release
from tacit.releases.kind import ReleasePlan, Spend, checked_rows


def make(plan: ReleasePlan[PlannedLayers], X: Rows, y: NDArray[Any], spend: Spend) -> Release:
    """Charge the ledger, then return the encoder learned from rows ``X`` [N, p] in [0, 1]; labels are not read."""
    checked_rows(X, y, plan.schema)
    estimator = plan.details.estimator(ledger=spend.ledger, random_state=spend.random_state)
    estimator.fit(X, plan=plan.details, charge=plan, purpose=spend.purpose or "encoder")
    return estimator.release(schema=plan.schema)
