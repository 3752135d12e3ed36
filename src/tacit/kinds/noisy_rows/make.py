"""Draws noise in every entry of the rows and builds the release."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Arrays, Rows
from tacit.data.schemas.schema import PUBLIC
from tacit.errors import InputError
from tacit.kinds.noisy_rows import FILE
from tacit.models.entry_noise import ENTRY_ADJACENCY, noisy_rows, unprotected_by_entries
from tacit.privacy.account import Account
from tacit.privacy.card import Card
from tacit.releases.file import Release
from tacit.releases.kind import ReleasePlan, Spend, checked_rows


def make(plan: ReleasePlan[None], X: Rows, y: NDArray[Any], spend: Spend) -> Release:
    """Charge the ledger, then return rows ``X`` [N, p] in [0, 1] with noise in every entry, and their class codes.

    The release is what [hull] Remark 6 transfers; a party that answers distances keeps it and answers from it.
    """
    codes = checked_rows(X, y, plan.schema)
    if not (np.isfinite(X).all() and X.min() >= 0 and X.max() <= 1):
        raise InputError("X must be encoded by the schema: finite and in [0, 1].")
    account = spend.open(plan, "rows of one party of a federation")
    noisy, scale = noisy_rows(account, X, plan.schema)
    arrays: Arrays = {"rows": noisy.astype(np.float32), "codes": codes.astype(np.int64), "scale": scale}
    card = _card(account, kept=plan.budget.delta * X.size, n_features=plan.n_features)
    return Release(FILE, arrays, {"n_classes": len(plan.schema.classes)}, card, plan.schema.to_dict())


def _card(account: Account, *, kept: float, n_features: int | None) -> Card:
    """Return the card of noisy rows, about ``kept`` entries of which keep their value."""
    return account.card(
        "rows with noise in every entry",
        adjacency=ENTRY_ADJACENCY,
        assumptions=[PUBLIC, "entries outside their public bounds are clipped to them"],
        not_protected=unprotected_by_entries(kept),
        n_features=n_features,
    )
