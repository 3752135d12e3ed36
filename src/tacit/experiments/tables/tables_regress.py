"""Numbers of mixed tables without a label at the receiver's: additive releases, open models and private peers."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tacit.data.public.datasets import load_diamonds, load_flights
from tacit.experiments.number_tables import hours_of_adult
from tacit.experiments.results import ResultRow
from tacit.experiments.table_runs import OwnerAndReceiver, random_owner, rows_of_tables

RUNS = 5
PEERS = ("DP-EBM",)
METRIC = "R squared without labels"
QUICK: dict[str, Any] = {"RUNS": 1}


def rows() -> Iterator[ResultRow]:
    """Yield R squared of Adult's hours and of diamonds on random splits, and of delays from another airport."""
    yield from rows_of_tables((_adult_hours, _diamonds), _delays, runs=RUNS, peers=PEERS, metric=METRIC)


def _adult_hours(seed: int) -> OwnerAndReceiver:
    data = replace(hours_of_adult(), name="adult hours")
    return OwnerAndReceiver.split(data, random_owner(data.table.height, seed))


def _diamonds(seed: int) -> OwnerAndReceiver:
    data = load_diamonds()
    return OwnerAndReceiver.split(data, random_owner(data.table.height, seed))


def _delays(_seed: int) -> OwnerAndReceiver:
    """Return two airports that release and a third one that receives."""
    data = replace(load_flights("arr_delay"), name="flights delay")
    return OwnerAndReceiver.split(data, (data.table["origin"] != "LGA").to_numpy())
