"""The model that a release of tables holds: from it come rows, class scores and counts, at no further cost."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray, IntArray
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.measuring import Measurement
from tacit.models.marginals.mixture import Mixture, fitted_mixture, targets_of
from tacit.models.marginals.placing import FinePlaces, Follower, fine_places, followers
from tacit.models.marginals.sampling import CoarseModel, CoarseRows
from tacit.models.marginals.tables import CoarseCounts, offsets_of
from tacit.models.marginals.zeros import PairZeros, structural_zeros

# Rows drawn at once.
BLOCK = 131_072


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

    def places(self, count: int, *, random_state: Any = None) -> tuple[FloatArray, IntArray]:
        """Return places [N, q] (level plus fraction) and class codes [N] of ``count`` invented rows in random order."""
        random = check_random_state(random_state)
        model = CoarseModel(self.mixture, self.offsets, self.zeros, self.coarse)
        parts = [
            self._placed(model.draw(min(BLOCK, count - start), random), random) for start in range(0, count, BLOCK)
        ]
        places, classes = (np.concatenate(each) for each in zip(*parts, strict=True))
        # Systematic rounding may miss the number by one.
        order = random.permutation(len(classes))
        order = np.concatenate([order, random.choice(order, max(0, count - len(order)))])[:count]
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
    mixture = fitted_mixture(targets_of(measurement, coarse, zeros), check_random_state(random_state))
    return MarginalModel(measurement, mixture)
