"""Draws what was planned and invents rows of it, with their card."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.arrays import Arrays, Codes, FloatArray, Rows
from tacit.data.rows.encoding import decode
from tacit.data.schemas.schema import PUBLIC, Schema
from tacit.errors import InputError
from tacit.kinds.fabricated_rows import FILE, KIND, entry, record
from tacit.kinds.fabricated_rows.directions import directions_of
from tacit.kinds.fabricated_rows.gaussians import NoisyMoments, class_gaussians, dealt_codes
from tacit.kinds.fabricated_rows.plan import MOST_ROWS, FabricationSettings
from tacit.kinds.fabricated_rows.valid_cells import to_valid_cells
from tacit.models.class_moments.features import ADJACENCY
from tacit.models.entry_noise import ENTRY_ADJACENCY, noisy_rows, unprotected_by_entries
from tacit.numerics.public_random import public_random
from tacit.privacy.account import Account
from tacit.privacy.budget import Unit
from tacit.privacy.card import Card
from tacit.privacy.ledger import LedgerLike
from tacit.releases.file import Release
from tacit.releases.kind import ReleasePlan, Spend, checked_rows


@dataclass(frozen=True, eq=False)
class FabricatedRows:
    """Invented rows: encoded ``X`` [N, p] in [0, 1] and class codes ``y`` [N], the schema, the card, the method."""

    X: FloatArray
    y: Codes
    schema: Schema
    card: Card
    method: str

    def table(self) -> pl.DataFrame:
        """Return the table with the columns and types of the schema."""
        order = [column.name for column in self.schema.columns]
        columns = decode(self.X, self.schema, y=self.y)
        return columns.select([name for name in order if name in columns.columns])

    def release(self, *, table_digest: str | None = None) -> Release:
        """Return the release of the rows.

        With ``table_digest``, the SHA-256 of a table file, the release is the small file that travels beside that
        table; without it, the release holds the encoded rows and their codes itself.
        """
        arrays: Arrays = {"counts": np.bincount(self.y, minlength=len(self.schema.classes))}
        settings: dict[str, Any] = {"method": self.method, "rows": len(self.y)}
        if table_digest is None:
            arrays |= {"X": self.X.astype(np.float32), "y": self.y.astype(np.int64)}
        else:
            settings["table_sha256"] = table_digest
        return Release(FILE, arrays, settings, self.card, self.schema.to_dict())


def make(plan: ReleasePlan[FabricationSettings], X: Rows, y: NDArray[Any], spend: Spend) -> Release:
    """Charge the ledger, then return a release that holds the invented rows themselves."""
    return fabricate_rows(plan, X, y, spend).release()


def fabricate(
    X: Rows,
    y: NDArray[Any],
    schema: Schema,
    *,
    ledger: LedgerLike = None,
    random_state: int | None = None,
    purpose: str = "",
    **promise: Any,
) -> FabricatedRows:
    """Plan, charge the ledger, and return invented rows.

    ``promise`` holds ``unit``, ``epsilon`` and ``delta``, and settings of `FabricationSettings`.
    """
    return fabricate_rows(KIND.plan(schema, **promise), X, y, Spend(ledger, random_state, purpose))


def fabricate_rows(plan: ReleasePlan[FabricationSettings], X: Rows, y: NDArray[Any], spend: Spend) -> FabricatedRows:
    """Charge the ledger, then return invented rows that stand for ``X`` [N, p] in [0, 1] with class codes ``y`` [N]."""
    schema, settings = plan.schema, plan.details
    codes = _checked(X, y, schema, settings)
    # Public: what happens after the noise protects nothing and needs no secrecy.
    random = public_random(spend.public_seed)
    account = plan.charge(spend, f"fabricated rows per {plan.budget.unit}")
    task = _Task(X, codes, schema, settings.rows)
    if plan.budget.unit is Unit.ENTRY:
        rows, labels = _from_entries(account, task, settings, random)
    else:
        rows, labels = _from_records(account, task, random)
    card = _card(account, schema, settings, n_entries=X.size)
    return FabricatedRows(to_valid_cells(rows, labels, schema), labels, schema, card, settings.method)


@dataclass(frozen=True, eq=False)
class _Task:
    """A checked private table, and how many rows shall stand for it."""

    X: Rows
    codes: Codes
    schema: Schema
    rows: int | None


CodedRows = tuple[FloatArray, Codes]


def _from_records(account: Account, task: _Task, random: Any) -> CodedRows:
    directions, n_classes = directions_of(task.schema), len(task.schema.classes)
    moments = record.released_moments(account, task.X, task.codes, n_classes, directions)
    return _drawn(moments, task.schema, task.rows or _counted(moments.counts), random)


def _from_entries(account: Account, task: _Task, settings: FabricationSettings, random: Any) -> CodedRows:
    noisy, scale = noisy_rows(account, task.X, task.schema)
    if settings.method == "moments":
        directions, n_classes = directions_of(task.schema), len(task.schema.classes)
        moments = entry.noisy_moments(noisy, scale, task.codes, n_classes, directions)
        return _drawn(moments, task.schema, task.rows or len(task.X), random)
    blocks: dict[str, Any] = {"block_size": settings.block_size, "n_jobs": settings.n_jobs}
    if settings.accounting == "paper":
        rows = entry.smoothed_as_published(task.X, noisy, task.codes, random, **blocks)
    else:
        rows = entry.smoothed_rows(noisy, task.codes, random, **blocks)
    kept = random.permutation(len(rows))[: task.rows or len(rows)]
    return rows[kept].astype(np.float64), task.codes[kept]


def _drawn(moments: NoisyMoments, schema: Schema, rows: int, random: Any) -> CodedRows:
    directions = directions_of(schema)
    laws = class_gaussians(moments, directions, random)
    codes = dealt_codes(laws.shares, rows, random)
    return directions.rows(laws.draw(codes, random)), codes


def _counted(counts: FloatArray) -> int:
    """Return how many rows noisy class counts add up to, at least one for each class."""
    return int(np.clip(round(float(counts.sum())), len(counts), MOST_ROWS))


def _checked(X: Rows, y: NDArray[Any], schema: Schema, settings: FabricationSettings) -> Codes:
    codes = checked_rows(X, y, schema)
    if not np.isfinite(X).all() or X.min() < 0 or X.max() > 1:
        raise InputError("X must hold numbers in [0, 1] as the schema encodes them; got others. Use `encode`.")
    if settings.method == "hull" and settings.rows is not None and settings.rows > len(codes):
        raise InputError(
            f"rows must be at most {len(codes):,}, the table's own, with method 'hull'; got {settings.rows:,}."
        )
    return codes


def _card(account: Account, schema: Schema, settings: FabricationSettings, *, n_entries: int) -> Card:
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
        not_protected=unprotected_by_entries(delta * n_entries),
        n_features=len(schema.features),
    )
