"""Pair metrics on invented calls of a bank."""

from collections.abc import Callable, Iterable

import pytest

from tacit.data.public.datasets import TableSet
from tacit.experiments import pair_runs
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import pairs_bank

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


@pytest.fixture(autouse=True)
def small(shrink: Callable[..., None], invented: Callable[..., TableSet]) -> None:
    bank = invented("bank", 300, seed=3, signal=0.25)
    shrink(pairs_bank, load_bank=lambda: bank, SEEDS=2, PRINTED_SEEDS=2)
    shrink(pairs_bank, EPSILONS=(0.5, 8.0))
    shrink(pair_runs, ask_peer=lambda *_: None)


def test_every_method_is_run_for_every_seed(checked: Checked) -> None:
    rows = checked(pairs_bank.rows())
    settings = list(dict.fromkeys(row.setting for row in rows))
    assert settings == [
        "no budget",
        *(f"pair epsilon {e}{words}" for e in ("0.5", "8") for words in ("", " as stated")),
    ]
    assert {(row.metric, row.runs) for row in rows} == {("accuracy", 2)}
    means = {(row.setting, row.method): row.mean for row in rows}
    assert means["no budget", "Euclidean"] > 0.65
    assert means["pair epsilon 8", "tacit, diagonal"] > 0.65
    # Ten times the budget leaves no worse a metric, but for the test rows' own chance.
    assert means["pair epsilon 8", "tacit, diagonal"] > means["pair epsilon 0.5", "tacit, diagonal"] - 0.08


def test_a_table_repeats_itself(shrink: Callable[..., None]) -> None:
    shrink(pairs_bank, SEEDS=1, PRINTED_SEEDS=1)
    shrink(pairs_bank, EPSILONS=(1.0,))
    assert list(pairs_bank.rows()) == list(pairs_bank.rows())
