"""Fabricate a table: invented rows that stand for private ones."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tacit.data.bad_records import BadRecords
from tacit.data.encoding import Encoded
from tacit.data.schema import Schema
from tacit.errors import InputError, ReleaseError
from tacit.files.outputs import require_output
from tacit.files.regular import FilePath
from tacit.kinds.fabricated_rows import KIND
from tacit.kinds.fabricated_rows.make import FabricatedRows, fabricate_rows
from tacit.kinds.fabricated_rows.plan import FabricationSettings
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.ledger import LedgerLike, as_ledger
from tacit.releases.kind import ReleasePlan, Spend
from tacit.releases.sidecar import is_table, release_path
from tacit.releases.signature import SigningKey, load_key
from tacit.workflows.card_details import Facts, card_facts, completed_card
from tacit.workflows.fabricated_tables import write_fabricated
from tacit.workflows.persons import Contribution, contribution, private_rows, warn_of_persons, with_person
from tacit.workflows.record_policy import with_record_policy
from tacit.workflows.release import DELTA
from tacit.workflows.tables import Progress, Table, as_schema, input_paths, no_progress

# Bytes that a cell of the written table takes, at most about.
CELL = 24


@dataclass(frozen=True, eq=False)
class PlannedFabrication:
    """A fabrication that was checked and planned, with nothing charged yet."""

    plan: ReleasePlan[FabricationSettings]
    rows: Encoded


def plan_fabrication(
    table: Table,
    schema: Schema | FilePath,
    promise: Budget,
    *,
    kept: Contribution | None = None,
    progress: Progress = no_progress,
    **settings: Any,
) -> PlannedFabrication:
    """Return what fabricating ``table`` with this ``promise`` would draw; nothing is charged.

    ``kept`` says which rows of a person are read; None: all, where a person is not the unit. The other arguments are
    those of `fabricate`.
    """
    rules = as_schema(schema)
    chosen = kept or contribution(rules, unit=promise.unit, rows=None, ledger=None, random_state=None)
    budget: dict[str, Any] = {"unit": promise.unit, "epsilon": promise.epsilon, "delta": promise.delta}
    plan = KIND.plan(rules, rows_per_person=chosen.rows, **budget, **settings)
    rows, repeating = private_rows(table, rules, chosen, progress=progress)
    warn_of_persons(plan, repeating)
    return PlannedFabrication(plan, rows)


def fabricate(
    table: Table,
    schema: Schema | FilePath,
    *,
    epsilon: float,
    delta: float = DELTA,
    unit: Unit | str | None = None,
    person: str | None = None,
    rows_per_person: int | None = None,
    bad_records: BadRecords | str | None = None,
    ledger: LedgerLike = None,
    random_state: int | None = None,
    facts: Facts = None,
    audit: bool | None = None,
    output: FilePath | None = None,
    signing_key: SigningKey | None = None,
    force: bool = False,
    progress: Progress = no_progress,
    **settings: Any,
) -> FabricatedRows:
    """Return invented rows that stand for a private table, and write them as a table if ``output`` is given.

    Everything is checked first, then the ledger is charged, then noise is drawn. The release with the card stands
    beside the table (``fabricated.csv.tacit`` beside ``fabricated.csv``).

    Parameters
    ----------
    table : path, DataFrame or Encoded
        The private table; rows without a label are left out.
    schema, epsilon, delta, person, rows_per_person, bad_records, ledger, random_state, facts, audit, signing_key,
    force, progress
        As in `tacit.release`.
    unit : {"record", "entry", "person"} or None
    output : path or None
        A .csv or .parquet file.
    settings
        ``rows``, ``method``, ``accounting``, ``block_size`` and ``n_jobs`` of `FabricationSettings`.
    """
    rules, stated = with_person(as_schema(schema, bad_records), person), card_facts(facts, schema)
    account = as_ledger(ledger)
    kept = contribution(rules, unit=unit, rows=rows_per_person, ledger=account, random_state=random_state)
    promise = Budget(epsilon, delta, unit=kept.unit)
    planned = plan_fabrication(table, rules, promise, kept=kept, progress=progress, **settings)
    if output is not None:
        n_rows = planned.plan.details.rows or len(planned.rows.y)
        inputs = input_paths(table, schema, signing_key, ledger)
        _require_outputs(Path(output), rules, n_rows, force=force, inputs=inputs)
    key = load_key(signing_key) if isinstance(signing_key, str | Path) else signing_key
    progress("charging, drawing noise, inventing rows")
    purpose = "" if output is None else f"fabricate {Path(output).name}"
    spend = Spend(account, random_state, purpose)
    rows = fabricate_rows(planned.plan, planned.rows.X, planned.rows.y, spend)
    card = completed_card(
        with_record_policy(rows.card, rules),
        stated,
        n_rows=len(planned.rows.y),
        noisy_rows=None,
        ledger=account,
        audit=audit,
        seed=random_state,
    )
    rows = replace(rows, card=card)
    if output is not None:
        progress(f"writing {Path(output).name}")
        _write(rows, Path(output), key, charged=account is not None)
    return rows


def _require_outputs(output: Path, schema: Schema, n_rows: int, *, force: bool, inputs: list[Path]) -> None:
    """Raise InputError for a name that is no table, or if the table or its release cannot be written."""
    if not is_table(output):
        raise InputError(f"output {output.name} must end in .csv or .parquet.")
    require_output(output, force=force, inputs=inputs, size=CELL * n_rows * (len(schema.features) + 1))
    require_output(release_path(output), force=force, inputs=inputs)


def _write(rows: FabricatedRows, output: Path, key: SigningKey | None, *, charged: bool) -> None:
    try:
        write_fabricated(rows, output, signing_key=key)
    except ReleaseError as problem:
        stands = " The charge stands on the ledger: the noise was drawn." if charged else ""
        raise ReleaseError(f"{problem}{stands}") from problem
