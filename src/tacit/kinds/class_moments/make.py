"""Draws class sums per record, or class moments of noisy rows per entry, and builds the release."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Rows
from tacit.data.rows.stream import ArrayRows, RowStream
from tacit.data.schemas.schema import PUBLIC
from tacit.errors import InputError
from tacit.kinds.class_moments import ENTRY_FILE, RECORD_FILE
from tacit.kinds.class_moments.plan import ROW_NORM
from tacit.models.class_moments.features import ADJACENCY, class_sums_in_quanta, count_weight
from tacit.models.class_moments.moments import moments_of_blocks
from tacit.models.entry_noise import ENTRY_ADJACENCY, noisy_blocks
from tacit.numerics.exact_sums import IntegerSum
from tacit.privacy.budget import Unit
from tacit.privacy.mechanisms import Gaussian
from tacit.releases.file import Release
from tacit.releases.kind import ReleasePlan, Spend, checked_rows

PURPOSE = "transfer release per {}"


def make(plan: ReleasePlan[None], X: Rows, y: NDArray[Any], spend: Spend) -> Release:
    """Charge the ledger, then return the release of rows ``X`` [N, p] in [0, 1] with class codes ``y`` [N]."""
    codes = checked_rows(X, y, plan.schema)
    if not np.isfinite(X).all():
        raise InputError("X must hold finite numbers.")
    return make_from_rows(plan, ArrayRows(X, codes), spend)


def make_from_rows(plan: ReleasePlan[None], rows: RowStream, spend: Spend) -> Release:
    """Charge the ledger once every row was read, then return the release of ``rows``."""
    draw = release_moments if plan.budget.unit is Unit.ENTRY else release_sums
    return draw(plan, rows, spend)


def release_sums(plan: ReleasePlan[None], rows: RowStream, spend: Spend) -> Release:
    """Return noisy class sums of the rows' features, and noisy class counts, with their card."""
    sums, counts, quantum = class_sums_in_quanta(rows, plan.schema)
    account = spend.open(plan, PURPOSE.format(plan.budget.unit))
    weight = count_weight(ROW_NORM)
    mechanism = account.steps[0].mechanism
    if not isinstance(mechanism, Gaussian):
        raise InputError("a record-level plan holds Gaussian noise.")
    # Python integers: 2^40 rows in quanta of a count's weight are more than 64 bits hold.
    query = np.column_stack([sums.astype(object), counts.astype(object) * int(weight / quantum)])
    noisy = account.release(mechanism, IntegerSum(query, quantum))
    card = account.card(
        "class sums of public features",
        adjacency=ADJACENCY,
        assumptions=[PUBLIC, f"features of a row are shortened to norm {ROW_NORM:g}, a public number"],
        not_protected=[PUBLIC],
    )
    arrays = {"sums": noisy[:, :-1], "counts": noisy[:, -1] / weight}
    return Release(RECORD_FILE, arrays, {"sigma": mechanism.sigma}, card, plan.schema.to_dict())


def release_moments(plan: ReleasePlan[None], rows: RowStream, spend: Spend) -> Release:
    """Return class means and covariances of rows with noise in every entry, without its known bias."""
    # The facts are a pass of their own: every cell is read and checked before the charge.
    n_entries = rows.facts.n_rows * len(plan.schema.encoded_names)
    account = spend.open(plan, PURPOSE.format(plan.budget.unit))
    noisy, scale = noisy_blocks(account, rows.batches(), plan.schema)
    moments = moments_of_blocks(noisy, len(plan.schema.classes), scale)
    card = account.card(
        "class means and covariances of rows with noise in every entry",
        adjacency=ENTRY_ADJACENCY,
        assumptions=[PUBLIC, "entries outside their public bounds are clipped to them"],
        not_protected=[
            PUBLIC,
            "labels and class counts",
            "whole records, beyond the weaker guarantee stated for a record",
            f"about {account.budget.delta * n_entries:.3g} entries that keep their value, by the noise's atom at zero",
        ],
        n_features=len(plan.schema.features),
    )
    arrays: dict[str, NDArray[Any]] = {
        "means": moments.means,
        "counts": moments.counts,
        "covariances": moments.covariances,
        "noise": moments.noise,
    }
    return Release(ENTRY_FILE, arrays, {}, card, plan.schema.to_dict())
