"""The ask/tell contract of all searches, and the loop that drives one.

A search is a value: it never changes, holds no generator, no file and no callback, and so can be stored between any
two steps and resumed bit for bit, on another machine if need be::

    search = PerformanceSearch(theta, queries=300, sigma=0.1, batch=20, random_state=0)
    while not search.done:
        candidates = search.ask()         # [k, p]; asking again gives the same rows
        scores = ...                      # [k], or [k, m] for a goal of m scores; larger is better
        search = search.tell(scores)      # the next search; the old one is untouched
    search.parameters                     # what to use; also search.mean, search.best_query, search.best_scores

Row i of ``ask()`` is query number ``search.used + i`` of the run. The number identifies the query, since the same
search always asks the same rows: a desk can refuse to score it twice, and a provider that crashed can ask for the
stored answer. ``tell`` takes the scores of the whole open batch, refuses NaN, and counts each row once; ``used`` never
exceeds ``queries``, and the last batch is cut to the queries that are left.

``search_to_arrays(search)`` gives (settings, arrays): JSON-ready data and named arrays, everything that the search is.
``search_from_arrays`` reads them back. ``write_search`` and ``read_search`` keep both in one file. All four stand in
``tacit.situations.feedback.storage``.

A search spends no privacy budget: it gets nothing but scores. What scores reveal about the scored data, and the noise
against it, is the task of the service that answers the queries.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import field, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.records import record
from tacit.situations.feedback.goals import Goal, OneScore

S = TypeVar("S", bound="Search")


@record
class Search(ABC):
    """State that all searches have: the mean, the number of queries, the best query so far.

    Parameters
    ----------
    mean : array [p]
        The parameters to start from; later the current ones.
    queries : int
        The budget: the number of candidates that may be scored.
    sigma : float
        Standard deviation of the perturbation of each parameter.
    goal : Goal
        How scores are compared; by default one score, larger is better.
    random_state : int or None
        Seed of the perturbations; None draws one, which is then part of the search.
    used, turn, best_query, best_scores
        State of a search that has begun; left out of a new one.
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
        """Number of queries that are left."""
        return self.queries - self.used

    @property
    def done(self) -> bool:
        """Whether there is nothing left to ask."""
        return len(self.ask()) == 0

    @property
    def parameters(self) -> FloatArray:
        """The parameters to use: the mean, which depends on many scores and so overfits the scored rows less."""
        return self.mean

    @abstractmethod
    def ask(self) -> FloatArray:
        """Return the candidates of the open batch [k, p]; none when the budget is used up."""

    @abstractmethod
    def tell(self, scores: ArrayLike) -> Self:
        """Return the search after the scores of the open batch."""

    def _checked(self, scores: ArrayLike) -> FloatArray:
        """Return the scores as [k, m], one row a candidate of the open batch."""
        rows, expected = checks.finite_array("scores", scores), len(self.ask())
        rows = rows[:, None] if rows.ndim == 1 else rows
        if expected == 0:
            raise InputError(f"the budget of {self.queries} queries is used up: there is nothing left to tell.")
        if rows.shape != (expected, self.goal.n_scores):
            raise InputError(
                f"scores must have {expected} rows of {self.goal.n_scores}, one row a candidate of the open batch; "
                f"got shape {rows.shape}."
            )
        return rows

    def _after(self, scores: FloatArray, **changes: Any) -> Self:
        """Return the search with the batch counted and its best query stored."""
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
        shapes = [() if array is None else np.shape(array) for array in (self.best_query, self.best_scores)]
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

    ``after`` is called with the search after each batch, to store it or to show its progress.

    >>> from tacit.situations.feedback.performance import PerformanceSearch
    >>> search = PerformanceSearch(np.zeros(3), queries=400, sigma=0.1, random_state=0)
    >>> tuned = tune(search, lambda rows: -np.abs(rows - 0.5).sum(axis=1))
    >>> tuned.used, bool(np.abs(tuned.parameters - 0.5).max() < 0.1)
    (400, True)
    """
    while not search.done:
        search = search.tell(score(search.ask()))
        if after is not None:
            after(search)
    return search


def frozen(array: FloatArray) -> FloatArray:
    """Return a read-only array: a copy of a writable one, otherwise the array itself."""
    read_only = array.copy() if array.flags.writeable else array
    read_only.setflags(write=False)
    return read_only
