"""The audit of a ledger: an adversary mixes kinds of release, and chooses each after seeing the answers before.

One record is exchanged between two tables. The adversary takes whatever the ledger still grants and adds up the
log-likelihood ratios of all answers, on which the best test depends. A ledger that counts releases proved for a record
more or less as if they were proved for one exchanged grants too much, and is caught.
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.special import expit

from tacit.arrays import FloatArray, IntArray
from tacit.audit.case import Case
from tacit.audit.game import Game, Sampler
from tacit.audit.neighbours import MixedTable
from tacit.audit.replay import QueryRecorder, RecordedQuery
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import BudgetExceededError, InputError
from tacit.kinds.registry import kind_by_method
from tacit.privacy.account import Step, observed_by, plan_claim
from tacit.privacy.budget import Budget, Relation, Unit
from tacit.privacy.conversions import Claim
from tacit.privacy.ledger import Ledger
from tacit.privacy.mechanisms import Gaussian, Laplace, Mechanism, ObjectivePerturbation
from tacit.privacy.stream import NoiseStream
from tacit.records import record

# A large delta: with it, what Gaussian noise gives away shows in few draws.
BUDGET = Budget(1.0, 0.05, unit=Unit.RECORD, relation=Relation.REPLACE)
DRAWS, ADDED_DRAWS, COUNT_DRAWS = 16_000, 8_000, 400
# What is asked for: releases by kind with epsilon and delta, and the answer of a desk.
RELEASES = {"moments": (0.35, 0.01), "encoder": (0.2, 0.0), "linear": (0.2, 0.0)}
DESK_EPSILON = 0.2
# Whoever is undecided after some answers asks for weights, once: each of them costs a whole fit.
UNDECIDED, COSTLY = 0.05, "linear"
# In which order it is asked for, by whether the answers so far speak for the first table or for the second.
PREFERENCES = (("moments", "desk", "encoder"), ("moments", "encoder", "desk"))
# A table of one column, so that an answer is few numbers to draw.
SCHEMA = Schema((Numeric("number", (0, 1)), Label("class", ("0", "1"))))
N_ROWS, EXCHANGED = 40, 7

History = tuple[str, ...]
# Whether a release may be drawn after those before it.
Grants = Callable[[History, str], bool]


@record
class Offer:
    """What may be asked for: the claim that is charged, and its queries on the two tables."""

    claim: Claim
    queries: tuple[tuple[Mechanism, FloatArray, FloatArray], ...]

    def log_ratios(self, side: int, count: int, stream: NoiseStream) -> FloatArray:
        """Return the log-likelihood ratio, second table over first, of ``count`` answers drawn on table ``side``."""
        total = np.zeros(count)
        for mechanism, *values in self.queries:
            first, second = _telling(mechanism, *values)
            drawn_on = (first, second)[side]
            answers = mechanism.draw(np.broadcast_to(drawn_on, (count, *drawn_on.shape)), stream)
            total += log_ratios(mechanism, answers, first, second)
        return total


def _telling(mechanism: Mechanism, first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the coordinates in which two inputs differ: independent noise on all others says nothing."""
    if isinstance(mechanism, Gaussian | Laplace):
        differs = first != second
        return first[differs], second[differs]
    return first, second


def cases(seed: int | None) -> list[Case]:
    """Return the game of an adversary under one ledger, and of one whose ledger does not convert relations."""
    return [
        Case("ledger: mixed kinds, chosen on the way, game", lambda: ledger_game(seed, converts=True).play(DRAWS)),
        Case(
            "control: ledger that does not convert relations",
            lambda: ledger_game(seed, converts=False).play(DRAWS),
            control=True,
        ),
        Case("ledger: rows that come or go, mixed kinds, game", lambda: added_row_game(seed).play(ADDED_DRAWS)),
        Case("ledger: a published number of rows, game", lambda: row_count_game(converts=True).play(COUNT_DRAWS)),
        Case(
            "control: ledger that takes a published number of rows for hidden",
            lambda: row_count_game(converts=False).play(COUNT_DRAWS),
            control=True,
        ),
    ]


def ledger_game(seed: int | None, *, converts: bool) -> Game:
    """Return the game of all answers under one ledger; its claim is the ledger's whole budget."""
    listed = offers()
    grants = ledger_grants({name: offer.claim for name, offer in listed.items()}, converts=converts)
    stream = NoiseStream(seed)

    def sampler(side: int) -> Sampler:
        return lambda count: transcripts(listed, grants, side, count, stream)

    return Game("ledger", BUDGET.epsilon, BUDGET.delta, sampler(0), sampler(1))


def added_row_game(seed: int | None) -> Game:
    """Return the game of all answers under a ledger that hides whether a record is there."""
    budget = replace(BUDGET, relation=Relation.ADD_REMOVE)
    tables = added_tables()
    listed = {
        method: _release_offer(method, *loss, tables, relation=Relation.ADD_REMOVE) for method, loss in RELEASES.items()
    }
    grants = ledger_grants({name: offer.claim for name, offer in listed.items()}, converts=True, budget=budget)
    stream = NoiseStream(seed)

    def sampler(side: int) -> Sampler:
        return lambda count: transcripts(listed, grants, side, count, stream)

    return Game("ledger", budget.epsilon, budget.delta, sampler(0), sampler(1))


def row_count_game(*, converts: bool) -> Game:
    """Return the game of one record more or less against a release that publishes the number of rows exactly.

    A sound ledger with relation add-remove refuses the release, and the player has nothing to look at.
    """
    budget = replace(BUDGET, relation=Relation.ADD_REMOVE)
    claims = {COSTLY: _release_offer(COSTLY, *RELEASES[COSTLY], exchanged_tables()).claim}
    granted = ledger_grants(claims, converts=converts, budget=budget)((), COSTLY)

    def sampler(n_rows: int) -> Sampler:
        return lambda count: np.full(count, float(n_rows if granted else 0))

    return Game("number of rows", budget.epsilon, budget.delta, sampler(N_ROWS), sampler(N_ROWS + 1))


def transcripts(listed: dict[str, Offer], grants: Grants, side: int, count: int, stream: NoiseStream) -> FloatArray:
    """Return the log-likelihood ratios of ``count`` runs of the adversary on table ``side``, until nothing is granted.

    Runs with the same history go together, so that their answers are drawn at once.
    """
    finished: list[FloatArray] = []
    open_runs: list[tuple[History, FloatArray]] = [((), np.zeros(count))]
    while open_runs:
        history, ratios = open_runs.pop()
        granted = [name for name in listed if grants(history, name)]
        if not granted:
            finished.append(ratios)
            continue
        choices = _choices(history, ratios, granted)
        for name in granted:
            chosen = choices == name
            if chosen.any():
                drawn = listed[name].log_ratios(side, int(chosen.sum()), stream)
                open_runs.append(((*history, name), ratios[chosen] + drawn))
        stopped = choices == ""
        if stopped.any():
            finished.append(ratios[stopped])
    return np.concatenate(finished)


def _choices(history: History, ratios: FloatArray, granted: Sequence[str]) -> IntArray:
    """Return which release each run asks for next, by what its answers say so far; empty: none."""
    by_leaning = [next((name for name in order if name in granted), "") for order in PREFERENCES]
    choices = np.where(ratios > 0, by_leaning[1], by_leaning[0])
    if history and COSTLY in granted and COSTLY not in history:
        choices = np.where(np.abs(ratios) < UNDECIDED, COSTLY, choices)
    return choices


def ledger_grants(claims: dict[str, Claim], *, converts: bool, budget: Budget = BUDGET) -> Grants:
    """Return what a real ledger grants after a history of charges; one that does not convert takes claims as they are.

    Its answer depends on nothing but the charges before, so each history is charged once.
    """
    charged = {
        name: claim if converts else replace(claim, relations=tuple(Relation), exact=())
        for name, claim in claims.items()
    }
    answers: dict[tuple[History, str], bool] = {}

    def grants(history: History, name: str) -> bool:
        if (history, name) not in answers:
            answers.update({(history, each): verdict for each, verdict in _verdicts(history, charged, budget).items()})
        return answers[history, name]

    return grants


def _verdicts(history: History, claims: dict[str, Claim], budget: Budget) -> dict[str, bool]:
    """Return which of ``claims`` a fresh ledger takes after the charges of ``history``."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger.create(Path(folder) / "audit.ledger", budget)
        for name in history:
            ledger.charge_claim(claims[name], purpose=name)
        return {name: _fits(ledger, claim) for name, claim in claims.items()}


def _fits(ledger: Ledger, claim: Claim) -> bool:
    try:
        ledger.preview(claim)
    except (BudgetExceededError, InputError):  # nothing left, or nothing proved for such neighbours
        return False
    return True


def offers() -> dict[str, Offer]:
    """Return the releases of several kinds, and a desk's answer, on two tables that differ in one exchanged record."""
    tables = exchanged_tables()
    release_offers = {method: _release_offer(method, *loss, tables) for method, loss in RELEASES.items()}
    return {**release_offers, "desk": _desk_offer(len(tables[0][0]))}


def exchanged_tables() -> tuple[MixedTable, MixedTable]:
    """Return two tables that differ in one row: at one bound, or at the other."""
    X, y = np.linspace(0, 1, N_ROWS)[:, None], np.arange(N_ROWS) // 3 % 2
    other = X.copy()
    X[EXCHANGED], other[EXCHANGED] = 1.0, 0.0
    return (X, y), (other, y)


def added_tables() -> tuple[MixedTable, MixedTable]:
    """Return two tables of which the second has one row more."""
    X, y = np.linspace(0, 1, N_ROWS)[:, None], np.arange(N_ROWS) // 3 % 2
    return (X, y), (np.vstack([X, [[1.0]]]), np.append(y, 1))


def _release_offer(
    method: str,
    epsilon: float,
    delta: float,
    tables: tuple[MixedTable, MixedTable],
    *,
    relation: Relation = Relation.REPLACE,
) -> Offer:
    kind = kind_by_method(method)
    form = relation if relation in kind.relations else None
    n_rows = len(tables[0][0])
    plan = kind.plan(SCHEMA, unit=Unit.RECORD, epsilon=epsilon, delta=delta, n_rows=n_rows, relation=form)
    claim = plan_claim(plan.steps, plan.budget, exact=plan.exact)
    first, second = (_recorded(lambda table=table: kind.make(plan, *table, random_state=0)) for table in tables)  # type: ignore[misc]
    pairs = zip(first, second, strict=True)
    return Offer(claim, tuple((one.mechanism, one.values, other.values) for one, other in pairs))


def _recorded(run: Callable[[], object]) -> list[RecordedQuery]:
    recorder = QueryRecorder()
    with observed_by(recorder.record):
        run()
    return recorder.queries


def _desk_offer(n_rows: int) -> Offer:
    """Return one answer of a desk: the share of rows that a candidate gets right, which one record moves by 1/n."""
    mechanism = Laplace.for_epsilon(DESK_EPSILON, sensitivity=1 / n_rows)
    step = Step(mechanism, "accuracy of a candidate", "one exchanged record is one mistake", relation=Relation.REPLACE)
    claim = plan_claim([step], Budget(DESK_EPSILON, unit=Unit.RECORD, relation=Relation.REPLACE))
    return Offer(claim, ((mechanism, np.array([0.5]), np.array([0.5 + 1 / n_rows])),))


def log_ratios(mechanism: Mechanism, answers: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Return log density of each answer [n, ...] on input ``second`` minus that on ``first``."""
    axes = tuple(range(1, answers.ndim))
    match mechanism:
        case Gaussian():
            squares = (answers - first) ** 2 - (answers - second) ** 2
            return np.asarray(squares.sum(axis=axes) / (2 * mechanism.sigma**2))
        case Laplace():
            return np.asarray((np.abs(answers - first) - np.abs(answers - second)).sum(axis=axes) / mechanism.scale)
        case ObjectivePerturbation():
            return _weight_density(mechanism, answers, second) - _weight_density(mechanism, answers, first)
    raise InputError(f"no likelihood is known for {mechanism.name}.")


def _weight_density(mechanism: ObjectivePerturbation, weights: FloatArray, table: FloatArray) -> FloatArray:
    """Return the log density of minimisers ``weights`` [n, d], up to a constant.

    b = -(gradient of the objective), of density e^(-beta |b|), and |det db/du| is the Hessian's determinant; the noise
    that hides how the solver stopped is too small to count.
    """
    Z, margins = table[:, :-1], table[:, -1]
    slopes = expit(-(weights @ Z.T + margins))  # [n, rows]
    noise = np.linalg.norm(slopes @ Z - mechanism.curvature * weights, axis=1)
    curvatures = slopes * (1 - slopes)
    hessians = np.einsum("nr,ri,rj->nij", curvatures, Z, Z) + mechanism.curvature * np.eye(Z.shape[1])
    return np.asarray(np.linalg.slogdet(hessians)[1] - mechanism.beta * noise)
