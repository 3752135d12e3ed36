"""Draws the counts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Rows
from tacit.releases.file import Release
from tacit.releases.kind import ReleasePlan, Spend, checked_rows


def make(plan: ReleasePlan[None], X: Rows, y: NDArray[Any], spend: Spend) -> Release:
    """Charge the ledger, then return noisy counts [2 sides, 2 classes]."""
    codes = checked_rows(X, y, plan.schema)
    account = spend.open(plan, "scratch")
    counts = np.zeros((2, 2))
    np.add.at(counts, ((X[:, 0] > 0.5).astype(int), codes), 1.0)
    noisy = account.release(plan.steps[0].mechanism, counts.ravel()).reshape(2, 2)
    card = account.card("counts by class", adjacency="one row more or less", not_protected=["the schema"])
    return Release("scratch_counts", {"counts": noisy}, {}, card, plan.schema.to_dict())
