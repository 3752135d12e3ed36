"""Whose rows a release reads: bounded per person, or the owner is told what a person with several rows loses."""

import hashlib
import math
import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

from tacit import checks
from tacit.data.contribution import kept_rows, most_rows
from tacit.data.encoding import Encoded, encode
from tacit.data.identifiers import RepeatingColumn, repeating_columns
from tacit.data.schema import Schema
from tacit.errors import InputError
from tacit.privacy import accounting
from tacit.privacy.account import Plan, plan_event
from tacit.privacy.budget import Unit
from tacit.privacy.ledger import Ledger
from tacit.privacy.spending import digits
from tacit.releases.person_plan import require_rows_per_person
from tacit.workflows.tables import Progress, Table, frame_of, labelled, no_progress


@dataclass(frozen=True)
class Contribution:
    """What one epsilon protects, and the most rows of one person that are read: None where they are not bounded.

    ``key`` chooses which rows of a person are read; see ``choice_key``.
    """

    unit: Unit
    rows: int | None = None
    key: bytes = b""


def with_person(schema: Schema, person: str | None) -> Schema:
    """Return the schema with the column ``person`` of kind "person", if one is given."""
    return schema if person is None else schema.with_person(person)


def chosen_unit(schema: Schema, unit: Unit | str | None) -> Unit:
    """Return ``unit``, or a person where ``schema`` names the column, or else a record."""
    usual = Unit.RECORD if schema.person is None else Unit.PERSON
    return usual if unit is None else checks.one_of("unit", unit, list(Unit))


def contribution(
    schema: Schema, *, unit: Unit | str | None, rows: int | None, ledger: Ledger | None, random_state: int | None
) -> Contribution:
    """Return what is protected, the bound on one person's rows if that is a person, and which of them are read."""
    chosen = chosen_unit(schema, unit)
    if chosen is Unit.PERSON:
        if schema.person is None:
            raise InputError(
                "person must name the column that says whose row it is with unit 'person': give --person COLUMN, or "
                'declare the column with kind = "person" in the schema.'
            )
        rows = schema.person.rows if rows is None else rows
    return Contribution(chosen, require_rows_per_person(chosen, rows), choice_key(ledger, random_state))


def choice_key(ledger: Ledger | None, random_state: int | None) -> bytes:
    """Return the key that chooses which rows of a person are read: it depends on no row.

    The same for every release on one ledger, so that no more of a person's rows are ever read; a fresh one without a
    ledger; the same again with a seed. The bound on what a person can change holds for any key, secret or not.
    """
    if random_state is None and ledger is None:
        return os.urandom(32)
    name = f"seed {random_state}" if ledger is None else f"ledger {ledger.identifier}"
    return hashlib.sha256(f"tacit: rows of persons, {name}".encode()).digest()


def private_rows(
    table: Table, schema: Schema, kept: Contribution, *, progress: Progress = no_progress
) -> tuple[Encoded, list[RepeatingColumn]]:
    """Return the labelled rows, bounded per person if that is the unit, and else the columns that may name persons."""
    if isinstance(table, Encoded):
        rows, _ = labelled(table)
        return _kept(rows, kept) if kept.rows else rows, _repeating_persons(rows, schema)
    frame, source = frame_of(table, schema, progress=progress)
    rows, has_label = labelled(encode(frame, schema, labels="column", source=source))
    if kept.rows:
        return _kept(rows, kept), []
    return rows, repeating_columns(frame.filter(has_label), schema)


def _repeating_persons(rows: Encoded, schema: Schema) -> list[RepeatingColumn]:
    most = 0 if rows.persons is None else most_rows(rows.persons)
    return [RepeatingColumn(schema.person.name, most, declared=True)] if schema.person and most > 1 else []


def _kept(rows: Encoded, kept: Contribution) -> Encoded:
    """Return at most the bound of each person's rows, chosen by the key; warn how many rows were left out."""
    if rows.persons is None:
        raise InputError(
            "table must have the column that says whose row it is, to bound a person's rows. Check its name in the "
            "schema or in --person."
        )
    named = rows.persons != ""
    if not named.all():
        # Rows that are nobody's are not read at all, so that they can tell nothing of whoever they belong to.
        n_without = int((~named).sum())
        warnings.warn(f"{n_without:,} row{'s' * (n_without > 1)} without a person left out.", stacklevel=4)
        return _kept(rows.where(named), kept)
    stay = kept_rows(rows.persons, rows_per_person=kept.rows or 1, key=kept.key)
    if not stay.all():
        words = f"{int((~stay).sum()):,} of {len(stay):,} rows left out: at most {kept.rows} of each person are read."
        warnings.warn(words, stacklevel=4)
    return rows.where(stay)


def warn_of_persons(plan: Plan, columns: Iterable[RepeatingColumn]) -> None:
    """Warn what one person with several rows loses by ``plan``, for each column that may name persons."""
    if plan.budget.unit is not Unit.RECORD:
        return
    for column in columns:
        warnings.warn(_loss_words(plan, column), stacklevel=3)


def _loss_words(plan: Plan, column: RepeatingColumn) -> str:
    lost = accounting.epsilon(
        accounting.at_group(plan_event(plan.steps, plan.budget), column.most_rows), delta=plan.budget.delta
    )
    figure = f"epsilon {digits(lost, up=True)}" if math.isfinite(lost) else "more than any epsilon says"
    naming = "names persons" if column.declared else "repeats like an identifier"
    whose = "" if column.declared else "If it names persons, "
    return (
        f"column {column.name!r} {naming}: {column.most_rows:,} rows have the same value in it, and epsilon "
        f"{plan.budget.epsilon:g} protects one record. {whose}{'that' if whose else 'That'} person loses {figure} at "
        f"delta {plan.budget.delta:g}. To protect persons: --person {column.name} --rows-per-person K."
    )
