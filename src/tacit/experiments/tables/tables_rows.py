"""Fabricated rows of mixed tables, judged as users judge them, from tables of pairs and from class moments."""

import time
from collections.abc import Iterator, Mapping
from typing import Any

from tacit.audit.table_comparison import TableComparison, compare_tables
from tacit.data.rows.encoding import Encoded
from tacit.errors import MissingDataError
from tacit.experiments.kept_answers import kept_figures
from tacit.experiments.mixed_tables import TABLES, OwnerSplit, bank
from tacit.experiments.peer_rows import peer_rows
from tacit.experiments.results import Figures, ResultRow, metric_rows
from tacit.workflows.fabricate import fabricate

DRAWS = 5
EPSILON, DELTA = 1.0, 1e-6
METHODS = ("marginals", "moments")
# Other makers of private rows and their draws, where their environment is there: seconds to hours for each draw, so
# that they are stopped after so many processor seconds.
PEERS: Mapping[str, int] = {"MST": 3, "AIM": 3}
# AIM's model of flights grows to millions of cells, over each of which every round takes 1000 steps; of diamonds a draw
# takes minutes.
FEWER_DRAWS: Mapping[tuple[str, str], int] = {("AIM", "flights"): 0, ("AIM", "diamonds"): 2}
PEER_SECONDS = 3600
STOPPED = "CPU s when stopped without rows"
FIRST_SEED = 100
QUICK: dict[str, Any] = {"DRAWS": 1, "TABLES": {"Bank": bank}, "PEERS": {}}


def rows() -> Iterator[ResultRow]:
    """Yield, for each table, the figures of fabricated rows of each method, and of held-out real rows beside them."""
    for name, load in TABLES.items():
        try:
            table = load()
        except MissingDataError:
            continue
        setting = f"{name}, record epsilon {EPSILON:g}"
        yield from metric_rows(setting, [_kept_run(name, table, FIRST_SEED + draw) for draw in range(DRAWS)])
        for peer, draws in PEERS.items():
            n_draws = FEWER_DRAWS.get((peer, name), draws)
            runs = [_peer_run(table, peer, FIRST_SEED + draw) for draw in range(n_draws)]
            stopped = [figures for figures in runs if (peer, STOPPED) in figures]
            finished = [figures for figures in runs if figures and figures not in stopped]
            for known in filter(None, (finished, stopped)):
                yield from metric_rows(setting, known)


def _kept_run(name: str, table: OwnerSplit, seed: int) -> Figures:
    """Return the figures of one draw, measured only if they are not kept."""

    def measure() -> list[tuple[str, str, float]]:
        return [(method, metric, figure) for (method, metric), figure in _run(table, seed).items()]

    kept = kept_figures([name, len(table.owner.y), METHODS, EPSILON, DELTA, seed], measure)
    return {(method, metric): figure for method, metric, figure in kept}


def _run(table: OwnerSplit, seed: int) -> Figures:
    figures: Figures = {}
    for method in METHODS:
        started = time.process_time()
        invented = _fabricated(table, method, seed)
        seconds = time.process_time() - started
        comparison = compare_tables(table.owner, invented, table.schema, table.held_out)
        if method == METHODS[0]:
            figures |= _real(comparison)
        figures |= _judged(f"fabricated from {method}", comparison)
        figures[f"fabricated from {method}", "CPU s"] = seconds
    return figures


def _peer_run(table: OwnerSplit, peer: str, seed: int) -> Figures:
    """Return the figures of a peer's rows, or when it was stopped; none without its environment."""
    answer = peer_rows(peer, table, epsilon=EPSILON, delta=DELTA, seed=seed, limit=PEER_SECONDS)
    if answer is None:
        return {}
    invented, seconds = answer
    if invented is None:
        return {(peer, STOPPED): seconds}
    return {
        **_judged(peer, compare_tables(table.owner, invented, table.schema, table.held_out)),
        (peer, "CPU s"): seconds,
    }


def _fabricated(table: OwnerSplit, method: str, seed: int) -> Encoded:
    settings: dict[str, Any] = {"epsilon": EPSILON, "delta": DELTA, "method": method, "random_state": seed}
    invented = fabricate(table.owner, table.schema, rows=len(table.owner.y), **settings)
    return Encoded(invented.X, invented.y, table.owner.names, table.owner.classes)


def _real(comparison: TableComparison) -> Figures:
    """Return what held-out real rows reach: learners trained on the owner's rows, and chance alone between tables."""
    figures: Figures = {("real rows", f"AUC, {name}"): each.real for name, each in comparison.learned.items()}
    return figures | {("real rows", f"TV{count}"): value for count, value in comparison.held_out_variations.items()}


def _judged(method: str, comparison: TableComparison) -> Figures:
    figures: Figures = {(method, f"AUC, {name}"): each.fabricated for name, each in comparison.learned.items()}
    figures |= {(method, f"TV{count}"): value for count, value in comparison.variations.items()}
    figures[method, "impossible"] = comparison.impossible
    figures[method, "correlation gap"] = comparison.correlation_gap
    if comparison.closeness is not None:
        figures[method, "nearer to private rows"] = comparison.closeness.nearer_share
        figures[method, "membership AUC"] = comparison.closeness.attack.area
    return figures
