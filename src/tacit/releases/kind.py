"""What a kind of release is: a plan calibrated once, a way to make the release, and what it teaches a receiver."""

import hashlib
import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.arrays import Codes, Rows
from tacit.checks import one_of
from tacit.data.rows.stream import ArrayRows, RowStream
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.privacy.account import Account, Plan, plan_event
from tacit.privacy.accounting import calibrate
from tacit.privacy.budget import Budget, Relation, Relations, Unit
from tacit.privacy.events import Event
from tacit.privacy.ledger import Ledger, LedgerLike
from tacit.releases.file import Release
from tacit.releases.lesson import FeatureMap, Lesson, PredictionFunction, ReceiverTable, ScoreFunction

AnyPlan = TypeVar("AnyPlan", bound=Plan)
# Beyond this the noise drowns any table that fits into memory.
MOST_ROWS_PER_PERSON = 1_000_000


def require_rows_per_person(unit: Unit, rows: int | None) -> int | None:
    """Return the bound on one person's rows, which unit "person" needs and no other takes."""
    if unit is not Unit.PERSON:
        if rows is not None:
            raise InputError(
                f"rows_per_person must be None with unit '{unit}'; got {rows!r}. Of a person with more rows some are "
                "left out, which one row more may change: give unit 'person', which counts that."
            )
        return None
    if rows is None:
        raise InputError(
            "rows_per_person must be given with unit 'person': the most rows of one person that are read, a public "
            "number. Give --rows-per-person K, or rows = K in the schema's column of kind 'person'."
        )
    if checks.whole("rows_per_person", rows) > MOST_ROWS_PER_PERSON:
        raise InputError(f"rows_per_person must be at most {MOST_ROWS_PER_PERSON:,}; got {rows:,}.")
    return rows


def person_plan(plan_per_record: Callable[[float, float], AnyPlan], promise: Budget, rows: int) -> AnyPlan:
    """Return the plan with the least noise that keeps ``promise`` for a person with at most ``rows`` rows.

    ``plan_per_record(epsilon, delta)`` is the kind's own plan per record, of which only the level of the noise is used.
    """
    return for_persons(plan_per_record(*person_loss(plan_per_record, promise, rows)), promise, rows)


def person_loss(plan_per_record: Callable[[float, float], Plan], promise: Budget, rows: int) -> tuple[float, float]:
    """Return the (epsilon, delta) per record at which ``rows`` rows together cost a person what ``promise`` says.

    Inequality: K rows change one after the other, each by what one record may change, so that sums move at most K
    times as far; Laplace and Gaussian noise K times as large then keep what they kept for one record. That is the
    group's exact cost, which (epsilon, delta) of one record alone would overstate: ``accounting.at_group``.
    """

    def loss(level: float) -> tuple[float, float]:
        # A smaller delta than the promise's keeps some epsilon above 0 for any noise that the search tries.
        return promise.epsilon / level, promise.delta / rows

    def at(level: float) -> Plan:
        return for_persons(plan_per_record(*loss(level)), promise, rows)

    def event(level: float) -> Event:
        plan = at(level)
        return plan_event(plan.steps, plan.budget)

    # A plan that spends no delta promises none, and is calibrated for what it promises.
    return loss(calibrate(event, at(float(rows)).budget, start=float(rows)))


def for_persons(plan: AnyPlan, promise: Budget, rows: int) -> AnyPlan:
    """Return a plan per record as one per person: each step meets ``rows`` rows, and the budget is ``promise``."""
    budget = Budget(
        promise.epsilon,
        promise.delta if plan.budget.delta else 0.0,
        unit=Unit.PERSON,
        relation=plan.budget.relation,
    )
    together = f"; of one person at most {rows} row{'s' * (rows > 1)} are read, which together move it at most {rows} "
    steps = tuple(
        replace(step, rows=rows, because=f"{step.because}{together}time{'s' * (rows > 1)} as far")
        for step in plan.steps
    )
    changes: dict[str, Any] = {"budget": budget, "steps": steps, "rows_per_person": rows}
    return replace(plan, **changes)


Details = TypeVar("Details")


def choice_key(ledger: Ledger | None, random_state: int | None) -> bytes:
    """Return the key that chooses which rows of a person are read: it depends on no row.

    The same for every release on one ledger, so that no more of a person's rows are ever read; a fresh one without a
    ledger; the same again with a seed. The bound on what a person can change holds for any key, secret or not.
    """
    if random_state is None and ledger is None:
        return os.urandom(32)
    name = f"seed {random_state}" if ledger is None else f"ledger {ledger.identifier}"
    return hashlib.sha256(f"tacit: rows of persons, {name}".encode()).digest()


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleasePlan(Plan, Generic[Details]):
    """What a release of a table will draw: the promise, its steps, and what ``make`` needs beside the rows."""

    schema: Schema
    """Of the private table; it travels with the release and is public."""
    details: Details
    """The kind's own: whatever was decided from public facts while planning."""


@dataclass(frozen=True)
class Spend:
    """What a release is charged to, where its noise comes from, and what the ledger's line says."""

    ledger: LedgerLike = None
    """The account of the private table; None: the spend stands on the card alone."""
    random_state: int | None = None
    """None for secure noise; an int repeats itself and is marked as not private."""
    purpose: str = ""

    @property
    def public_seed(self) -> int | None:
        """The seed of what is left to chance after the noise, which protects nothing; None: any."""
        return None if self.random_state is None else checks.whole("random_state", self.random_state, least=0) % 2**32

    def open(self, plan: Plan, purpose: str) -> Account:
        """Charge the ledger with the whole ``plan``, then return the account that may draw it.

        ``purpose`` is what the ledger's line says unless the spend has one of its own.
        """
        return plan.open(ledger=self.ledger, random_state=self.random_state, purpose=self.purpose or purpose)


@dataclass(frozen=True)
class PooledRelease:
    """What several releases say together, in memory: no file, and under the first one's card."""

    release: Release
    shares: tuple[float, ...]
    """How much each of them counts, of sum 1."""


@dataclass(frozen=True)
class ReleaseKind:
    """One kind of release. Its package holds the modules ``plan``, ``make`` and ``teach``, loaded when first used.

    Parameters
    ----------
    package : str
        The importable package; its last part is the name of the kind.
    method : str
        What the command line and ``tacit.release`` call it; empty if a file of this kind is made in another way, which
        needs more than a table, and only ``teach`` is there.
    summary : str
        What is handed out, in a few words for a list of choices.
    units : tuple of Unit
        What its plans can protect; the first is the usual one. A kind that protects records protects persons too:
        `plan` then raises its noise for all rows of one person.
    teaches : tuple of str
        What it can say about a receiver's rows: the parts of a `Lesson` that it fills, and "prior" if it holds the
        weights of a linear model, from which a private learner may start.
    files : tuple of str
        The kinds that release files of this kind state.
    row_count_public : bool
        Whether planning needs the number of rows, which the release then states exactly.
    relations : tuple of Relation
        The relations of neighbours that a plan per record can be made for, the usual one first; empty: the only one
        that its plans state, to be converted by a ledger.
    noisy_counts : str
        The array of a release that holds counts of rows with noise, by class; empty if there is none.
    public_scores : bool
        Whether class scores depend on nothing but the release and the row, so that they may be used on private rows;
        ``teach`` then takes a table without rows.
    checks_itself : bool
        Whether a release holds a private check of its own quality, which ``teach.quality_words`` puts into words.
    sums : bool
        Whether every query of a plan per record is a sum over rows with Gaussian noise, so that several owners can
        make one release together (``tacit join``).
    fabricates : tuple of str
        The methods of `tacit fabricate` that it serves.
    holds_tables : bool
        Whether a release holds tables of columns, of which ``make.model_of`` makes a model: counts are asked of it and
        rows drawn from it, at no cost.
    rows_beside : bool
        Whether its rows may lie in a table file, with the release beside them.
    pools : bool
        Whether several releases can be read as one, by the module ``pool``.
    """

    package: str
    method: str
    summary: str
    units: tuple[Unit, ...]
    teaches: tuple[str, ...]
    files: tuple[str, ...]
    row_count_public: bool = False
    noisy_counts: str = ""
    checks_itself: bool = False
    relations: Relations = ()
    public_scores: bool = False
    sums: bool = False
    fabricates: tuple[str, ...] = ()
    holds_tables: bool = False
    rows_beside: bool = False
    pools: bool = False

    @property
    def name(self) -> str:
        """The name of the kind, that of its package."""
        return self.package.rsplit(".", 1)[-1]

    @property
    def protects(self) -> tuple[Unit, ...]:
        """What its epsilon can protect: its units, and persons wherever it protects records."""
        return (*self.units, *((Unit.PERSON,) if Unit.RECORD in self.units else ()))

    def plan(
        self,
        schema: Schema,
        *,
        unit: Unit | str,
        epsilon: float,
        delta: float,
        n_rows: int | None = None,
        rows_per_person: int | None = None,
        relation: Relation | str | None = None,
        **settings: Any,
    ) -> ReleasePlan[Any]:
        """Return what releasing a table with ``schema`` will draw; nothing is charged.

        ``rows_per_person`` is for unit "person": the most rows of one person that `make` will be given. ``relation`` is
        for kinds that offer several.
        """
        self.require_unit(unit)
        budget = Budget(epsilon, delta, unit=unit)
        if self.row_count_public:
            settings["n_rows"] = n_rows
        if self.relations:
            settings["relation"] = self.relations[0] if relation is None else Relation(relation)

        def own(chosen: Unit, epsilon: float, delta: float) -> ReleasePlan[Any]:
            plan: ReleasePlan[Any] = self._module("plan").plan(
                schema, unit=chosen, epsilon=epsilon, delta=delta, **settings
            )
            return plan

        rows = require_rows_per_person(budget.unit, rows_per_person)
        if rows is None:
            return own(budget.unit, budget.epsilon, budget.delta)
        return person_plan(lambda *loss: own(Unit.RECORD, *loss), budget, rows)

    def make(
        self,
        plan: ReleasePlan[Any],
        X: Rows,
        codes: NDArray[Any],
        *,
        ledger: LedgerLike = None,
        random_state: int | None = None,
        purpose: str = "",
    ) -> Release:
        """Charge the ledger with ``plan``, then return the release of rows ``X`` [N, p] with class codes [N]."""
        release: Release = self._module("make").make(plan, X, codes, Spend(ledger, random_state, purpose))
        return release

    @property
    def streams(self) -> bool:
        """Whether a release is made of sums over batches of rows, so that a table need not fit into memory."""
        return hasattr(self._module("make"), "make_from_rows")

    def make_from_rows(self, plan: ReleasePlan[Any], rows: RowStream, spend: Spend) -> Release:
        """Charge the ledger with ``plan`` once every row was read, then return the release of ``rows``."""
        module = self._module("make")
        if isinstance(rows, ArrayRows):
            release: Release = module.make(plan, rows.X, rows.y, spend)
        else:
            release = module.make_from_rows(plan, rows, spend)
        return release

    def release(
        self,
        X: Rows,
        codes: NDArray[Any],
        schema: Schema,
        *,
        unit: Unit | str | None = None,
        epsilon: float,
        delta: float,
        ledger: LedgerLike = None,
        random_state: int | None = None,
        purpose: str = "",
        **settings: Any,
    ) -> Release:
        """Plan, charge the ledger, and return the release of rows ``X`` [N, p] in [0, 1] with class codes [N].

        ``unit`` is the first that the kind can protect unless given.
        """
        plan = self.plan(schema, unit=unit or self.units[0], epsilon=epsilon, delta=delta, n_rows=len(X), **settings)
        return self.make(plan, X, codes, ledger=ledger, random_state=random_state, purpose=purpose)

    def teach(self, release: Release, table: ReceiverTable) -> Lesson:
        """Return what ``release`` says about the rows of ``table``."""
        lesson: Lesson = self._module("teach").teach(release, table)
        return lesson

    def pool(self, releases: Sequence[Release]) -> PooledRelease | None:
        """Return what several releases of this kind say together; None where that cannot be told."""
        pooled: PooledRelease | None = self._module("pool").pool(releases) if self.pools else None
        return pooled

    def quality_words(self, release: Release) -> str:
        """Return what ``release`` says of its own quality, in a sentence; "" for a kind that was not checked."""
        return str(self._module("teach").quality_words(release)) if self.checks_itself else ""

    def table_model(self, release: Release) -> Any:
        """Return the model of the tables that ``release`` holds, for a kind that ``holds_tables``."""
        return self._module("make").model_of(release)

    def stored_scores(self, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> ScoreFunction:
        """Return the score function that a lesson of this kind gave, from what its ``to_parts`` returned."""
        scores: ScoreFunction = self._module("teach").stored_scores(arrays, settings)
        return scores

    def stored_features(self, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> FeatureMap:
        """Return the features that a lesson of this kind gave, from what its ``to_parts`` returned."""
        features: FeatureMap = self._module("teach").stored_features(arrays, settings)
        return features

    def stored_predictions(self, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> PredictionFunction:
        """Return the predictions that a lesson of this kind gave, from what its ``to_parts`` returned."""
        predictions: PredictionFunction = self._module("teach").stored_predictions(arrays, settings)
        return predictions

    def require_unit(self, unit: Unit | str) -> None:
        """Raise InputError if epsilon cannot protect ``unit`` in this kind of release."""
        chosen = one_of("unit", unit, list(Unit))
        if chosen not in self.protects:
            allowed = " or ".join(f"'{each}'" for each in self.protects)
            raise InputError(
                f"unit must be {allowed} for method '{self.method}'; got '{chosen}'. Give --unit {self.units[0]}."
            )

    def _module(self, name: str) -> Any:
        # The one place where a kind's code is loaded; callers see the typed methods above.
        return importlib.import_module(f"{self.package}.{name}")


def checked_rows(X: Rows, y: NDArray[Any], schema: Schema) -> Codes:
    """Return the class codes of an owner's rows; raise InputError unless X and y are as ``schema`` encodes them."""
    codes = np.asarray(y)
    if X.ndim != 2 or X.shape[1] != len(schema.encoded_names) or codes.shape != (len(X),) or not len(X):
        raise InputError(
            f"X must have rows of {len(schema.encoded_names)} encoded columns and y one code for each; "
            f"got shapes {X.shape} and {codes.shape}."
        )
    if not np.isin(codes, np.arange(len(schema.classes))).all():
        raise InputError("y must hold class codes of the schema only: an owner releases labelled rows. Drop others.")
    return codes.astype(np.intp)
