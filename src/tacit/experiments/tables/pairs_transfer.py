"""Bank and Adult: a receiver with few labels adopts the metric that an owner learned from pairs."""

from collections.abc import Iterator
from typing import Any

from tacit.adoption.neighbours import MetricNeighbours
from tacit.data.public.datasets import TableSet, load_adult, load_bank
from tacit.experiments.pair_runs import balanced_split
from tacit.experiments.results import ADOPTED, TARGET_ONLY, ResultRow, mean_rows
from tacit.kinds.pair_metric import KIND as PAIR_METRIC

LABELS = (50, 200, 1000)
EPSILON, DELTA = 1.0, 1e-6
SEEDS, TESTED = 10, 2000
QUICK: dict[str, Any] = {"SEEDS": 1, "LABELS": (50,)}


def rows() -> Iterator[ResultRow]:
    """Yield accuracies of five neighbours on held-out rows of balanced classes; the owner's rows are all others."""
    for name, data in (("Bank", load_bank()), ("Adult", load_adult())):
        for labels in LABELS:
            runs = [run(data, labels, seed) for seed in range(SEEDS)]
            yield from mean_rows(f"{name}, {labels} labels, pair epsilon {EPSILON:g}", runs)


def run(data: TableSet, labels: int, seed: int) -> dict[str, float]:
    """Return the accuracy without and with the release of one owner."""
    split = balanced_split(data, seed, tested=TESTED)
    release = PAIR_METRIC.release(
        split.X[labels:],
        split.y[labels:],
        data.schema,
        unit="pair",
        epsilon=EPSILON,
        delta=DELTA,
        random_state=seed,
    )
    model = MetricNeighbours([release], schema=data.schema).fit(split.X[:labels], split.y[:labels])
    alone, adopted = model.target_only_predict(split.X_test), model.predict(split.X_test)
    return {TARGET_ONLY: float((alone == split.y_test).mean()), ADOPTED: float((adopted == split.y_test).mean())}
