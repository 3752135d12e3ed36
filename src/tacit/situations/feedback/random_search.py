"""Random search: independent perturbations of the start, of which the best is kept."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Self

from numpy.typing import ArrayLike

from tacit import checks
from tacit.arrays import FloatArray
from tacit.situations.feedback.estimates import standard_normal
from tacit.situations.feedback.search import Search


@dataclass(frozen=True, eq=False)
class RandomSearch(Search):
    """The naive search that others are measured against: the best of Q perturbed models ([feedback] eq. 5.2).

    The start itself is the first query, so that the result never scores below it.

    Parameters
    ----------
    mean, queries, sigma, goal, random_state
        As in ``Search``; the mean stays where it is.
    batch : int, default 20
        How many candidates are asked at once; of no effect on the result.
    """

    kind: ClassVar[str] = "random"
    batch: int = field(kw_only=True, default=20)

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.whole("batch", self.batch)

    @property
    def parameters(self) -> FloatArray:
        """The best query so far, or the start."""
        return self.mean if self.best_query is None else self.best_query

    def ask(self) -> FloatArray:
        """Return the candidates of the open batch [k, p]."""
        return self._candidates

    def tell(self, scores: ArrayLike) -> Self:
        """Return the search after the scores of the open batch."""
        return self._after(self._checked(scores))

    @cached_property
    def _candidates(self) -> FloatArray:
        numbers = range(self.used, min(self.used + self.batch, self.queries))
        candidates = self.mean[None].repeat(len(numbers), axis=0)
        # Each query draws by its own number: the batch size changes nothing but how many are asked at once.
        for row, number in enumerate(numbers):
            if number > 0:
                candidates[row] += self.sigma * standard_normal(self.seed, number, self.mean.shape)
        candidates.setflags(write=False)
        return candidates
