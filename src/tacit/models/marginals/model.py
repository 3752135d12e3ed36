"""The model that a release of tables holds: from it come rows, class scores and counts, at no further cost."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tacit.arrays import FloatArray, IntArray
from tacit.data.schemas.conditions import Condition
from tacit.errors import InputError
from tacit.models.marginals.conditioning import Rules, conditioned
from tacit.models.marginals.constraint_cells import constraint_zeros
from tacit.models.marginals.independent import independent_mixture
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.link_places import LinkPlaces, link_places
from tacit.models.marginals.measuring import Measurement
from tacit.models.marginals.mixture import Mixture, fitted_mixture, targets_of
from tacit.models.marginals.placing import FinePlaces, Follower, fine_places, followers, uniform_ranks
from tacit.models.marginals.raking import CoarseRows, ReleasedCounts, TableCells
from tacit.models.marginals.repairing import Repair
from tacit.models.marginals.sampling import CoarseModel
from tacit.models.marginals.tables import CoarseCounts, offsets_of
from tacit.models.marginals.zeros import PairZeros, structural_zeros
from tacit.numerics.public_random import public_random
from tacit.records import record

# Rows drawn at once, at most and at least where rows are drawn again.
BLOCK, LEAST_BLOCK = 131_072, 1000
# Rows drawn to see what contradicts the tables: so many times those of the private table, at most a block.
WEIGHED_FACTOR = 10
# Rows that break a condition are placed anew inside their cells so often before they are dropped.
PLACINGS = 8
# Rows drawn for each row asked for before constraints are forced, and before conditions are taken for impossible.
FORCED_TRIES, MOST_TRIES = 10, 200


@record
class MarginalModel:
    """Noisy tables and the mixture that was fitted to them."""

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
        """The pairs of coarse cells that are taken for impossible, by the noisy tables."""
        return structural_zeros(self.measurement, self.coarse)

    @cached_property
    def forbidden(self) -> list[PairZeros]:
        """Those, and the pairs that the schema's constraints forbid."""
        return [*self.zeros, *constraint_zeros(self.layout, self.measurement.columns)]

    @cached_property
    def released(self) -> ReleasedCounts:
        """What drawn rows are raked to."""
        return ReleasedCounts(self.coarse, self.offsets)

    @cached_property
    def factors(self) -> list[TableCells]:
        """What weights of drawn rows are multiplied by where they would nearly contradict released tables."""
        sigma = self.measurement.pair_sigma
        # Told by the mixture itself first: rows of many columns take long to count pair by pair.
        pairs = self.released.contradicted_pairs(self.mixture, self.forbidden, self.measurement.pairs, sigma)
        if not pairs:
            return []
        count = min(max(WEIGHED_FACTOR * self.n_rows, LEAST_BLOCK), BLOCK)
        # Chance that is public and fixed: one release has one set of factors.
        rows = CoarseModel(self.mixture, self.offsets, self.forbidden).draw(count, public_random(0))
        return self.released.factors(rows, pairs, sigma)

    @property
    def weighed(self) -> list[tuple[int, int]]:
        """The pairs of columns whose tables drawn rows would nearly contradict, were they not weighed."""
        return [(each.columns[0], each.columns[1]) for each in self.factors if len(each.columns) == 2]

    @cached_property
    def followers(self) -> list[Follower]:
        """Which numbers follow which inside their cells."""
        return followers(self.mixture, self.offsets, self.layout.columns, self.forbidden)

    @cached_property
    def fine(self) -> list[FinePlaces]:
        """How rows are spread inside the coarse cells of each column."""
        tables, sigma = self.measurement.columns, self.measurement.cell_sigma
        return [fine_places(table, column, sigma) for table, column in zip(tables, self.layout.columns, strict=True)]

    @cached_property
    def links(self) -> dict[int, LinkPlaces]:
        """How rows are placed in each number that hangs on a category."""
        return {link.columns[1]: link_places(link, self.measurement) for link in self.measurement.links}

    @property
    def fixed(self) -> set[int]:
        """The numbers whose values are those that were seen with a category; of others it orders the rows of a cell."""
        return {link.columns[1] for link in self.measurement.links if not link.complete}

    @property
    def n_rows(self) -> int:
        """The noisy number of rows, at least 1."""
        return max(1, round(float(self.coarse.class_counts.sum())))

    def places(
        self, count: int, *, random_state: Any = None, where: Sequence[Condition] = ()
    ) -> tuple[FloatArray, IntArray]:
        """Return places [N, q] (level plus fraction) and class codes [N] of ``count`` invented rows; see below."""
        blocks = self.place_blocks(count, random_state=random_state, where=where)
        places, classes = (np.concatenate(each) for each in zip(*blocks, strict=True))
        return places, classes

    def place_blocks(
        self, count: int, *, random_state: Any = None, where: Sequence[Condition] = ()
    ) -> Iterator[tuple[FloatArray, IntArray]]:
        """Yield places and class codes of ``count`` invented rows block by block, each in random order.

        All keep the schema's constraints; with ``where`` all meet these conditions. Rows that do not are drawn again,
        and where constraints are too rarely kept, rows are changed to keep them; raise InputError if hardly any row
        meets the conditions.
        """
        random = public_random(random_state)
        rules = Rules(self.layout, tuple(where))
        mixture = conditioned(self.mixture, self.measurement.columns, rules)[0] if where else self.mixture
        # Released counts are those of all rows: a part of them is not raked to them.
        released = None if where else self.released
        model = CoarseModel(mixture, self.offsets, self.forbidden, released, self.factors)
        n_found = tried = 0
        while n_found < count:
            if tried > MOST_TRIES * count + BLOCK:
                raise InputError(f"rows that keep {rules} are too rare in the model: {n_found:,} of {tried:,} do.")
            size = min(BLOCK, max(count - n_found, LEAST_BLOCK if tried else 1))
            rows = self._kept_rows(model.draw(size, random), rules, random, force=tried > FORCED_TRIES * count)
            order = random.permutation(len(rows[1]))[: count - n_found]
            n_found, tried = n_found + len(order), tried + size
            yield rows[0][order], rows[1][order]

    def _kept_rows(self, rows: CoarseRows, rules: Rules, random: Any, *, force: bool) -> tuple[FloatArray, IntArray]:
        """Return the places and classes of rows that keep the rules; ``force``: of all that can be changed so."""
        places, classes = self._placed(rows, random), rows.classes
        if not rules.restrict:
            return places, classes
        # Numbers that follow each other are close: exchanged, both keep their shares, which fewer rows would not.
        repair = Repair(self.layout, self.measurement.columns)
        places = repair.ordered(places, classes)
        kept = rules.kept(places, classes)
        for _ in range(PLACINGS):
            broken = np.flatnonzero(~kept)
            if not len(broken):
                break
            ranks = random.uniform(size=(len(broken), places.shape[1]))
            places[broken] = self._at(rows.cells[broken], classes[broken], ranks)
            kept[broken] = rules.kept(places[broken], classes[broken])
        if force:
            places, classes = repair(places, classes, random)
            kept = rules.kept(places, classes)
        return places[kept], classes[kept]

    def _placed(self, rows: CoarseRows, random: Any) -> FloatArray:
        ranks = random.uniform(size=rows.cells.shape)
        for follower in self.followers:
            follower.place(rows, ranks, random)
        for j in sorted(set(self.links) - self.fixed):
            linked = self._linked(j, rows.cells, rows.classes, ranks)
            ranks[:, j] = uniform_ranks(linked, rows.cells[:, j], rows.classes, random)
        return self._at(rows.cells, rows.classes, ranks)

    def _at(self, cells: IntArray, classes: IntArray, ranks: FloatArray) -> FloatArray:
        places = np.empty(ranks.shape)
        for j, fine in enumerate(self.fine):
            linked = j in self.fixed
            places[:, j] = self._linked(j, cells, classes, ranks) if linked else fine(cells[:, j], classes, ranks[:, j])
        return places

    def _linked(self, j: int, cells: IntArray, classes: IntArray, ranks: FloatArray) -> FloatArray:
        """Return the places in number j that its category suggests; others where it does not."""
        link = self.links[j]
        i = link.columns[0]
        levels = self.fine[i](cells[:, i], classes, ranks[:, i]).astype(np.int64)
        linked, left = link(levels, cells[:, j], ranks[:, j])
        return np.where(np.isnan(linked), self.fine[j](cells[:, j], classes, left), linked)


def fitted_model(measurement: Measurement, *, random_state: Any = None) -> MarginalModel:
    """Return the model of what was measured; a matter of public chance, since the tables are released."""
    coarse = measurement.coarse()
    if not measurement.pairs:
        return MarginalModel(measurement, independent_mixture(coarse, offsets_of(measurement.columns)))
    zeros = [*structural_zeros(measurement, coarse), *constraint_zeros(measurement.layout, measurement.columns)]
    mixture = fitted_mixture(targets_of(measurement, coarse, zeros), public_random(random_state))
    return MarginalModel(measurement, mixture)
