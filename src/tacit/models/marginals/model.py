"""The model that a release of tables holds: from it come rows, class scores and counts, at no further cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tacit.arrays import FloatArray, IntArray
from tacit.data.conditions import Condition
from tacit.errors import InputError
from tacit.models.marginals.conditioning import Rules, conditioned
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.measuring import Measurement
from tacit.models.marginals.mixture import Mixture, fitted_mixture, targets_of
from tacit.models.marginals.placing import FinePlaces, Follower, fine_places, followers
from tacit.models.marginals.sampling import CoarseModel, CoarseRows
from tacit.models.marginals.tables import CoarseCounts, offsets_of
from tacit.models.marginals.zeros import PairZeros, structural_zeros
from tacit.numerics.public_random import public_random

# Rows drawn at once, at most and at least where rows are drawn again.
BLOCK, LEAST_BLOCK = 131_072, 1000
# Rows drawn for each row asked for before conditions are taken for impossible.
MOST_TRIES = 200


@dataclass(frozen=True, eq=False)
class MarginalModel:
    """Noisy tables and the mixture that was fitted to them.

    Attributes
    ----------
    measurement : Measurement
    mixture : Mixture
    """

    measurement: Measurement
    mixture: Mixture

    @property
    def layout(self) -> Layout:
        """The columns and classes."""
        return self.measurement.layout

    @cached_property
    def coarse(self) -> CoarseCounts:
        """The best counts of coarse cells."""
        return self.measurement.coarse()

    @cached_property
    def offsets(self) -> IntArray:
        """Where each column's coarse cells start [q + 1]."""
        return offsets_of(self.measurement.columns)

    @cached_property
    def zeros(self) -> list[PairZeros]:
        """The pairs of coarse cells that are taken for impossible."""
        return structural_zeros(self.measurement, self.coarse)

    @cached_property
    def followers(self) -> list[Follower]:
        """Which numbers follow which inside their cells."""
        return followers(self.mixture, self.offsets, self.layout.columns, self.zeros)

    @cached_property
    def fine(self) -> list[FinePlaces]:
        """How rows are spread inside the coarse cells of each column."""
        tables, sigma = self.measurement.columns, self.measurement.cell_sigma
        return [fine_places(table, column, sigma) for table, column in zip(tables, self.layout.columns, strict=True)]

    @property
    def n_rows(self) -> int:
        """The noisy number of rows, at least 1."""
        return max(1, round(float(self.coarse.class_counts.sum())))

    def places(
        self, count: int, *, random_state: Any = None, where: Sequence[Condition] = ()
    ) -> tuple[FloatArray, IntArray]:
        """Return places [N, q] (level plus fraction) and class codes [N] of ``count`` invented rows in random order.

        All keep the schema's constraints; with ``where`` all meet these conditions. Rows that do not are drawn again;
        raise InputError if hardly any do.
        """
        random = public_random(random_state)
        rules = Rules(self.layout, tuple(where))
        mixture = conditioned(self.mixture, self.measurement.columns, rules) if where else self.mixture
        # Released counts are those of all rows: a part of them is not raked to them.
        model = CoarseModel(mixture, self.offsets, self.zeros, None if where else self.coarse)
        parts: list[tuple[FloatArray, IntArray]] = []
        found = tried = 0
        while found < count:
            if tried > MOST_TRIES * count + BLOCK:
                raise InputError(f"rows that keep {rules} are too rare in the model: {found:,} of {tried:,} do.")
            size = min(BLOCK, max(count - found, LEAST_BLOCK if tried else 1))
            places, classes = self._placed(model.draw(size, random), random)
            kept = rules.kept(places, classes)
            parts.append((places[kept], classes[kept]))
            found, tried = found + int(kept.sum()), tried + size
        places, classes = (np.concatenate(each) for each in zip(*parts, strict=True))
        order = random.permutation(len(classes))[:count]
        return places[order], classes[order]

    def _placed(self, rows: CoarseRows, random: Any) -> tuple[FloatArray, IntArray]:
        ranks = random.uniform(size=rows.cells.shape)
        for follower in self.followers:
            follower.place(rows, ranks, random)
        places = np.empty(ranks.shape)
        for j, fine in enumerate(self.fine):
            places[:, j] = fine(rows.cells[:, j], rows.classes, ranks[:, j])
        return places, rows.classes


def fitted_model(measurement: Measurement, *, random_state: Any = None) -> MarginalModel:
    """Return the model of what was measured; a matter of public chance, since the tables are released."""
    coarse = measurement.coarse()
    zeros = structural_zeros(measurement, coarse)
    mixture = fitted_mixture(targets_of(measurement, coarse, zeros), public_random(random_state))
    return MarginalModel(measurement, mixture)
