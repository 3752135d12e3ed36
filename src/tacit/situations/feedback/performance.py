"""Performance-guided parameter search: ascent on a score whose gradient is estimated from mirrored perturbations."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Self

from numpy.typing import ArrayLike

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.situations.feedback.estimates import default_step, mirrored, move, standard_normal
from tacit.situations.feedback.search import Search


@dataclass(frozen=True, eq=False)
class PerformanceSearch(Search):
    """PPS, [feedback] Alg. 2: each batch of mirrored perturbations moves the mean by η/(σb) Σ ε_i s_i.

    The printed loop runs from 0 to Q/b inclusive and so asks one batch more than its budget; here each query counts,
    and the last batch is cut. Queries come in pairs, so an odd one at the end is left unasked: it would move nothing.

    Parameters
    ----------
    mean, queries, sigma, goal, random_state
        As in ``Search``.
    batch : int, default 20
        Queries a step; even.
    step : float or None
        The learning rate η; None takes 0.25 σ² √b.

    Examples
    --------
    >>> import numpy as np
    >>> search = PerformanceSearch(np.zeros(2), queries=10, sigma=0.5, batch=4, random_state=0)
    >>> [search := search.tell(search.ask().sum(axis=1)) for _ in range(3)][-1].used
    10
    >>> bool(search.mean.sum() > 0)
    True
    """

    kind: ClassVar[str] = "performance"
    batch: int = field(kw_only=True, default=20)
    step: float | None = field(kw_only=True, default=None)

    def __post_init__(self) -> None:
        super().__post_init__()
        even("batch", self.batch)
        if self.step is not None:
            checks.positive("step", self.step)

    def ask(self) -> FloatArray:
        """Return the candidates of the open batch [k, p]."""
        return self._candidates

    def tell(self, scores: ArrayLike) -> Self:
        """Return the search after the scores of the open batch; equal scores move nothing."""
        batch_scores = self._checked(scores)
        feedback, k = self.goal.feedback(batch_scores), len(batch_scores)
        step = default_step(self.sigma, k) if self.step is None else self.step
        return self._after(batch_scores, mean=self.mean + move(self._directions, feedback, sigma=self.sigma, step=step))

    @cached_property
    def _directions(self) -> FloatArray:
        pairs = min(self.batch, self.left) // 2
        return mirrored(standard_normal(self.seed, self.turn, (pairs, len(self.mean))))

    @cached_property
    def _candidates(self) -> FloatArray:
        candidates = self.mean + self.sigma * self._directions
        candidates.setflags(write=False)
        return candidates


def even(name: str, value: int) -> int:
    """Return ``value`` if it is an even number of at least 2: queries come in pairs."""
    if checks.whole(name, value, least=2) % 2:
        raise InputError(f"{name} must be even, since queries come in mirrored pairs; got {value}.")
    return value
