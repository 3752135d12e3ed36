"""Audits of the owner's desk: a whole run of noisy scores, and its answers on two neighbouring tables."""

import tempfile
from pathlib import Path

import numpy as np

from tacit.arrays import FloatArray, IntArray
from tacit.audit.case import DELTA, DRAWS, EPSILON, Case, replay_result
from tacit.audit.game import Game, Sampler
from tacit.privacy.budget import Budget
from tacit.privacy.card_content import AuditResult
from tacit.privacy.ledger import Ledger
from tacit.privacy.mechanisms import Gaussian, Laplace
from tacit.privacy.stream import NoiseStream
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.desk import Desk, ScoreQuery
from tacit.situations.feedback.desk.log import DeskLog, Entry
from tacit.situations.feedback.desk.providers import Provider, token_digest
from tacit.situations.feedback.desk.scoring import Scorer
from tacit.situations.feedback.desk.terms import DeskTerms

N_ROWS, QUERIES, DECIMALS = 40, 8, 4
# Rows of one person.
MOST = 5
ARCHITECTURE = Architecture("linear", 2, 1)

DeskTable = tuple[FloatArray, IntArray]


def cases(seed: int | None) -> list[Case]:
    """Return games on all answers of a run, a replay of a real desk, and a desk that charges for one answer only."""
    return [
        Case("desk, Laplace run, game", lambda: _game(0.0, QUERIES, seed).play(DRAWS)),
        Case("desk, Gaussian run, game", lambda: _game(DELTA, QUERIES, seed).play(DRAWS)),
        Case("desk, replay", lambda: _replay(seed)),
        Case(f"desk per person with {MOST} rows, game", lambda: _person_game(MOST, seed).play(DRAWS)),
        Case("desk per person, replay", lambda: _replay(seed, rows=MOST)),
        Case(
            f"desk with noise for one row, {MOST} rows of a person scored",
            lambda: _person_game(1, seed).play(DRAWS),
            control=True,
        ),
        Case("desk that charges one answer and gives eight", lambda: _game(0.0, 1, seed).play(DRAWS), control=True),
    ]


def _game(delta: float, charged: int, seed: int | None) -> Game:
    """Return the game of the mean of all answers, when one record makes every candidate right or wrong."""
    terms = DeskTerms(ARCHITECTURE, "accuracy", DECIMALS, charged, N_ROWS, epsilon=EPSILON, delta=delta)
    stream = NoiseStream(seed)

    def sampler(score: float) -> Sampler:
        return lambda count: _mean_answers(terms.mechanism, np.full((count, QUERIES), score), stream)

    return Game("desk", EPSILON, delta, sampler(0.5), sampler(0.5 + 1 / N_ROWS))


def _person_game(rows: int, seed: int | None) -> Game:
    """Return the same game when all rows of one person are right or wrong, with noise for ``rows`` of them."""
    terms = DeskTerms(
        ARCHITECTURE, "accuracy", DECIMALS, QUERIES, N_ROWS, epsilon=EPSILON, delta=DELTA, rows_per_person=rows
    )
    stream = NoiseStream(seed)

    def sampler(score: float) -> Sampler:
        return lambda count: _mean_answers(terms.mechanism, np.full((count, QUERIES), score), stream)

    return Game("desk", EPSILON, DELTA, sampler(0.5), sampler(0.5 + MOST / N_ROWS))


def _mean_answers(mechanism: Laplace | Gaussian | None, scores: FloatArray, stream: NoiseStream) -> FloatArray:
    noisy = scores if mechanism is None else mechanism.draw(scores, stream)
    return np.asarray(np.round(noisy, DECIMALS).mean(axis=1))


def _replay(seed: int | None, *, rows: int | None = None) -> AuditResult:
    """Replay a real desk with one record exchanged, or all ``rows`` of one person."""
    X = np.linspace(0.1, 0.9, 2 * N_ROWS).reshape(N_ROWS, 2)
    y = np.arange(N_ROWS) % 2
    neighbour, codes = X.copy(), y.copy()
    changed = slice(7, 7 + (rows or 1))
    neighbour[changed], codes[changed] = (1.0, 0.0), 1 - codes[changed]

    def run(table: DeskTable) -> dict[str, object]:
        with tempfile.TemporaryDirectory() as folder:
            return {"scores": _answers(Path(folder), table, seed, rows)}

    return replay_result(run, (X, y), (neighbour, codes))


def _answers(folder: Path, rows: DeskTable, seed: int | None, most: int | None) -> list[float]:
    """Return what a real desk answers to candidates that are right about half of the rows."""
    budget = Budget(2 * EPSILON, DELTA, unit="record" if most is None else "person", relation="replace")
    ledger = Ledger.create(folder / "audit.ledger", budget, allow=["no-guarantee"])  # an audit may be seeded
    with DeskLog(folder / "audit.desk").writing() as transaction:
        transaction.add(Provider("auditor", token_digest("auditor"), QUERIES))
    promise = {"epsilon": EPSILON, "delta": DELTA, "rows_per_person": most}
    terms = DeskTerms(ARCHITECTURE, "accuracy", DECIMALS, QUERIES, len(rows[0]), **promise)  # type: ignore[arg-type]
    scorer = Scorer(*rows, ARCHITECTURE, metric="accuracy")
    desk = Desk.open(scorer, terms, folder / "audit.desk", ledger=ledger, random_state=seed)
    vectors = [np.array([np.cos(i), np.sin(i), 0.1]) for i in range(QUERIES)]
    outcomes = desk.answer([ScoreQuery("auditor", f"q{i}", str(i), vector) for i, vector in enumerate(vectors)])
    desk.close()
    return [outcome.score for outcome in outcomes if isinstance(outcome, Entry)]
