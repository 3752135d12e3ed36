"""Classes of mixed tables without a label at the receiver's: additive releases, open models and private peers."""

from collections.abc import Iterator
from typing import Any

from tacit.data.public.datasets import load_adult, load_bank, load_flights
from tacit.experiments.results import ResultRow
from tacit.experiments.table_runs import OwnerAndReceiver, random_owner, rows_of_tables

RUNS = 5
PEERS = ("DP-EBM", "Opacus linear", "diffprivlib")
METRIC = "ROC AUC without labels"
QUICK: dict[str, Any] = {"RUNS": 1}


def rows() -> Iterator[ResultRow]:
    """Yield areas under the ROC curve of Adult and Bank on random splits, and of flights from another airport."""
    yield from rows_of_tables((_adult, _bank), _flights, runs=RUNS, peers=PEERS, metric=METRIC)


def _adult(seed: int) -> OwnerAndReceiver:
    data = load_adult()
    return OwnerAndReceiver.split(data, random_owner(data.table.height, seed))


def _bank(seed: int) -> OwnerAndReceiver:
    data = load_bank()
    return OwnerAndReceiver.split(data, random_owner(data.table.height, seed))


def _flights(_seed: int) -> OwnerAndReceiver:
    """Return two airports that release and a third one that receives."""
    data = load_flights("late")
    return OwnerAndReceiver.split(data, (data.table["origin"] != "LGA").to_numpy())
