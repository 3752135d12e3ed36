"""Fabricate a table: invented rows that stand for private ones."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tacit.checks import one_of
from tacit.data.rows.workers import ALONE, Workers, open_workers
from tacit.data.schemas.bad_records import BadRecords
from tacit.data.schemas.columns import Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.files.atomic import require_output
from tacit.files.regular import FilePath
from tacit.kinds.fabricated_rows.make import Invented, fabricate_rows
from tacit.kinds.fabricated_rows.plan import FabricationSettings
from tacit.kinds.fabricated_rows.rows import InventedRows
from tacit.kinds.marginals.plan import MOST_COLUMNS
from tacit.kinds.registry import fabricating_kinds
from tacit.privacy.budget import Unit
from tacit.privacy.ledger import LedgerLike
from tacit.records import record
from tacit.releases.file import Release, read_release
from tacit.releases.kind import Spend
from tacit.releases.sidecar import is_table, release_path
from tacit.releases.signature import SigningKey, TrustedKey, private_key
from tacit.workflows.card_details import StatedFacts
from tacit.workflows.fabricated_tables import write_fabricated
from tacit.workflows.invented_rows import DrawnRows, drawn_rows, table_model
from tacit.workflows.release import DELTA, OwnerTerms, PlannedRelease, noting_charge, owner_terms
from tacit.workflows.tables import (
    Progress,
    Table,
    input_paths,
    no_progress,
    private_rows,
    whole_row_schema,
)

# Bytes that a cell of the written table takes, at most about.
CELL = 24


@record
class PlannedFabrication(PlannedRelease):
    """A fabrication that was checked and planned, with nothing charged yet, and how many rows to invent."""

    count: int | None


def usual_method(schema: Schema, unit: Unit) -> str:
    """Return the method that suits a table: "marginals" for mixed ones, "moments" for pictures and mere numbers.

    Mixed is a table with a category, an integer or a missing cell that is kept, without a picture and of at most 200
    columns; "marginals" protects records and persons, not entries.
    """
    mixed = any(not isinstance(column, Numeric) or column.integer or column.flagged for column in schema.features)
    fits = schema.image is None and len(schema.features) <= MOST_COLUMNS and unit is not Unit.ENTRY
    return "marginals" if mixed and fits else "moments"


def plan_fabrication(
    table: Table, terms: OwnerTerms, *, workers: Workers = ALONE, progress: Progress = no_progress, **settings: Any
) -> PlannedFabrication:
    """Return what fabricating ``table`` on these ``terms`` would draw; nothing is charged.

    The other arguments are those of `fabricate`.
    """
    rules = whole_row_schema(terms.schema, table)
    method = settings.pop("method", None) or _usual(rules, terms.promise.unit, settings)
    kinds = fabricating_kinds()
    kind = kinds[one_of("method", method, tuple(kinds))]
    own = {} if kind.holds_tables else {**settings, "method": method}
    # Also checks the number of rows and what the method takes.
    details = FabricationSettings(**{**settings, **own})
    plan = kind.plan(rules, **terms.planned_budget, **own)
    rows = private_rows(
        table,
        rules,
        terms.kept,
        streams=method != "hull",
        label_free=kind.holds_tables,
        workers=workers,
        progress=progress,
    )
    return PlannedFabrication(kind, plan, rows, details.rows)


def _usual(schema: Schema, unit: Unit, settings: dict[str, Any]) -> str:
    # The printed accounting belongs to another method, which its own check names.
    return "moments" if settings.get("accounting", "sound") != "sound" else usual_method(schema, unit)


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
    facts: StatedFacts = None,
    audit: bool | None = None,
    output: FilePath | None = None,
    signing_key: SigningKey | None = None,
    force: bool = False,
    workers: int | None = None,
    dask: str | None = None,
    progress: Progress = no_progress,
    **settings: Any,
) -> InventedRows:
    """Return invented rows that stand for a private table, and write them as a table if ``output`` is given.

    Everything is checked first, then the ledger is charged, then noise is drawn. The release with the card stands
    beside the table (``fabricated.csv.tacit`` beside ``fabricated.csv``).

    Parameters
    ----------
    table : path, DataFrame or Encoded
        The private table; rows without a label are left out.
    schema, epsilon, delta, person, rows_per_person, bad_records, ledger, random_state, facts, audit, signing_key,
    force, workers, dask, progress
        As in `tacit.release`.
    unit : {"record", "entry", "person"} or None
    output : path or None
        A .csv or .parquet file.
    settings
        ``method``: "marginals" (from noisy tables of columns and pairs), "moments" or "hull"; None: as `usual_method`
        says. ``rows``, ``accounting``, ``block_size`` and ``n_jobs`` as in `FabricationSettings`.
    """
    terms = owner_terms(
        schema,
        epsilon=epsilon,
        delta=delta,
        unit=unit,
        person=person,
        rows_per_person=rows_per_person,
        bad_records=bad_records,
        ledger=ledger,
        random_state=random_state,
        facts=facts,
    )
    with open_workers(workers, dask) as hands:
        planned = plan_fabrication(table, terms, workers=hands, progress=progress, **settings)
        if output is not None:
            n_rows = planned.count or planned.rows.facts.n_rows
            inputs = input_paths(table, schema, signing_key, ledger)
            _require_outputs(Path(output), terms.schema, n_rows, force=force, inputs=inputs)
        key = None if signing_key is None else private_key(signing_key)
        progress("charging, drawing noise, inventing rows")
        rows = _invented(planned, terms.spend("fabricate", output))
        planned.warn()
    rows = replace(rows, card=terms.completed(rows.card, n_rows=planned.rows.facts.n_rows, audit=audit))
    if output is not None:
        progress(f"writing {Path(output).name}")
        _write(rows, Path(output), key, charged=terms.ledger is not None)
    return rows


def fabricate_from(
    release: Release | FilePath,
    *,
    rows: int | None = None,
    where: Sequence[str] = (),
    random_state: int | None = None,
    output: FilePath | None = None,
    signing_key: SigningKey | None = None,
    trusted_key: TrustedKey | None = None,
    force: bool = False,
) -> DrawnRows:
    """Return rows drawn from a release of method "marginals", at no cost, and write them if ``output`` is given.

    Parameters
    ----------
    release : Release or path
    rows : int or None
        How many; None: about as many as the private table has.
    where : sequence of str
        Conditions that all rows meet, such as ``"age = 60-70"`` or ``"sex = female"``.
    random_state : int or None
        Chance after the noise, which protects nothing: rows with a seed are as private as others.
    output, signing_key, force
        As in `fabricate`. The release beside the table has the card of ``release``.
    trusted_key : public key, path or None
        Require the release to be signed by it.
    """
    opened = release if isinstance(release, Release) else read_release(release, trusted_key=trusted_key)
    table_model(opened, "rows are drawn from")
    key = None if signing_key is None else private_key(signing_key)
    if output is not None:
        rules = Schema.from_dict(opened.schema or {}, source="the release's schema")
        _require_outputs(Path(output), rules, rows or 0, force=force, inputs=input_paths(release, signing_key))
    invented = drawn_rows(opened, rows=rows, where=where, random_state=random_state)
    if output is None:
        len(invented.y)  # drawn now, so that conditions which no row meets are refused here
    else:
        _write(invented, Path(output), key, charged=False)
    return invented


def _invented(planned: PlannedFabrication, spend: Spend) -> Invented | DrawnRows:
    """Charge the ledger, then return the rows."""
    if not planned.kind.holds_tables:
        return fabricate_rows(planned.plan, planned.rows, spend)
    release = planned.kind.make_from_rows(planned.plan, planned.rows, spend)
    return drawn_rows(release, rows=planned.count, random_state=spend.random_state)


def _require_outputs(output: Path, schema: Schema, n_rows: int, *, force: bool, inputs: list[Path]) -> None:
    """Raise InputError for a name that is no table, or if the table or its release cannot be written."""
    if not is_table(output):
        raise InputError(f"output {output.name} must end in .csv or .parquet.")
    require_output(output, force=force, inputs=inputs, size=CELL * n_rows * (len(schema.features) + 1))
    require_output(release_path(output), force=force, inputs=inputs)


def _write(rows: InventedRows, output: Path, key: SigningKey | None, *, charged: bool) -> None:
    with noting_charge(charged):
        write_fabricated(rows, output, signing_key=key)
