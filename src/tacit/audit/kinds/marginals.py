"""Audits of releases of tables: replays, the game of all their queries together, and broken twins."""

from dataclasses import replace
from typing import Any

import numpy as np

from tacit.arrays import FloatArray, IntArray
from tacit.audit.case import DELTA, DRAWS, EPSILON, Case, replay_result
from tacit.audit.game import Game, Sampler
from tacit.audit.neighbours import MIXED_SCHEMA, MixedTable, mixed_table, neighbouring_table
from tacit.audit.replay import QueryRecorder, RecordedQuery
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.marginals import KIND
from tacit.kinds.marginals.make import released_tables
from tacit.models.marginals.counting import pair_counts
from tacit.models.marginals.measuring import Measurement
from tacit.privacy.account import observed_by
from tacit.privacy.budget import Unit
from tacit.privacy.card_content import AuditResult
from tacit.privacy.mechanisms import Gaussian, Mechanism
from tacit.privacy.stream import NoiseStream

# A number of several depths, so that which nodes are counted depends on earlier answers.
DEEP_SCHEMA = Schema(
    (
        Numeric("income", (0, 5000), integer=True, missing="flag"),
        Categorical("kind", ("a", "b", "c"), missing="category"),
        Label("class", ("0", "1")),
    )
)
# A number that a category of many levels fixes, so that it is counted level by level.
LINK_SCHEMA = Schema(
    (
        Categorical("town", tuple(f"t{code}" for code in range(16))),
        Numeric("miles", (0, 99), integer=True),
        Label("class", ("0", "1")),
    )
)
# So few rows of so many columns that columns are counted again in place of pairs.
FEW_SCHEMA = Schema(
    (
        Categorical("ward", ("a", "b", "c")),
        Numeric("age", (0, 20), integer=True),
        Numeric("stays", (0, 9), integer=True),
        Label("class", ("0", "1")),
    )
)


def cases(seed: int | None) -> list[Case]:
    """Return replays of whole releases, the game of their queries, and the twins with too little noise or a leak."""
    return [
        Case("marginals, replay", lambda: _replay(MIXED_SCHEMA, mixed_table(), neighbouring_table(Unit.RECORD), seed)),
        Case("marginals with trees, replay", lambda: _replay(DEEP_SCHEMA, *_deep_tables(), seed)),
        Case("marginals of few rows, replay", lambda: _replay(FEW_SCHEMA, *_few_rows(), seed)),
        Case("marginals with links, replay", lambda: _replay(LINK_SCHEMA, *_linked_tables(), seed)),
        Case("marginals, all queries, game", lambda: _game(seed).play(DRAWS)),
        Case("control: marginals, noise halved", lambda: _game(seed, noise=0.5).play(DRAWS), control=True),
        Case("control: marginals, zeros read from exact tables", lambda: _exact_zeros(seed), control=True),
        Case("control: marginals, links read from exact tables", lambda: _exact_links(seed), control=True),
        Case("control: marginals, tables of pairs not charged", lambda: _uncharged_pairs(seed), control=True),
    ]


def _deep_tables() -> tuple[MixedTable, MixedTable]:
    """Return a table with heavy nodes, and the table with one row more in one of them."""
    income = np.concatenate([np.full(300, 0.2), np.linspace(0, 1, 100)])
    missing = (np.arange(400) % 9 == 0).astype(float)
    X = np.column_stack([income, missing, np.eye(4)[np.arange(400) % 4]])
    y = np.arange(400) // 5 % 2
    extra = np.array([[0.2, 0.0, 0.0, 1.0, 0.0, 0.0]])
    return (X, y), (np.vstack([X, extra]), np.append(y, 1))


def _few_rows() -> tuple[MixedTable, MixedTable]:
    """Return a table of 20 rows, and the table with one row more."""
    rows = np.arange(20)
    X = np.column_stack([np.eye(3)[rows % 3], rows / 20, rows % 10 / 9])
    extra = np.array([[0.0, 0.0, 1.0, 1.0, 1.0]])
    return (X, rows // 2 % 2), (np.vstack([X, extra]), np.append(rows // 2 % 2, 1))


def _linked_tables() -> tuple[MixedTable, MixedTable]:
    """Return a table whose towns have one number of miles each, and the table with a row of another number more."""
    town = np.arange(4800) % 16
    X = np.column_stack([np.eye(16)[town], town * 6 / 99])
    extra = np.append(np.eye(16)[3], 50 / 99)
    y = np.arange(4800) // 16 % 2
    return (X, y), (np.vstack([X, extra]), np.append(y, 1))


def _replay(schema: Schema, data: MixedTable, neighbour: MixedTable, seed: int | None) -> AuditResult:
    # The fit is a matter of public chance: the same in both runs, so that only a leak can make them differ.
    draw = 0 if seed is None else seed

    def run(table: MixedTable) -> dict[str, object]:
        release = KIND.release(*table, schema, epsilon=EPSILON, delta=DELTA, random_state=draw)
        return {**release.arrays, "card": list(release.card.assumptions)}

    return replay_result(run, data, neighbour)


def _measured(table: MixedTable, schema: Schema, seed: int | None) -> Measurement:
    plan = KIND.plan(schema, unit=Unit.RECORD, epsilon=EPSILON, delta=DELTA)
    return released_tables(plan.open(random_state=seed), plan, *table)


def _exact_pairs(table: MixedTable, measured: Measurement) -> list[IntArray]:
    """Return the counts of each class in pairs of coarse cells, without noise."""
    layout = measured.layout
    cells = [
        column.groups[column.cell_of_level(levels.size)].astype(np.int64)
        for column, levels in zip(measured.columns, layout.columns, strict=True)
    ]
    pairs = [pair.columns for pair in measured.pairs]
    return pair_counts([(layout.row_codes(table[0]), table[1])], cells, pairs, layout.n_classes)


def _exact_zeros(seed: int | None) -> AuditResult:
    """Replay a twin that forbids the pairs of cells that no private row has."""

    def run(table: MixedTable) -> dict[str, object]:
        exact = _exact_pairs(table, _measured(table, MIXED_SCHEMA, seed))
        return {"forbidden": np.concatenate([(counts.sum(axis=0) == 0).ravel() for counts in exact])}

    # The category follows the number, but for the row more.
    halves = np.arange(400) // 200
    X, y = np.column_stack([halves, np.eye(2)[halves]]).astype(float), np.arange(400) % 2
    return replay_result(run, (X, y), (np.vstack([X, [[1, 1, 0]]]), np.append(y, 1)))


def _exact_links(seed: int | None) -> AuditResult:
    """Replay a twin that takes the combinations of town and miles that private rows have for those that exist."""

    def run(table: MixedTable) -> dict[str, object]:
        layout = _measured(table, LINK_SCHEMA, seed).layout
        return {"combinations": np.unique(layout.row_codes(table[0]), axis=0)}

    return replay_result(run, *_linked_tables())


def _uncharged_pairs(seed: int | None) -> AuditResult:
    """Replay a twin whose tables of pairs have noise, but noise that no account knows of."""
    plan = KIND.plan(MIXED_SCHEMA, unit=Unit.RECORD, epsilon=EPSILON, delta=DELTA)

    def run(table: MixedTable) -> dict[str, object]:
        exact = _exact_pairs(table, _measured(table, MIXED_SCHEMA, seed))
        values = np.concatenate([counts.ravel() for counts in exact]).astype(np.float64)
        return {"pairs": plan.details.pairs.mechanism.draw(values, NoiseStream(0))}

    return replay_result(run, mixed_table(), neighbouring_table(Unit.RECORD))


def _game(seed: int | None, *, noise: float = 1.0) -> Game:
    """Return the game of all queries of a release together, asked with and without one row.

    What a query asks depends on earlier answers: the queries are those of one run, with its answers. The statistic is
    the log-likelihood ratio, the sum over queries of answer times what the row adds, over the variance. ``noise``
    scales what is really drawn.
    """
    recorder = QueryRecorder()
    with observed_by(recorder.record):
        _measured(mixed_table(), MIXED_SCHEMA, seed)
    row = neighbouring_table(Unit.RECORD)
    added = _added((row[0][-1:], row[1][-1:]), recorder.queries)
    stream = NoiseStream(seed)

    def sampler(present: int) -> Sampler:
        asked = [
            (_with_noise(query.mechanism, noise), query.values + present * extra, extra)
            for query, extra in zip(recorder.queries, added, strict=True)
        ]
        return lambda count: np.sum([_statistics(each, count, stream) for each in asked], axis=0)

    return Game("marginals", EPSILON, DELTA, sampler(0), sampler(1))


def _added(row: MixedTable, queries: list[RecordedQuery]) -> list[FloatArray]:
    """Return what one row adds to each query: the values that it alone has where the answers are those recorded."""
    asked: list[FloatArray] = []

    def answer(mechanism: Any, values: FloatArray, draw: Any) -> FloatArray:  # noqa: ARG001 - nothing is drawn
        asked.append(values)
        return queries[len(asked) - 1].answer

    with observed_by(answer):
        _measured(row, MIXED_SCHEMA, 0)
    return asked


def _with_noise(mechanism: Mechanism, noise: float) -> Gaussian:
    if not isinstance(mechanism, Gaussian):
        raise InputError(f"tables are released with Gaussian noise; got {mechanism.name}.")
    return replace(mechanism, sigma=noise * mechanism.sigma)


def _statistics(asked: tuple[Gaussian, FloatArray, FloatArray], count: int, stream: NoiseStream) -> FloatArray:
    """Return ``count`` draws of a query's log-likelihood ratio, up to a constant."""
    mechanism, values, added = asked
    # Noise is independent for each coordinate, and only these tell the tables apart.
    moved = np.flatnonzero(added)
    drawn = mechanism.draw(np.broadcast_to(values[moved], (count, len(moved))), stream)
    statistics: FloatArray = drawn @ added[moved] / mechanism.sigma**2
    return statistics
