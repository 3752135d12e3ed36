"""Fitting an additive release of a mixed table beside DP-EBM and a linear model by DP-SGD, in processor seconds.

Run: python bench/additive.py [repeats]      with TACIT_DATA on Adult's 32561 x 14, else on as many invented rows; peers
                                             need .venv-peers (make bench), or TACIT_PEERS.

All in one run, in turn, on the same rows, one thread, epsilon 1: medians of the repeats. Peers are timed by
bench/peer_tables.py, imports before the clock, with the scores of 1000 rows, which take them milliseconds.
"""

import statistics
import sys
import time
from typing import Any

import numpy as np
import polars as pl

from tacit.data.public.datasets import TableSet, load_adult
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import MissingDataError
from tacit.experiments.peers import ask_peer
from tacit.experiments.table_runs import DELTA, PEER_SCRIPT, OwnerAndReceiver, peer_arrays, quality, released_scores
from tacit.kinds.additive import KIND

EPSILON, REPEATS, TEST_ROWS = 1.0, 5, 1000
N_ROWS, N_NUMBERS, N_CATEGORIES, N_LEVELS = 33_561, 6, 8, 12
OURS, PEERS = "tacit, additive release", ("DP-EBM", "Opacus linear")


def invented_table() -> TableSet:
    """Return rows of six numbers and eight columns of twelve categories, with a label that depends on some."""
    rng = np.random.default_rng(0)
    numbers = rng.gamma(2, 10, (N_ROWS, N_NUMBERS)).clip(0, 100).round(1)
    codes = rng.integers(0, N_LEVELS, (N_ROWS, N_CATEGORIES))
    labels = numbers[:, 0] + 5 * (codes[:, 0] < 3) + rng.normal(0, 10, N_ROWS) > 30
    cells: dict[str, Any] = {f"n{j}": numbers[:, j] for j in range(N_NUMBERS)}
    cells |= {f"c{j}": [f"level {code}" for code in codes[:, j]] for j in range(N_CATEGORIES)}
    names = tuple(f"level {code}" for code in range(N_LEVELS))
    columns = [Numeric(f"n{j}", (0, 100)) for j in range(N_NUMBERS)]
    categories = [Categorical(f"c{j}", names) for j in range(N_CATEGORIES)]
    schema = Schema((*columns, *categories, Label("label", ("no", "yes"))))
    return TableSet("invented", pl.DataFrame(cells | {"label": np.where(labels, "yes", "no")}), schema)


def parts() -> OwnerAndReceiver:
    """Return the owner's rows, and a thousand rows to score."""
    try:
        data = load_adult()
        data = TableSet(data.name, data.table.head(32_561 + TEST_ROWS), data.schema)
    except MissingDataError:
        data = invented_table()
    owner = np.arange(data.table.height) < data.table.height - TEST_ROWS
    return OwnerAndReceiver.split(data, owner)


def our_fit(table: OwnerAndReceiver, seed: int) -> tuple[float, float]:
    """Return the seconds of a release, and its area under the ROC curve."""
    start = time.process_time()
    release = KIND.release(
        table.owner.X, table.owner.outcomes, table.schema, epsilon=EPSILON, delta=DELTA, random_state=seed
    )
    seconds = time.process_time() - start
    return seconds, quality(table, released_scores(table, release))


def peer_fit(method: str, table: OwnerAndReceiver, seed: int) -> tuple[float, float] | None:
    """Return a peer's seconds and area; None without its environment."""
    answer = ask_peer(PEER_SCRIPT, method, {**peer_arrays(table, seed), "epsilon": np.array(EPSILON)})
    return None if answer is None else (answer["seconds"], answer["quality"])


def main(repeats: int) -> None:
    """Print medians, and how many times as long as ours each peer takes."""
    table = parts()
    our_fit(table, 0)  # the first fit of a process compiles and imports
    figures: dict[str, list[tuple[float, float]]] = {OURS: []}
    for seed in range(repeats):
        figures[OURS].append(our_fit(table, seed))
        for method in PEERS:
            answer = peer_fit(method, table, seed)
            if answer is not None:
                figures.setdefault(method, []).append(answer)
    print(f"{table.name}: {len(table.owner.X)} rows, {len(table.schema.features)} columns, epsilon {EPSILON:g}")
    ours = statistics.median(seconds for seconds, _ in figures[OURS])
    for method, draws in figures.items():
        seconds, area = (statistics.median(values) for values in zip(*draws, strict=True))
        print(f"{method:24} {seconds:7.2f} CPU s, {seconds / ours:5.1f} times ours, AUC {area:.3f}, {len(draws)} fits")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else REPEATS)
