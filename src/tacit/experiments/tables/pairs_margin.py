"""Bank: descent without privacy by the margin of the contrastive loss; [pairs] figure 3.11 (c)."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tacit.data.public.datasets import TableSet, load_bank
from tacit.data.rows.pairs import chain
from tacit.experiments.pair_runs import balanced_split, plain_descent
from tacit.experiments.results import ResultRow, mean_rows

SEEDS = 10
# rho: the margin over the mean distance of dissimilar pairs.
RATIOS = (0.5, 1.0, 2.0, 4.0)
TESTED = 2_000
QUICK: dict[str, Any] = {"SEEDS": 1, "RATIOS": (1.0,), "TESTED": 500}


def rows() -> Iterator[ResultRow]:
    """Yield accuracies of five nearest neighbours on held-out calls, balanced, by the margin."""
    data = load_bank()
    yield from mean_rows("Bank, no noise", [by_ratio(data, seed) for seed in range(SEEDS)])


def by_ratio(data: TableSet, seed: int) -> dict[str, float]:
    """Return the accuracy of plain neighbours and of those under a metric learned with each margin."""
    split = balanced_split(data, seed, tested=TESTED)
    pairs = chain(len(split.X), random_state=seed)
    learned = {f"descent, rho = {ratio:g}": plain_descent(split, pairs, margin_ratio=ratio) for ratio in RATIOS}
    plain = {"Euclidean": np.eye(split.X.shape[1])}
    return {name: split.accuracy(W) for name, W in (plain | learned).items()}
