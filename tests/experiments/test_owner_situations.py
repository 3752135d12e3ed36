"""Situations of owners and a receiver: parts of a table, halves of rows, and figures over draws."""

from collections.abc import Iterator

import numpy as np
import polars as pl

from tacit.arrays import Rows
from tacit.data.public.datasets import TableSet
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.experiments.owner_situations import OwnerSituation, situation_rows
from tacit.experiments.results import Figures
from tacit.experiments.table_runs import FIRST_SEED

N = 30
SCHEMA = Schema((Numeric("x", (0, N)), Label("y", ("0", "1"))))
TABLE = pl.DataFrame({"x": range(N), "y": [str(i % 2) for i in range(N)]})


def situation() -> OwnerSituation:
    places = np.arange(N)
    return OwnerSituation.split(
        "halves", TableSet("numbers", TABLE, SCHEMA), [places < 5, (places >= 5) & (places < 10)]
    )


def numbers(rows: Rows) -> list[int]:
    return [round(N * row[0]) for row in rows]


def test_rows_of_no_owner_are_the_receiver_s() -> None:
    made = situation()
    assert [numbers(owner.X) for owner in made.owners] == [list(range(5)), list(range(5, 10))]
    assert numbers(made.receiver.X) == list(range(10, N))
    assert (made.name, made.schema) == ("halves", SCHEMA)


def test_halves_are_disjoint_of_the_asked_size_and_keep_their_labels() -> None:
    for most, sizes in ((8, (4, 4)), (7, (4, 3)), (1000, (10, 10))):
        own, held_out = situation().receiver_halves(3, most)
        assert (len(own[1]), len(held_out[1])) == sizes
        assert not set(numbers(own[0])) & set(numbers(held_out[0]))
        for X, y in (own, held_out):
            assert y.tolist() == [number % 2 for number in numbers(X)]


def test_a_seed_repeats_its_halves_and_another_gives_others() -> None:
    first, again, other = (numbers(situation().receiver_halves(seed, 1000)[0][0]) for seed in (1, 1, 2))
    assert first == again != other


def test_figures_of_a_setting_are_means_over_draws() -> None:
    seeds = []

    def run(made: OwnerSituation, seed: int) -> Iterator[tuple[str, Figures]]:
        seeds.append(seed)
        yield "first", {("method", "accuracy"): float(seed - FIRST_SEED)}
        yield "second", {("method", "accuracy"): 0.5}

    rows = list(situation_rows(lambda _: [situation()], 3, run))
    assert seeds == [FIRST_SEED, FIRST_SEED + 1, FIRST_SEED + 2]
    assert [(row.setting, row.mean) for row in rows] == [("first", 1.0), ("second", 0.5)]
