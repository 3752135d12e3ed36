"""Owners of tables with one schema and a receiver, in several draws, and the figures of what it adopts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from tacit.arrays import BoolArray, Rows
from tacit.data.public.datasets import TableSet
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.schema import Schema
from tacit.experiments.results import Figures, ResultRow, metric_rows
from tacit.experiments.table_runs import FIRST_SEED
from tacit.records import record


@record
class OwnerSituation:
    """Owners of tables, and a receiver whose labels or values are all known, so that predictions can be judged."""

    name: str
    schema: Schema
    owners: tuple[Encoded, ...]
    receiver: Encoded

    @classmethod
    def split(cls, name: str, data: TableSet, owners: Sequence[BoolArray]) -> "OwnerSituation":
        """Return the parts of a table: each owner's rows, and all others, which are the receiver's."""
        rows = data.encode(labels="required")
        rest = ~np.any(owners, axis=0)
        return cls(name, data.schema, tuple(rows.where(each) for each in owners), rows.where(rest))

    def receiver_halves(self, seed: int, most: int) -> tuple[tuple[Rows, NDArray[Any]], tuple[Rows, NDArray[Any]]]:
        """Return rows and outcomes to learn from and to be judged on, of at most ``most`` of the receiver's rows."""
        order = check_random_state(seed).permutation(len(self.receiver.y))[:most]
        own, held_out = np.array_split(order, 2)
        return self._rows(own), self._rows(held_out)

    def _rows(self, places: NDArray[np.intp]) -> tuple[Rows, NDArray[Any]]:
        return self.receiver.X[places], self.receiver.outcomes[places]


Situations = Callable[[int], Iterable[OwnerSituation]]


def situation_rows(
    situations: Situations, draws: int, run: Callable[[OwnerSituation, int], Iterable[tuple[str, Figures]]]
) -> Iterator[ResultRow]:
    """Yield the figures of each setting that ``run`` measures, over all draws of the situations."""
    runs: dict[str, list[Figures]] = {}
    for seed in range(FIRST_SEED, FIRST_SEED + draws):
        for situation in situations(seed):
            for setting, figures in run(situation, seed):
                runs.setdefault(setting, []).append(figures)
    for setting, measured in runs.items():
        yield from metric_rows(setting, measured)
