"""Draws what was planned and invents rows of it, with their card."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray, Rows
from tacit.data.rows.stream import ArrayRows, RowStream
from tacit.data.schemas.schema import PUBLIC, Schema
from tacit.errors import InputError
from tacit.kinds.fabricated_rows import KIND, entry, record
from tacit.kinds.fabricated_rows.directions import directions_of
from tacit.kinds.fabricated_rows.gaussians import NoisyMoments, class_gaussians
from tacit.kinds.fabricated_rows.plan import MOST_ROWS, FabricationSettings
from tacit.kinds.fabricated_rows.rows import CodedRows, FabricatedRows, GaussianRows
from tacit.kinds.fabricated_rows.valid_cells import class_rates, to_valid_cells
from tacit.models.bounded_rows import MOST_SUMMED
from tacit.models.class_moments.features import ADJACENCY
from tacit.models.class_moments.moments import moments_of_blocks
from tacit.models.entry_noise import ENTRY_ADJACENCY, noisy_blocks, noisy_rows, unprotected_by_entries
from tacit.numerics.exact_sums import require_countable
from tacit.numerics.public_random import PublicRandom, public_random
from tacit.privacy.account import Account
from tacit.privacy.budget import Unit
from tacit.privacy.card import Card
from tacit.privacy.ledger import LedgerLike
from tacit.releases.file import Release
from tacit.releases.kind import ReleasePlan, Spend, checked_rows

Invented = FabricatedRows | GaussianRows


def make(plan: ReleasePlan[FabricationSettings], X: Rows, y: NDArray[Any], spend: Spend) -> Release:
    """Charge the ledger, then return a release that holds the invented rows themselves."""
    return _of_matrix(plan, X, y, spend).release()


def make_from_rows(plan: ReleasePlan[FabricationSettings], rows: RowStream, spend: Spend) -> Release:
    """Charge the ledger once every row was read, then return a release that holds the invented rows themselves."""
    return fabricate_rows(plan, rows, spend).release()


def fabricate(
    X: Rows,
    y: NDArray[Any],
    schema: Schema,
    *,
    ledger: LedgerLike = None,
    random_state: int | None = None,
    purpose: str = "",
    **promise: Any,
) -> Invented:
    """Plan, charge the ledger, and return invented rows that stand for ``X`` [N, p] in [0, 1] with codes ``y`` [N].

    ``promise`` holds ``unit``, ``epsilon`` and ``delta``, and settings of `FabricationSettings`.
    """
    return _of_matrix(KIND.plan(schema, **promise), X, y, Spend(ledger, random_state, purpose))


def _of_matrix(plan: ReleasePlan[FabricationSettings], X: Rows, y: NDArray[Any], spend: Spend) -> Invented:
    codes = checked_rows(X, y, plan.schema)
    if not np.isfinite(X).all() or X.min() < 0 or X.max() > 1:
        raise InputError("X must hold numbers in [0, 1] as the schema encodes them; got others. Use `encode`.")
    return fabricate_rows(plan, ArrayRows(X, codes), spend)


def fabricate_rows(plan: ReleasePlan[FabricationSettings], rows: RowStream, spend: Spend) -> Invented:
    """Charge the ledger once every row was read, then return invented rows that stand for ``rows``."""
    # Public: what happens after the noise protects nothing and needs no secrecy.
    random = public_random(spend.public_seed)
    if plan.details.method == "hull":
        return _smoothed(plan, rows, spend, random)
    draw = _entry_moments if plan.budget.unit is Unit.ENTRY else _record_moments
    account, moments, count = draw(plan, rows, spend)
    laws = class_gaussians(moments, directions_of(plan.schema), random)
    card = _card(account, plan, n_rows=rows.facts.n_rows)
    return GaussianRows(laws, plan.details.rows or count, random, plan.schema, card)


Drawn = tuple[Account, NoisyMoments, int]


def _record_moments(plan: ReleasePlan[FabricationSettings], rows: RowStream, spend: Spend) -> Drawn:
    directions, n_classes = directions_of(plan.schema), len(plan.schema.classes)
    # The first pass: every cell is read and checked before the charge.
    totals = record.class_totals(rows, n_classes, directions)
    require_countable(rows.facts.n_rows, MOST_SUMMED)
    account = _charged(plan, spend)
    moments = record.released_moments(account, totals, rows, directions)
    return account, moments, _counted(moments.counts)


def _entry_moments(plan: ReleasePlan[FabricationSettings], rows: RowStream, spend: Spend) -> Drawn:
    # The facts are a pass of their own: every cell is read and checked before the charge.
    n_rows = rows.facts.n_rows
    account = _charged(plan, spend)
    noisy, scale = noisy_blocks(account, rows.batches(), plan.schema)
    moments = moments_of_blocks(noisy, len(plan.schema.classes), scale)
    return account, entry.noisy_moments(moments, directions_of(plan.schema)), n_rows


def _charged(plan: ReleasePlan[FabricationSettings], spend: Spend) -> Account:
    return spend.open(plan, f"fabricated rows per {plan.budget.unit}")


def _smoothed(
    plan: ReleasePlan[FabricationSettings], rows: RowStream, spend: Spend, random: PublicRandom
) -> FabricatedRows:
    X, codes = _matrix(rows)
    settings, schema = plan.details, plan.schema
    if settings.rows is not None and settings.rows > len(codes):
        raise InputError(
            f"rows must be at most {len(codes):,}, the table's own, with method 'hull'; got {settings.rows:,}."
        )
    account = _charged(plan, spend)
    noisy, _ = noisy_rows(account, X, schema)
    blocks: dict[str, Any] = {"block_size": settings.block_size, "n_jobs": settings.n_jobs}
    if settings.accounting == "paper":
        smooth = entry.smoothed_as_published(X, noisy, codes, random, **blocks)
    else:
        smooth = entry.smoothed_rows(noisy, codes, random, **blocks)
    kept = random.permutation(len(smooth))[: settings.rows or len(smooth)]
    rows_kept, labels = smooth[kept].astype(np.float64), codes[kept]
    rates = class_rates(rows_kept, labels, len(schema.classes))
    cells = to_valid_cells(rows_kept, labels, schema, rates, random)
    return FabricatedRows(cells, labels, schema, _card(account, plan, n_rows=len(codes)), settings.method)


def _matrix(rows: RowStream) -> CodedRows:
    """Return all rows in memory: hulls are learned from blocks of any of them."""
    X, y = zip(*((batch.matrix(), batch.y) for batch in rows.batches()), strict=True)
    return np.concatenate(X), np.concatenate(y).astype(np.intp)


def _counted(counts: FloatArray) -> int:
    """Return how many rows noisy class counts add up to, at least one for each class."""
    return int(np.clip(round(float(counts.sum())), len(counts), MOST_ROWS))


def _card(account: Account, plan: ReleasePlan[FabricationSettings], *, n_rows: int) -> Card:
    schema, settings = plan.schema, plan.details
    if account.budget.unit is not Unit.ENTRY:
        return account.card(
            "a table of fabricated rows, drawn from noisy class moments",
            adjacency=ADJACENCY,
            assumptions=[PUBLIC, "coordinates of a row are shortened to public lengths, named with each part"],
            not_protected=[PUBLIC],
        )
    how = "drawn from moments of noisy rows" if settings.method == "moments" else "noisy rows smoothed through hulls"
    delta = account.budget.delta
    return account.card(
        f"a table of fabricated rows, {how}",
        adjacency=ENTRY_ADJACENCY,
        assumptions=[PUBLIC, "entries outside their public bounds are clipped to them"],
        not_protected=unprotected_by_entries(delta * n_rows * len(schema.encoded_names)),
        n_features=len(schema.features),
    )
