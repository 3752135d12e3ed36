"""The ask/tell contract of all searches, and the loop that drives one.

A search is a value: it never changes, holds no generator, no file and no callback, and so can be stored between any
two steps and resumed bit for bit, on another machine if need be::

    search = PerformanceSearch(theta, queries=300, sigma=0.1, batch=20, random_state=0)
    while not search.done:
        candidates = search.ask()         # [k, p]; asking again gives the same rows
        scores = ...                      # [k], or [k, m] for a goal of m scores; larger is better
        search = search.tell(scores)      # the next search; the old one is untouched
    search.parameters                     # what to use; also search.mean, search.best_query, search.best_scores

Row i of ``ask()`` is query number ``search.used + i`` of the run. The number names the query for good, since the same
search always asks the same rows: a desk can refuse to score it twice, and a provider that crashed can ask for the
stored answer. ``tell`` takes the scores of the whole open batch, refuses NaN, and counts each row once; ``used`` never
exceeds ``queries``, and the last batch is cut to what is left.

``search_to_arrays(search)`` gives (settings, arrays): JSON-ready data and named arrays, everything that the search is.
``search_from_arrays`` reads them back. ``write_search`` and ``read_search`` keep both in one file. All four stand in
``tacit.situations.feedback.storage``.

A search spends no privacy: it sees nothing but scores. What scores give away about the data behind them, and noise
against it, is a matter of whoever answers the queries.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.situations.feedback.goals import Goal, OneScore

S = TypeVar("S", bound="Search")


@dataclass(frozen=True, eq=False)
class Search(ABC):
    """What all searches share: the mean, the budget, the best query so far.

    Parameters
    ----------
    mean : array [p]
        The parameters to start from; later those that the search has reached.
    queries : int
        The budget: how many candidates may be scored in all.
    sigma : float
        Standard deviation of the perturbation of each parameter.
    goal : Goal
        What the scores are for; by default one score, larger is better.
    random_state : int or None
        Seed of the perturbations; None draws one, which is then part of the search.
    used, turn, best_query, best_scores
        How far the search has come; a new one leaves them out.
    """

    kind: ClassVar[str] = "search"
    mean: FloatArray
    queries: int = field(kw_only=True)
    sigma: float = field(kw_only=True)
    goal: Goal = field(kw_only=True, default_factory=OneScore)
    random_state: int | None = field(kw_only=True, default=None)
    used: int = field(kw_only=True, default=0)
    turn: int = field(kw_only=True, default=0)
    best_query: FloatArray | None = field(kw_only=True, default=None)
    best_scores: FloatArray | None = field(kw_only=True, default=None)

    def __post_init__(self) -> None:
        self._set(mean=frozen(checks.finite_array("mean", self.mean)))
        if self.mean.ndim != 1 or not len(self.mean):
            raise InputError(f"mean must be a vector of at least one parameter; got shape {self.mean.shape}.")
        self._set(queries=checks.whole("queries", self.queries), sigma=checks.positive("sigma", self.sigma))
        self._set(used=checks.whole("used", self.used, least=0), turn=checks.whole("turn", self.turn, least=0))
        if self.used > self.queries:
            raise InputError(f"used must be at most queries, {self.queries}; got {self.used}.")
        self._check_best()
        # A seed from the machine, drawn once and kept: a stored search must ask the same rows again.
        drawn = check_random_state(None).randint(2**31) if self.random_state is None else self.random_state
        self._set(random_state=checks.whole("random_state", drawn, least=0))

    @property
    def seed(self) -> int:
        """The seed of the perturbations."""
        return int(self.random_state or 0)

    @property
    def left(self) -> int:
        """How many queries are left."""
        return self.queries - self.used

    @property
    def done(self) -> bool:
        """Whether there is nothing left to ask."""
        return len(self.ask()) == 0

    @property
    def parameters(self) -> FloatArray:
        """The parameters to use: the mean, which follows many scores and so fits the scored rows less closely."""
        return self.mean

    @abstractmethod
    def ask(self) -> FloatArray:
        """Return the candidates of the open batch [k, p]; none when the budget is used up."""

    @abstractmethod
    def tell(self, scores: ArrayLike) -> Self:
        """Return the search after the scores of the open batch."""

    def _checked(self, scores: ArrayLike) -> FloatArray:
        """Return the scores as [k, m], one row a candidate of the open batch."""
        told, expected = checks.finite_array("scores", scores), len(self.ask())
        told = told[:, None] if told.ndim == 1 else told
        if expected == 0:
            raise InputError(f"the budget of {self.queries} queries is used up: there is nothing left to tell.")
        if told.shape != (expected, self.goal.n_scores):
            raise InputError(
                f"scores must have {expected} rows of {self.goal.n_scores}, one row a candidate of the open batch; "
                f"got shape {told.shape}."
            )
        return told

    def _after(self, scores: FloatArray, **changes: Any) -> Self:
        """Return the search with the batch counted and its best query remembered."""
        changes.update(self._best(scores), used=self.used + len(scores), turn=self.turn + 1)
        return replace(self, **changes)

    def _best(self, scores: FloatArray) -> dict[str, FloatArray]:
        values = self.goal.values(scores)
        first = int(values.argmax())
        if self.best_scores is not None and values[first] <= self.goal.values(self.best_scores[None])[0]:
            return {}
        return {"best_query": frozen(self.ask()[first].copy()), "best_scores": frozen(scores[first].copy())}

    def _check_best(self) -> None:
        if self.best_query is None and self.best_scores is None:
            return
        shapes = [() if each is None else np.shape(each) for each in (self.best_query, self.best_scores)]
        if shapes != [self.mean.shape, (self.goal.n_scores,)]:
            raise InputError(
                f"best_query and best_scores must be {len(self.mean)} parameters and {self.goal.n_scores} scores; "
                f"got shapes {shapes[0]} and {shapes[1]}."
            )

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


def tune(search: S, score: Callable[[FloatArray], ArrayLike], *, after: Callable[[S], None] | None = None) -> S:
    """Return the search after its whole budget: ``score`` takes candidates [k, p] and returns their scores.

    ``after`` sees the search after each batch, to store it or to show how far it is.

    >>> from tacit.situations.feedback.performance import PerformanceSearch
    >>> search = PerformanceSearch(np.zeros(3), queries=400, sigma=0.1, random_state=0)
    >>> found = tune(search, lambda rows: -np.abs(rows - 0.5).sum(axis=1))
    >>> found.used, bool(np.abs(found.parameters - 0.5).max() < 0.1)
    (400, True)
    """
    while not search.done:
        search = search.tell(score(search.ask()))
        if after is not None:
            after(search)
    return search


def frozen(array: FloatArray) -> FloatArray:
    """Return the array as one that nobody can write to; whoever gave it keeps their own."""
    kept = array.copy() if array.flags.writeable else array
    kept.setflags(write=False)
    return kept
