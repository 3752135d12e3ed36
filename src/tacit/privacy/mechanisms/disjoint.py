"""Objective perturbation on disjoint parts of the rows: stacking and tuning at the price of one part.

The first column of the input says in which part a row lies, by what the row holds (``tacit.data.rows.parts``) and not
by its place. Adding or removing a row changes the input of one part only, and what the other parts released is then the
same or post-processing: the loss is the largest of the parts' losses, not their sum [foundations]. A replaced row may
lie in another part than the row before it: it is then removed from one part and added to another, and the losses of
these two add up. A row more or less costs objective perturbation about half of a row exchanged, so that both cases cost
the same.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np

from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.privacy.accounting import calibrate
from tacit.privacy.budget import Budget, Relation, Unit
from tacit.privacy.events import ApproximateEvent
from tacit.privacy.mechanisms.base import registered
from tacit.privacy.mechanisms.objective import ObjectivePerturbation, rows_apart, tables_of
from tacit.privacy.mechanisms.selection import Exponential
from tacit.privacy.stream import NoiseStream

# Margins of unit rows are at most about 1/2 in size: this makes them fill the range of tanh. A public number.
SHARPNESS = 4.0


def stacking_features(margins: FloatArray) -> FloatArray:
    """Return what a stacked model learns from: tanh(4 margin)/sqrt(K) of each of K models, rows of norm at most 1."""
    features: FloatArray = np.tanh(SHARPNESS * margins) / math.sqrt(margins.shape[1])
    return features


class _DisjointParts:
    """What mechanisms on parts of the rows share: neighbours, and one table drawn after the other."""

    exact = False
    sensitivity = 1.0
    # Rows exchanged, where curvatures were made for the table's own number of rows; rows that come or go too, where
    # they were made for a public bound on it: a row of zeros is no row, whatever its part.
    relations = (Relation.REPLACE,)
    provable_relations = tuple(Relation)

    def distance(self, first: FloatArray, second: FloatArray) -> float:
        """Return how many rows of one table the other lacks."""
        return float(rows_apart(first, second))

    def draw(self, values: FloatArray, stream: NoiseStream) -> FloatArray:
        """Return what is drawn of each table before the last two axes."""
        drawn = np.stack([self._draw_one(table, stream) for table in tables_of(values)])
        return drawn.reshape(*values.shape[:-2], -1)

    @abstractmethod
    def _draw_one(self, table: FloatArray, stream: NoiseStream) -> FloatArray: ...


@registered
@dataclass(frozen=True)
class StackedPerturbation(_DisjointParts):
    """Weights of feature groups learned on part 0, and stacking weights learned on part 1: [pptl] Alg. 4, lines 2-4.

    A row is (part, z_1, o_1, …, z_K, o_K): for each group the input of its objective perturbation. The output is all
    group weights, then K stacking weights.

    Inequality: the groups of part 0 add up, part 1 is disjoint from it. A row exchanged within a part costs the larger
    of the two; a row that goes from one part to the other costs a row less in one and a row more in the other.

    Parameters
    ----------
    groups : tuple of ObjectivePerturbation
        One for each group of features, on part 0.
    top : ObjectivePerturbation
        On part 1; its dimension is the number of groups.
    """

    groups: tuple[ObjectivePerturbation, ...]
    top: ObjectivePerturbation
    name = "stacked objective perturbation"

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", _perturbations(self.groups))
        object.__setattr__(self, "top", *_perturbations([self.top]))
        if self.top.dimension != len(self.groups):
            raise InputError(f"top must have one dimension for each of {len(self.groups)} groups.")

    @property
    def event(self) -> ApproximateEvent:
        """A pure event."""
        first = math.fsum(each.event.epsilon for each in self.groups)
        return ApproximateEvent(max(first, self.top.event.epsilon, self.moved_epsilon))

    @property
    def moved_epsilon(self) -> float:
        """What a row costs that goes from one part to the other."""
        return math.fsum(each.added_epsilon for each in (*self.groups, self.top))

    @property
    def output_direction(self) -> FloatArray:
        """Along which weights tell the `opposite_rows` apart: noise of each group in its own scale."""
        parts = [each.beta * each.curvature * each.output_direction for each in self.groups]
        return np.concatenate([*parts, np.zeros(len(self.groups))])

    def opposite_rows(self) -> tuple[FloatArray, FloatArray]:
        """Return two neighbouring tables: one row of part 0 that is opposite in every group."""
        pairs = [each.opposite_rows() for each in self.groups]
        first, second = (np.hstack([np.zeros((1, 1)), *rows]) for rows in zip(*pairs, strict=True))
        return first, second

    def _draw_one(self, table: FloatArray, stream: NoiseStream) -> FloatArray:
        first, second = table[table[:, 0] == 0], table[table[:, 0] == 1]
        ends = list(accumulate((each.dimension + 1 for each in self.groups), initial=1))
        weights, margins = [], []
        for each, start, end in zip(self.groups, ends[:-1], ends[1:], strict=True):
            drawn = each.draw(first[:, start:end], stream)
            weights.append(drawn)
            margins.append(second[:, start : end - 1] @ drawn + second[:, end - 1])
        # tanh is odd: features of signed margins are the features times the label, as the top's rows must be.
        features = stacking_features(np.column_stack(margins))
        stacked = self.top.draw(np.column_stack([features * (1 - 2.0**-40), np.zeros(len(second))]), stream)
        return np.concatenate([*weights, stacked])


@registered
@dataclass(frozen=True)
class TunedPerturbation(_DisjointParts):
    """The weights of the best of m settings: each learns on its own part, the last part chooses: [erm] Alg. 3.

    A row is (part, z, o). The output is the weights chosen, then the number of the setting.

    Inequality: each part meets one objective perturbation, or the exponential mechanism on counts of mistakes, which
    one row moves by at most 1. A row exchanged within a part costs the largest of their losses; a row that goes from
    one part to another costs a row less in one and a row more in the other. A row more moves all counts the same way,
    by 0 or 1, and so costs the exponential mechanism half of its epsilon.

    Parameters
    ----------
    settings : tuple of ObjectivePerturbation
        The candidates; part j learns the j-th.
    choice : Exponential
        On part m, of sensitivity 1.
    """

    settings: tuple[ObjectivePerturbation, ...]
    choice: Exponential
    name = "tuned objective perturbation"

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", _perturbations(self.settings))
        if isinstance(self.choice, Mapping):
            object.__setattr__(self, "choice", Exponential(**self.choice))
        if self.choice.sensitivity < 1:
            raise InputError("choice must have a sensitivity of at least 1: one row is one mistake more or less.")

    @property
    def event(self) -> ApproximateEvent:
        """A pure event."""
        within = (each.event.epsilon for each in self.settings)
        return ApproximateEvent(max(*within, self.choice.epsilon, self.moved_epsilon))

    @property
    def moved_epsilon(self) -> float:
        """What a row costs that goes from one part to another: the dearest two of them."""
        parts = [*(each.added_epsilon for each in self.settings), self.choice.epsilon / 2]
        return math.fsum(sorted(parts)[-2:])

    @property
    def output_direction(self) -> FloatArray:
        """Along which weights tell the `opposite_rows` apart, if the first setting is chosen."""
        return np.append(self.settings[0].output_direction, 0.0)

    def opposite_rows(self) -> tuple[FloatArray, FloatArray]:
        """Return two neighbouring tables: one opposite row of the first setting's part."""
        first, second = (np.hstack([np.zeros((1, 1)), rows]) for rows in self.settings[0].opposite_rows())
        return first, second

    def _draw_one(self, table: FloatArray, stream: NoiseStream) -> FloatArray:
        parts = [table[table[:, 0] == part, 1:] for part in range(len(self.settings) + 1)]
        drawn = [each.draw(part, stream) for each, part in zip(self.settings, parts, strict=False)]
        judge = parts[-1]
        mistakes = [float((judge[:, :-1] @ weights + judge[:, -1] <= 0).sum()) for weights in drawn]
        best = int(self.choice.draw(-np.array(mistakes), stream)[0])
        return np.append(drawn[best], float(best))


Perturbation = TypeVar("Perturbation", StackedPerturbation, TunedPerturbation)


def for_epsilon(make: Callable[[float], Perturbation], epsilon: float) -> Perturbation:
    """Return ``make(part)`` that costs ``epsilon``, where each of its parts costs ``part`` of a row exchanged.

    A row that goes from one part to another meets the closing noise of two solvers instead of one, and with the older
    accounting more: the parts get a little less than epsilon each.
    """
    budget = Budget(epsilon, unit=Unit.RECORD)
    level = calibrate(lambda level: make(epsilon / level).event, budget)
    return make(epsilon / level)


def _perturbations(stored: Sequence[Any]) -> tuple[ObjectivePerturbation, ...]:
    """Return the mechanisms, made again where a card gives their settings only."""
    perturbations = tuple(ObjectivePerturbation(**each) if isinstance(each, Mapping) else each for each in stored)
    if not perturbations or not all(isinstance(each, ObjectivePerturbation) for each in perturbations):
        raise InputError("objective perturbations must be given, at least one.")
    if any(each.neighbours != "replaced" for each in perturbations):
        raise InputError("the neighbours of parts must be 'replaced' rows, whose loss covers rows that come or go too.")
    return perturbations
