"""Draws the curves of an additive model and builds the release."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray, Rows
from tacit.data.rows.encoded_columns import EncodedColumns
from tacit.data.rows.stream import RowStream
from tacit.data.schemas.columns import Target
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.additive.fit import fit_classifier, fit_regression
from tacit.models.additive.levels import ColumnLevels, encoded_codes
from tacit.models.additive.plan import AdditivePlan
from tacit.models.additive.release import additive_card, additive_release
from tacit.models.additive.rows import Batches, RowBatch, batch_list, batches_of
from tacit.releases.file import Release
from tacit.releases.kind import ReleasePlan, Spend, checked_rows


def make(plan: ReleasePlan[AdditivePlan], X: Rows, y: NDArray[Any], spend: Spend) -> Release:
    """Charge the ledger, then return the curves learned from rows ``X`` [N, p] in [0, 1].

    ``y`` [N] holds class codes, or numbers where the schema declares a target.
    """
    target = plan.schema.target
    outcomes = checked_rows(X, y, plan.schema) if target is None else checked_numbers(X, y, target)
    codes = encoded_codes(X, plan.schema.features, plan.details.columns)
    return _released(plan, batches_of(codes, outcomes, plan.details.columns), spend)


def make_from_rows(plan: ReleasePlan[AdditivePlan], rows: RowStream, spend: Spend) -> Release:
    """Charge the ledger once every row was read, then return the curves.

    A descent makes up to a hundred passes: the levels of all cells are held where they were read, a few bytes for each,
    rather than rows read again at each pass. From workers only sums come back.
    """
    held = rows.held(partial(_row_batches, plan.schema, plan.details.columns))
    return _released(plan, Batches(held), spend)


def _row_batches(schema: Schema, columns: tuple[ColumnLevels, ...], rows: EncodedColumns) -> list[RowBatch]:
    """Return encoded rows by the levels of their cells; a block of the matrix at a time, which is far larger."""
    outcomes = rows.outcomes if schema.target is None else np.clip(rows.outcomes, *schema.target.bounds)
    codes = [encoded_codes(block, schema.features, columns) for block in rows.blocks()]
    return batch_list(np.concatenate(codes)[: len(rows)], outcomes, columns) if codes else []


def _released(plan: ReleasePlan[AdditivePlan], batches: Batches, spend: Spend) -> Release:
    account = spend.open(plan, "additive release")
    fit = fit_classifier if plan.schema.target is None else fit_regression
    model = fit(batches, plan.details, account)
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
