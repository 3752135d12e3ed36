"""Draws the curves of an additive model and builds the release."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray, Rows
from tacit.data.columns import Target
from tacit.errors import InputError
from tacit.models.additive.fit import fit_classifier, fit_regression
from tacit.models.additive.levels import encoded_codes
from tacit.models.additive.plan import AdditivePlan
from tacit.models.additive.release import AdditiveModel, additive_card, additive_release
from tacit.models.additive.rows import batches_of
from tacit.privacy.account import Account
from tacit.releases.file import Release
from tacit.releases.kind import ReleasePlan, Spend, checked_rows


def make(plan: ReleasePlan[AdditivePlan], X: Rows, y: NDArray[Any], spend: Spend) -> Release:
    """Charge the ledger, then return the curves learned from rows ``X`` [N, p] in [0, 1].

    ``y`` [N] holds class codes, or numbers where the schema declares a target.
    """
    learn = _regression if plan.schema.target is not None else _classifier
    model, account = learn(plan, X, y, spend)
    return additive_release(model, additive_card(account), schema=plan.schema.to_dict())


def checked_numbers(X: Rows, y: NDArray[Any], target: Target) -> FloatArray:
    """Return an owner's targets moved to their public bounds; raise InputError unless each row of X has one."""
    numbers = np.asarray(y)
    if numbers.shape != (len(X),) or not len(X) or numbers.dtype.kind not in "fiu" or not np.isfinite(numbers).all():
        raise InputError(
            f"y must hold a finite number for each of {len(X)} rows, the target {target.name!r}; got shape "
            f"{numbers.shape}. Drop rows without one."
        )
    return np.clip(numbers.astype(np.float64), *target.bounds)


def _classifier(
    plan: ReleasePlan[AdditivePlan], X: Rows, y: NDArray[Any], spend: Spend
) -> tuple[AdditiveModel, Account]:
    columns, codes = plan.details.columns, checked_rows(X, y, plan.schema)
    batches = batches_of(encoded_codes(X, plan.schema.features, columns), codes, columns)
    account = plan.charge(spend, "additive release")
    return fit_classifier(batches, plan.details, account), account


def _regression(
    plan: ReleasePlan[AdditivePlan], X: Rows, y: NDArray[Any], spend: Spend
) -> tuple[AdditiveModel, Account]:
    if plan.schema.target is None:
        raise InputError("the schema must declare a column of kind 'target'.")
    columns, numbers = plan.details.columns, checked_numbers(X, y, plan.schema.target)
    batches = batches_of(encoded_codes(X, plan.schema.features, columns), numbers, columns)
    account = plan.charge(spend, "additive release")
    return fit_regression(batches, plan.details, account), account
