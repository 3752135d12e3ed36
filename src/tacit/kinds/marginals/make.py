"""Draws the planned tables, fits the mixture to them, and builds the release."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Codes, Rows
from tacit.data.rows.stream import RowStream
from tacit.data.schemas.schema import PUBLIC, Schema
from tacit.kinds.marginals import FILE
from tacit.models.marginals.asking import coarse_names
from tacit.models.marginals.counting import BatchCounts, StreamCounts, TableCounts
from tacit.models.marginals.layout import Layout, encoded_batches
from tacit.models.marginals.measuring import Measurement, Survey, measure
from tacit.models.marginals.model import MarginalModel, fitted_model
from tacit.models.marginals.planning import ADJACENCY, Stages
from tacit.models.marginals.storage import model_arrays, model_settings, stored_grid, stored_model
from tacit.numerics.exact_sums import require_countable
from tacit.privacy.account import Account
from tacit.privacy.card import Card
from tacit.releases.file import Release
from tacit.releases.kind import ReleasePlan, Spend, checked_rows
from tacit.releases.lesson import owner_schema

GRID = "numbers are counted on a public grid: up to 20000 whole ones, others in powers of ten, finer near 0"
# Forbidden combinations that a card lists; the page lists more.
MOST_LISTED = 8


def make(plan: ReleasePlan[Stages], X: Rows, y: NDArray[Any], spend: Spend) -> Release:
    """Charge the ledger, then return the release of rows ``X`` [N, p] in [0, 1] with class codes ``y`` [N]."""
    codes, layout = _checked(X, y, plan.schema), Layout.of(plan.schema)
    return _released(plan, BatchCounts(encoded_batches(X, codes, plan.schema), layout), spend)


def make_from_rows(plan: ReleasePlan[Stages], rows: RowStream, spend: Spend) -> Release:
    """Charge the ledger once every row was read, then return the release; memory holds a few batches of rows."""
    counts = StreamCounts(rows, Layout.of(plan.schema))
    # The first pass: every cell is read and checked before the charge.
    require_countable(int(counts.levels[0].sum()))
    return _released(plan, counts, spend)


def _released(plan: ReleasePlan[Stages], counts: TableCounts, spend: Spend) -> Release:
    account = spend.open(plan, "tables of columns and pairs")
    measured = measure(Survey(counts, Layout.of(plan.schema), plan.details, account))
    # What follows the noise is public and protects nothing: it needs no secrecy.
    model = fitted_model(measured, random_state=spend.public_seed)
    return Release(FILE, model_arrays(model), model_settings(model), _card(account, model), plan.schema.to_dict())


def released_tables(account: Account, plan: ReleasePlan[Stages], X: Rows, codes: Codes) -> Measurement:
    """Return the noisy tables of rows ``X`` with class codes, as the account releases them."""
    layout = Layout.of(plan.schema)
    counts = BatchCounts(encoded_batches(X, codes, plan.schema), layout)
    return measure(Survey(counts, layout, plan.details, account))


def model_of(release: Release) -> MarginalModel:
    """Return the model that a release of this kind holds."""
    return stored_model(
        release.arrays, release.settings, Layout.of(owner_schema(release), stored_grid(release.settings))
    )


def _checked(X: Rows, y: NDArray[Any], schema: Schema) -> Codes:
    if schema.label is not None:
        return checked_rows(X, y, schema)
    # Without a label all rows are of one class.
    return np.zeros(len(X), dtype=np.intp)


def _card(account: Account, model: MarginalModel) -> Card:
    return account.card(
        "noisy tables of columns and pairs of columns by class",
        adjacency=ADJACENCY,
        assumptions=[
            PUBLIC,
            GRID,
            *_pairs_line(model),
            *_links_line(model),
            *_zeros_line(model),
            *_weighed_line(model),
        ],
        not_protected=[PUBLIC],
    )


def _pairs_line(model: MarginalModel) -> list[str]:
    """Return which pairs of columns were left out, if any were."""
    q, counted = len(model.layout.columns), len(model.measurement.pairs)
    if counted == q * (q - 1) // 2:
        return []
    if not counted:
        return ["no pairs of columns are counted, since the noisy tables show too few rows: single columns are, again"]
    return [f"{counted} of {q * (q - 1) // 2} pairs of columns are counted, chosen by the noisy tables of the columns"]


def _links_line(model: MarginalModel) -> list[str]:
    """Return which numbers have the values alone that were seen with a category, if any do."""
    names = model.layout.names
    return [
        f"rows drawn from it have values of {names[j]} that {names[i]} was seen with, where the noisy tables show "
        "nearly all of them; rarer true combinations vanish"
        for i, j in (link.columns for link in model.measurement.links if not link.complete)
    ]


def _zeros_line(model: MarginalModel) -> list[str]:
    """Return which combinations rows drawn from the release never have."""
    listed = forbidden_pairs(model)
    if not listed:
        return []
    more = f"; and {len(listed) - MOST_LISTED} more" if len(listed) > MOST_LISTED else ""
    return [
        "rows drawn from it never have these combinations, which the noisy tables show as empty although a rare true "
        f"one may be among them: {'; '.join(listed[:MOST_LISTED])}{more}"
    ]


def _weighed_line(model: MarginalModel) -> list[str]:
    """Return which tables weigh rows drawn from the release, if any do."""
    names = model.layout.names
    listed = [f"{names[i]} and {names[j]}" for i, j in model.weighed]
    if not listed:
        return []
    more = f"; and {len(listed) - MOST_LISTED} more" if len(listed) > MOST_LISTED else ""
    return [
        "rows drawn from it are weighed to follow the noisy tables of these columns; a rare true combination that "
        f"looks empty there becomes rarer: {'; '.join(listed[:MOST_LISTED])}{more}"
    ]


def forbidden_pairs(model: MarginalModel) -> list[str]:
    """Return the pairs of cells that the model takes for impossible, in words."""
    lines = []
    for zeros in model.zeros:
        names = [coarse_names(model.measurement.columns[j], model.layout.columns[j]) for j in zeros.columns]
        first, second = (model.layout.columns[j].name for j in zeros.columns)
        lines += [f"{first} {names[0][a]} with {second} {names[1][b]}" for a, b in np.argwhere(zeros.forbidden)]
    return lines
