"""Release knowledge of a private table: plan, charge, draw, write."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from tacit.arrays import Rows
from tacit.data.rows.stream import RowStream
from tacit.data.rows.workers import ALONE, Workers, open_workers
from tacit.data.schemas.bad_records import BadRecords
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError
from tacit.files.atomic import require_output
from tacit.files.regular import FilePath
from tacit.kinds.registry import kind_for
from tacit.privacy.budget import DEFAULT_DELTA, Budget, Relation, Unit, relation_of
from tacit.privacy.card import Card
from tacit.privacy.card_facts import CardFacts
from tacit.privacy.ledger import Ledger, LedgerLike
from tacit.records import record
from tacit.releases.file import Release, write_release
from tacit.releases.kind import ReleaseKind, ReleasePlan, Spend
from tacit.releases.signature import SigningKey, private_key
from tacit.workflows.card_details import StatedFacts, card_facts, completed_card, with_record_policy
from tacit.workflows.tables import (
    Contribution,
    Progress,
    Table,
    as_schema,
    chosen_unit,
    contribution,
    input_paths,
    ledger_of,
    no_progress,
    private_rows,
    warn_of_rows,
    whole_row_schema,
    with_person,
)

DELTA = DEFAULT_DELTA
# Bytes for a release beside the class covariances of an entry-level one.
FILE_SIZE = 8 << 20


@record
class OwnerTerms:
    """What an owner settles before a table is read: its rules, the account, whose rows count, promise, card facts."""

    schema: Schema
    ledger: Ledger | None
    kept: Contribution
    promise: Budget
    random_state: int | None
    facts: CardFacts

    @property
    def planned_budget(self) -> dict[str, Any]:
        """What every kind of release is planned for."""
        promise = self.promise
        return {
            "unit": promise.unit,
            "epsilon": promise.epsilon,
            "delta": promise.delta,
            "rows_per_person": self.kept.rows,
        }

    def spend(self, verb: str, output: FilePath | None) -> Spend:
        """Return what a draw is charged to and chosen by; its purpose names the file that is written."""
        return Spend(self.ledger, self.random_state, "" if output is None else f"{verb} {Path(output).name}")

    def completed(self, card: Card, *, n_rows: int, noisy_rows: float | None = None, audit: bool | None) -> Card:
        """Return the card with the owner's facts, the schema's rule for bad records, the charges and an audit."""
        return completed_card(
            with_record_policy(card, self.schema),
            self.facts,
            n_rows=n_rows,
            noisy_rows=noisy_rows,
            ledger=self.ledger,
            audit=audit,
            seed=self.random_state,
        )


def owner_terms(
    schema: Schema | FilePath,
    *,
    epsilon: float,
    delta: float,
    unit: Unit | str | None,
    person: str | None,
    rows_per_person: int | None,
    bad_records: BadRecords | str | None,
    ledger: LedgerLike,
    random_state: int | None,
    facts: StatedFacts,
) -> OwnerTerms:
    """Return the terms that these arguments of `release` state; the ledger is opened, and nothing is charged."""
    rules, stated = with_person(as_schema(schema, bad_records), person), card_facts(facts, schema)
    account = ledger_of(ledger, rules)
    kept = contribution(rules, unit=unit, rows=rows_per_person, ledger=account, random_state=random_state)
    return OwnerTerms(rules, account, kept, Budget(epsilon, delta, unit=kept.unit), random_state, stated)


@record
class PlannedRelease:
    """A release that was planned, with nothing charged yet: its kind, its plan and the table's rows."""

    kind: ReleaseKind
    plan: ReleasePlan[Any]
    rows: RowStream

    def warn(self) -> None:
        """Read every row if that was not done yet, and warn of what the owner should know; nothing is charged."""
        warn_of_rows(self.plan, self.rows.facts)


def plan_release(
    table: Table,
    terms: OwnerTerms,
    *,
    method: str | None = None,
    relation: Relation | str | None = None,
    workers: Workers = ALONE,
    progress: Progress = no_progress,
) -> PlannedRelease:
    """Return what releasing ``table`` on these ``terms`` would draw; nothing is charged.

    The ledger is asked for its relation where ``relation`` is None and the kind offers several. The other arguments
    are those of `release`.
    """
    rules, promise = terms.schema, terms.promise
    kind = kind_for(method, rules, promise.unit)
    kind.require_unit(promise.unit)
    if kind.holds_tables:
        rules = whole_row_schema(rules, table)
    budget = {**terms.planned_budget, "relation": chosen_relation(kind, promise.unit, relation, terms.ledger)}
    # Planned before the table is read, so that a mistake costs no time, unless the plan needs the number of rows.
    early = None if kind.row_count_public else kind.plan(rules, **budget)
    rows = private_rows(
        table,
        rules,
        terms.kept,
        streams=kind.streams,
        label_free=kind.holds_tables,
        workers=workers,
        progress=progress,
    )
    plan = early or kind.plan(rules, n_rows=rows.facts.n_rows, **budget)
    return PlannedRelease(kind, plan, rows)


def chosen_relation(
    kind: ReleaseKind, unit: Unit, relation: Relation | str | None, ledger: Ledger | None
) -> Relation | None:
    """Return the neighbours that ``kind`` is planned for: those asked for, else the ledger's; None: its only ones."""
    if not kind.relations:
        if relation is not None:
            raise InputError(
                f"relation must be left out for method {kind.method!r}, whose inequality is proved for one; got "
                f"{str(relation)!r}. A ledger with another relation converts it."
            )
        return None
    if relation is not None:
        return relation_of(unit, relation)
    return None if ledger is None else ledger.budget.relation


def release(
    table: Table,
    schema: Schema | FilePath,
    *,
    epsilon: float,
    delta: float = DELTA,
    unit: Unit | str | None = None,
    person: str | None = None,
    rows_per_person: int | None = None,
    relation: Relation | str | None = None,
    bad_records: BadRecords | str | None = None,
    method: str | None = None,
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
) -> Release:
    """Return the release of a private table, and write it if ``output`` is given.

    Everything is checked first, then the ledger is charged, then noise is drawn. A refused charge draws and writes
    nothing.

    Parameters
    ----------
    table : path, DataFrame or Encoded
        The private table; rows without a label are left out.
    schema : Schema or path
        Its public facts, which travel with the release.
    epsilon, delta : float
        Privacy loss to spend, and the probability with which more may be lost.
    unit : {"record", "entry", "pair", "person"} or None
        What epsilon protects. None: a person if the schema or ``person`` names the column, else a record.
    person : str or None
        The column that says whose row it is, if the schema declares none of kind "person". It is never released.
    rows_per_person : int or None
        With unit "person": the most rows of one person that are read, a public number; which ones is chosen by a key,
        not by values. None: as the schema's column of kind "person" says.
    relation : {"replace", "add-remove"} or None
        For methods that offer both neighbours (linear). None: as the ledger has it, or the method's usual one.
    bad_records : {"refuse", "clip", "category", "missing"} or None
        What becomes of cells that the schema does not foresee; public, and on the card. None: as the schema says.
    method : str or None
        What is handed out: the method of a registered kind, such as "additive", "moments" or "linear". None: by the
        schema, see `tacit.kinds.registry.DEFAULT_RULE`.
    ledger : Ledger, path or None
        The table's account, charged before anything is drawn.
    random_state : int or None
        None for secure noise; an int repeats itself and is marked as not private.
    facts : CardFacts, mapping or None
        What the card says beside the guarantee: owner, dataset, purpose, legal_note, period. What is left open is taken
        from the table ``[card]`` of the schema's file.
    audit : bool or None
        Whether to play the distinguishing game on the release's mechanisms and print the results on its card. None:
        where that costs seconds.
    output : path or None
        Where the release goes; an existing file is refused without ``force``.
    signing_key : Ed25519 private key, path, LockedKey or None
    workers : int or None
        Read the table with so many workers of this machine; the release is the same.
    dask : str or None
        Read it with the workers of the Dask scheduler at this address, which see the same paths. Sums of their parts
        travel; ledger and noise stay here.
    progress : callable
        Told at each stage what is being done.
    """
    if output is not None:  # before the ledger is opened, which a full disk would refuse in other words
        rules = with_person(as_schema(schema, bad_records), person)
        inputs = input_paths(table, schema, signing_key, ledger)
        _require_release_output(Path(output), rules, chosen_unit(rules, unit), force=force, inputs=inputs)
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
    key = None if signing_key is None else private_key(signing_key)
    with open_workers(workers, dask) as hands:
        planned = plan_release(table, terms, method=method, relation=relation, workers=hands, progress=progress)
        progress("charging, then drawing noise")
        result = planned.kind.make_from_rows(planned.plan, planned.rows, terms.spend("release", output))
        planned.warn()
    progress("completing its card")
    counts = result.arrays.get(planned.kind.noisy_counts)
    noisy = None if counts is None else float(counts.sum())
    card = terms.completed(result.card, n_rows=planned.rows.facts.n_rows, noisy_rows=noisy, audit=audit)
    result = replace(result, card=card)
    if output is not None:
        write_charged(result, Path(output), signing_key=key, charged=terms.ledger is not None)
    return result


def make_release(
    X: Rows,
    y: NDArray[Any],
    schema: Schema,
    *,
    unit: Unit | str,
    epsilon: float,
    delta: float,
    method: str | None = None,
    ledger: LedgerLike = None,
    random_state: int | None = None,
    purpose: str = "",
) -> Release:
    """Charge the ledger, then return the release of encoded rows ``X`` [N, p] in [0, 1] with class codes ``y`` [N]."""
    kind = kind_for(method, schema, unit)
    plan = kind.plan(schema, unit=unit, epsilon=epsilon, delta=delta, n_rows=len(X))
    return kind.make(plan, X, y, ledger=ledger, random_state=random_state, purpose=purpose)


def write_charged(release: Release, path: Path, *, signing_key: SigningKey | None, charged: bool) -> None:
    """Write the release; if that fails, the error says whether its charge stands on the ledger."""
    with noting_charge(charged):
        write_release(release, path, signing_key=signing_key)


@contextmanager
def noting_charge(charged: bool) -> Iterator[None]:
    """Have the error of a failed writing say whether its charge stands on the ledger."""
    try:
        yield
    except ReleaseError as problem:
        stands = " The charge stands on the ledger: the noise was drawn." if charged else ""
        raise ReleaseError(f"{problem}{stands}") from problem


def _require_release_output(
    output: Path, schema: Schema, unit: Unit | str | None, *, force: bool, inputs: Iterable[Path]
) -> None:
    """Raise InputError unless the release fits: one float32 covariance of the columns for each class, per entry."""
    covariances = 4 * len(schema.classes) * len(schema.encoded_names) ** 2 * (unit == Unit.ENTRY)
    require_output(output, force=force, inputs=inputs, size=FILE_SIZE + covariances)
