"""Layerwise coordinate search: one group of parameters at a time, more queries for groups that improve the score."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.situations.feedback.estimates import (
    default_step,
    drawn_layer,
    layer_probabilities,
    mirrored,
    move,
    standard_normal,
)
from tacit.situations.feedback.performance import even
from tacit.situations.feedback.search import Search, frozen

JUDGED = ("update", "candidates")


@dataclass(frozen=True, eq=False)
class LayerwiseSearch(Search):
    """LCPS, [feedback] Alg. 3: each layer gets a unit of queries, then layers are drawn by how much they improved.

    An iteration has two stages. In the first each layer in turn is updated with ``unit`` queries, and its importance
    grows by β max(0, score of the mean after the update − score before it). In the second, layers are drawn with
    probability softmax(importance), and each draw is a unit more. The scores of the mean are queries as well, one
    before each layer and one after the last, so an iteration is H (unit + 1) + 1 queries and as many further units as
    fit into ``batch``.

    Eq. 5.12 prints the mean score of the *perturbed* candidates in place of the score after the update
    (``judged="candidates"``). Under mirrored perturbations that difference has no first-order term: it is 0 for a layer
    on which the score depends linearly, however much there is to gain. So by default the update itself is judged.

    Parameters
    ----------
    mean, queries, sigma, goal, random_state
        As in ``Search``.
    sizes : sequence of int
        How many parameters each layer has, in the order of ``mean``.
    unit : int, default 10
        Queries for one update of one layer; even.
    batch : int or None
        Queries of one iteration; None gives both stages the same number of units.
    reliance : float, default 100
        β, how far an improvement shifts the chances of a layer: at 100 one percentage point multiplies its odds by e.
        ``best_reliance`` gives the minimum of the printed regret bound, which hardly departs from even chances.
    judged : {"update", "candidates"}, default "update"
        By what a layer gains importance: the score of the mean after its update, or the mean score of the candidates
        that perturb it, both less the score of the mean before. The latter is [feedback] eq. 5.12 as printed.
    base_chance : float, default 0
        γ of [feedback] eq. 5.11: this part of the chances is the same for every layer; Alg. 3, line 7, has 0.
    step : float or None
        The learning rate η; None takes 0.25 σ² √unit.

    Attributes
    ----------
    importance : array [H]
        α, 0 at the start.
    place : int
        Which unit of its iteration the open batch is.
    before : float or None
        Value of the mean before the last layer of the first stage was updated.

    Examples
    --------
    >>> search = LayerwiseSearch(np.zeros(4), queries=60, sigma=0.5, sizes=(1, 3), unit=4, random_state=0)
    >>> while not search.done:
    ...     search = search.tell(search.ask()[:, 0])
    >>> search.used, bool(search.importance[0] > search.importance[1])
    (60, True)
    """

    kind: ClassVar[str] = "layerwise"
    sizes: tuple[int, ...] = field(kw_only=True)
    unit: int = field(kw_only=True, default=10)
    batch: int | None = field(kw_only=True, default=None)
    reliance: float = field(kw_only=True, default=100.0)
    judged: str = field(kw_only=True, default="update")
    base_chance: float = field(kw_only=True, default=0.0)
    step: float | None = field(kw_only=True, default=None)
    importance: FloatArray | None = field(kw_only=True, default=None)
    place: int = field(kw_only=True, default=0)
    before: float | None = field(kw_only=True, default=None)

    def __post_init__(self) -> None:
        super().__post_init__()
        sizes = tuple(checks.whole("sizes", size) for size in self.sizes)
        if sum(sizes) != len(self.mean):
            raise InputError(f"sizes must add up to the {len(self.mean)} parameters; they add up to {sum(sizes)}.")
        even("unit", self.unit)
        least = len(sizes) * (self.unit + 1) + 1 + self.unit
        if self.batch is not None and checks.whole("batch", self.batch) < least:
            raise InputError(
                f"batch must be at least {least}: a unit and a comparison for each of {len(sizes)} layers, and a draw; "
                f"got {self.batch}."
            )
        checks.positive("reliance", self.reliance)
        checks.one_of("judged", self.judged, JUDGED)
        checks.fraction("base_chance", self.base_chance, zero=True, one=True)
        if self.step is not None:
            checks.positive("step", self.step)
        start = np.zeros(len(sizes)) if self.importance is None else checks.finite_array("importance", self.importance)
        self._set(sizes=sizes, importance=frozen(start))
        if start.shape != (len(sizes),) or not 0 <= checks.whole("place", self.place, least=0) < self._n_units:
            raise InputError("importance and place must be those of a search with these sizes.")

    @property
    def layer(self) -> int:
        """The layer that the open batch perturbs."""
        if self.place < len(self.sizes):
            return self.place
        return drawn_layer(self.seed, self.turn, layer_probabilities(self._importance, self.base_chance))

    def ask(self) -> FloatArray:
        """Return the candidates of the open batch [k, p]; where layers are compared the mean itself comes first."""
        return self._candidates

    def tell(self, scores: ArrayLike) -> Self:
        """Return the search after the scores of the open batch; equal scores move nothing."""
        batch_scores = self._checked(scores)
        place = (self.place + 1) % self._n_units
        changes = self._learned(batch_scores) if self._n_comparisons else {}
        return self._after(batch_scores, mean=self._moved(batch_scores[self._n_comparisons :]), place=place, **changes)

    def _learned(self, scores: FloatArray) -> dict[str, Any]:
        """Return the new importance: of the layer before by what its update gained, or of this one by its candidates.

        The first score is that of the mean, the others those of the candidates.
        """
        values, importance = self.goal.values(scores), self._importance.copy()
        now = float(values[0])
        if self.judged == "candidates":
            if self.place < len(self.sizes):
                importance[self.place] += self.reliance * max(0.0, float(values[1:].mean()) - now)
        elif self.place > 0 and self.before is not None:
            importance[self.place - 1] += self.reliance * max(0.0, now - self.before)
        return {"before": now, "importance": importance}

    def _moved(self, scores: FloatArray) -> FloatArray:
        step = default_step(self.sigma, len(scores)) if self.step is None else self.step
        mean = self.mean.copy()
        mean[self._columns] += move(self._directions, self.goal.feedback(scores), sigma=self.sigma, step=step)
        return mean

    @property
    def _importance(self) -> FloatArray:
        return np.zeros(len(self.sizes)) if self.importance is None else self.importance

    @property
    def _n_comparisons(self) -> int:
        """One row for the mean itself: before each layer of the first stage, and after the last."""
        return int(self.place <= len(self.sizes))

    @property
    def _n_units(self) -> int:
        """Units of both stages: one a layer, then what fits ([feedback] Alg. 3, line 8, comparisons counted)."""
        n_layers = len(self.sizes)
        return 2 * n_layers if self.batch is None else (self.batch - n_layers - 1) // self.unit

    @property
    def _columns(self) -> slice:
        start = sum(self.sizes[: self.layer])
        return slice(start, start + self.sizes[self.layer])

    @cached_property
    def _directions(self) -> FloatArray:
        pairs = min(self.unit, self.left - self._n_comparisons) // 2
        return mirrored(standard_normal(self.seed, self.turn, (max(pairs, 0), self.sizes[self.layer])))

    @cached_property
    def _candidates(self) -> FloatArray:
        n_compared = self._n_comparisons if len(self._directions) else 0
        candidates = self.mean[None].repeat(n_compared + len(self._directions), axis=0)
        candidates[n_compared:, self._columns] += self.sigma * self._directions
        candidates.setflags(write=False)
        return candidates
