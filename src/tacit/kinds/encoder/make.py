"""Draws the moments of an encoder's layers and builds the release."""

from typing import Any

from numpy.typing import NDArray

from tacit.arrays import Rows
from tacit.models.autoencoder.encoder import PlannedLayers
from tacit.privacy.ledger import LedgerLike
from tacit.releases.file import Release
from tacit.releases.kind import ReleasePlan, checked_rows


def make(
    plan: ReleasePlan[PlannedLayers],
    X: Rows,
    y: NDArray[Any],
    *,
    ledger: LedgerLike = None,
    random_state: int | None = None,
    purpose: str = "",
) -> Release:
    """Charge the ledger, then return the encoder learned from rows ``X`` [N, p] in [0, 1]; labels are not read."""
    checked_rows(X, y, plan.schema)
    estimator = plan.details.estimator(ledger=ledger, random_state=random_state)
    estimator.fit(X, plan=plan.details, purpose=purpose or "encoder")
    return estimator.release(schema=plan.schema)
