"""The owner's side of fabrication: what will be drawn, and the invented rows with their card."""

from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from tacit import checks
from tacit.checks import FloatArray, one_of
from tacit.data.encoding import decode
from tacit.data.schema import Schema
from tacit.errors import InputError, SchemaError
from tacit.models.class_means import ADJACENCY
from tacit.privacy.account import Account, Plan
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.card import Card
from tacit.privacy.conversions import Exact
from tacit.privacy.ledger import Ledger
from tacit.release.file import Release
from tacit.scenarios.fabrication import entry, record
from tacit.scenarios.fabrication.directions import directions_of
from tacit.scenarios.fabrication.gaussians import Codes, NoisyMoments, class_gaussians, dealt_codes
from tacit.scenarios.fabrication.settling import settled
from tacit.scenarios.fabrication.smoothing import BLOCK_SIZE

KIND = "fabricated"
PUBLIC = "the schema: columns, bounds, categories and classes"
METHODS = ("moments", "hull")
ACCOUNTINGS = ("sound", "paper")
MOST_ROWS = 10_000_000

Rows = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class Fabricated:
    """Invented rows: encoded ``X`` [N, p] in [0, 1] and class codes ``y`` [N], the schema, the card, the method."""

    X: FloatArray
    y: Codes
    schema: Schema
    card: Card
    method: str

    def table(self) -> pl.DataFrame:
        """Return the table with the columns and types of the schema."""
        order = [column.name for column in self.schema.columns]
        made = decode(self.X, self.schema, y=self.y)
        return made.select([name for name in order if name in made.columns])

    def release(self, *, table_digest: str) -> Release:
        """Return the file that travels beside the table; ``table_digest`` ties it to the table's bytes (SHA-256)."""
        counts = np.bincount(self.y, minlength=len(self.schema.classes))
        settings = {"method": self.method, "rows": len(self.y), "table_sha256": table_digest}
        return Release(KIND, {"counts": counts}, settings, self.card, self.schema.to_dict())


@dataclass(frozen=True)
class Manner:
    """How rows are invented; checked when made.

    Parameters
    ----------
    method : {"moments", "hull"}
        "moments": drawn from one Gaussian for each class. "hull": noisy rows smoothed through affine hulls, per entry.
    accounting : {"sound", "paper"}
        "paper": the hull method as printed, whose stated guarantee does not hold; its card says so.
    block_size : int
        Rows that share a hull, at most (as printed: about).
    n_jobs : int or None
        Blocks smoothed at the same time.
    """

    method: str = "moments"
    accounting: str = "sound"
    block_size: int = BLOCK_SIZE
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        one_of("method", self.method, METHODS)
        one_of("accounting", self.accounting, ACCOUNTINGS)
        checks.whole("block_size", self.block_size, least=2)
        if self.accounting == "paper" and self.method != "hull":
            raise InputError("accounting 'paper' reproduces the method 'hull'; give method='hull' with it.")


def plan_fabrication(
    schema: Schema, *, unit: Unit | str, epsilon: float, delta: float, method: str = "moments"
) -> Plan:
    """Return what fabricating a table with ``schema`` will draw; nothing is charged."""
    schema.require_public_bounds()
    if len(schema.classes) < 2:
        raise SchemaError("the schema must name a label with at least two classes: rows are invented class by class.")
    unit = one_of("unit", unit, [Unit.RECORD, Unit.ENTRY])
    budget = Budget(epsilon, delta, unit=unit)
    if unit is Unit.ENTRY:
        return Plan(budget, (entry.entry_step(schema, epsilon, delta),), len(schema.features), tuple(Exact))
    if method == "hull":
        raise InputError("method 'hull' smooths noisy rows, which unit 'entry' alone has; use method 'moments'.")
    checks.fraction("delta", delta)
    return Plan(budget, tuple(record.record_steps(directions_of(schema), budget)), len(schema.features), ())


def fabricate(
    X: Rows,
    y: NDArray[Any],
    schema: Schema,
    *,
    unit: Unit | str,
    epsilon: float,
    delta: float,
    rows: int | None = None,
    method: str = "moments",
    accounting: str = "sound",
    block_size: int = BLOCK_SIZE,
    n_jobs: int | None = None,
    ledger: Ledger | str | PathLike[str] | None = None,
    random_state: int | None = None,
    purpose: str = "",
) -> Fabricated:
    """Charge the ledger, then return invented rows that stand for ``X`` [N, p] in [0, 1] with class codes ``y`` [N].

    ``rows``: how many; None for as many as the table has, counted with noise where the number itself is protected.
    ``method``, ``accounting``, ``block_size`` and ``n_jobs`` are as in `Manner`.
    """
    manner = Manner(method, accounting, block_size, n_jobs)
    plan = plan_fabrication(schema, unit=unit, epsilon=epsilon, delta=delta, method=method)
    codes = _checked(X, y, schema)
    _check_rows(rows, manner, len(codes))
    # Public: what happens after the noise protects nothing and needs no secrecy.
    seed = None if random_state is None else checks.whole("random_state", random_state, least=0) % 2**32
    random = check_random_state(seed)
    account = Account.open(
        plan.steps,
        budget=plan.budget,
        ledger=ledger,
        random_state=random_state,
        purpose=purpose or f"fabricated rows per {plan.budget.unit}",
        n_features=plan.n_features if plan.budget.unit is Unit.ENTRY else None,
        exact=plan.exact,
        warning=entry.LEAKS if manner.accounting == "paper" else "",
    )
    task = _Task(X, codes, schema, rows)
    if plan.budget.unit is Unit.RECORD:
        made, labels = _from_records(account, task, random)
    else:
        made, labels = _from_entries(account, task, manner, random)
    card = _card(account, schema, manner, n_entries=X.size)
    return Fabricated(settled(made, labels, schema), labels, schema, card, method)


@dataclass(frozen=True, eq=False)
class _Task:
    """A checked private table, and how many rows shall stand for it."""

    X: Rows
    codes: Codes
    schema: Schema
    rows: int | None


Made = tuple[FloatArray, Codes]


def _from_records(account: Account, task: _Task, random: Any) -> Made:
    directions, n_classes = directions_of(task.schema), len(task.schema.classes)
    moments = record.released_moments(account, task.X, task.codes, n_classes, directions)
    return _drawn(moments, task.schema, task.rows or _counted(moments.counts), random)


def _from_entries(account: Account, task: _Task, manner: Manner, random: Any) -> Made:
    noisy, scale = entry.noisy_rows(account, task.X, task.schema)
    if manner.method == "moments":
        directions, n_classes = directions_of(task.schema), len(task.schema.classes)
        moments = entry.noisy_moments(noisy, scale, task.codes, n_classes, directions)
        return _drawn(moments, task.schema, task.rows or len(task.X), random)
    blocks: dict[str, Any] = {"block_size": manner.block_size, "n_jobs": manner.n_jobs}
    if manner.accounting == "paper":
        made = entry.smoothed_as_published(task.X, noisy, task.codes, random, **blocks)
    else:
        made = entry.smoothed_rows(noisy, task.codes, random, **blocks)
    kept = random.permutation(len(made))[: task.rows or len(made)]
    return made[kept].astype(np.float64), task.codes[kept]


def _drawn(moments: NoisyMoments, schema: Schema, rows: int, random: Any) -> Made:
    directions = directions_of(schema)
    laws = class_gaussians(moments, directions, random)
    codes = dealt_codes(laws.shares, rows, random)
    return directions.rows(laws.draw(codes, random)), codes


def _counted(counts: FloatArray) -> int:
    """Return how many rows noisy class counts add up to, at least one for each class."""
    return int(np.clip(round(float(counts.sum())), len(counts), MOST_ROWS))


def _checked(X: Rows, y: NDArray[Any], schema: Schema) -> Codes:
    codes = np.asarray(y)
    if X.ndim != 2 or X.shape[1] != len(schema.encoded_names) or codes.shape != (len(X),) or not len(X):
        raise InputError(
            f"X must have rows of {len(schema.encoded_names)} encoded columns and y one code for each; "
            f"got shapes {X.shape} and {codes.shape}."
        )
    if not np.isfinite(X).all() or X.min() < 0 or X.max() > 1:
        raise InputError("X must hold numbers in [0, 1] as the schema encodes them; got others. Use `encode`.")
    if not np.isin(codes, np.arange(len(schema.classes))).all():
        raise InputError("y must hold class codes of the schema only: rows are invented class by class. Drop others.")
    return codes.astype(np.intp)


def _check_rows(rows: int | None, manner: Manner, n_rows: int) -> None:
    if rows is None:
        return
    checks.whole("rows", rows)
    if rows > MOST_ROWS:
        raise InputError(f"rows must be at most {MOST_ROWS:,}; got {rows:,}.")
    if manner.method == "hull" and rows > n_rows:
        raise InputError(f"rows must be at most {n_rows:,}, the table's own, with method 'hull'; got {rows:,}.")


def _card(account: Account, schema: Schema, manner: Manner, *, n_entries: int) -> Card:
    if account.budget.unit is Unit.RECORD:
        return account.card(
            "a table of fabricated rows, drawn from noisy class moments",
            adjacency=ADJACENCY,
            assumptions=[PUBLIC, "coordinates of a row are shortened to public lengths, named with each part"],
            not_protected=[PUBLIC],
        )
    how = "drawn from moments of noisy rows" if manner.method == "moments" else "noisy rows smoothed through hulls"
    delta = account.budget.delta
    return account.card(
        f"a table of fabricated rows, {how}",
        adjacency=entry.ADJACENCY,
        assumptions=[PUBLIC, "entries outside their public bounds are clipped to them"],
        not_protected=[
            PUBLIC,
            "labels, class counts and the number of rows",
            "whole records, beyond the weaker guarantee stated for a record",
            f"about {delta * n_entries:.3g} entries that no noise met, by its atom at zero",
        ],
        n_features=len(schema.features),
    )
