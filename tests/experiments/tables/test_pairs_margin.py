"""Descent without privacy by the margin of its loss, on invented calls."""

from collections.abc import Callable, Iterable

import numpy as np

from tacit.data.public.datasets import TableSet
from tacit.data.rows.pairs import chain
from tacit.experiments.pair_runs import balanced_split, plain_descent
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import pairs_margin

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def test_each_margin_has_a_row_beside_plain_neighbours(
    shrink: Callable[..., None], invented: Callable[..., TableSet], checked: Checked
) -> None:
    bank = invented("bank", 260, seed=1, signal=0.25)
    shrink(pairs_margin, load_bank=lambda: bank, SEEDS=2, TESTED=30)
    rows = checked(pairs_margin.rows())
    assert [row.method for row in rows] == ["Euclidean", *(f"descent, rho = {r}" for r in ("0.5", "1", "2", "4"))]
    assert {row.runs for row in rows} == {2}
    assert min(row.mean for row in rows) > 0.5


def test_a_wider_margin_pushes_dissimilar_pairs_further_apart(invented: Callable[..., TableSet]) -> None:
    split = balanced_split(invented("bank", 260, seed=1, signal=0.25), 0)
    pairs = chain(len(split.X), random_state=0)
    narrow, wide = (plain_descent(split, pairs, margin_ratio=ratio) for ratio in (0.5, 2.0))
    far = split.y[pairs.indices[:, 0]] != split.y[pairs.indices[:, 1]]
    differences = (split.X[pairs.indices[:, 0]] - split.X[pairs.indices[:, 1]])[far]
    assert np.linalg.norm(differences @ wide.T, axis=1).mean() > np.linalg.norm(differences @ narrow.T, axis=1).mean()
