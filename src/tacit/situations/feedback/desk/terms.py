"""The terms of a desk: architecture, metric, rounding, number of queries and budget; fixed when it opens."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.errors import InputError
from tacit.privacy.account import Step
from tacit.privacy.budget import Budget, Relation, Unit
from tacit.privacy.mechanisms import Gaussian, Laplace
from tacit.releases.kind import require_rows_per_person
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.scoring import MEASURES, sensitivity

# More digits than a double of a share of rows tells apart.
MOST_DECIMALS = 15
MOST_QUERIES = 10_000_000


@dataclass(frozen=True)
class DeskTerms:
    """What a desk scores, on which rows, at which budget; a restart must have the same terms.

    Protects the records by noise if ``epsilon`` is given, and by nothing but rounding and the number of queries
    otherwise. The number of labelled records is public in either case.

    Parameters
    ----------
    architecture : Architecture
        Layers and sizes of the candidates.
    metric : str
        A name in ``scoring.MEASURES``.
    decimals : int
        Digits after the point of an answer.
    queries : int
        Number of answers to all providers together.
    n_rows : int
        Labelled records that are scored on.
    rows : str
        Digest of these records, so that a restart on others is refused; it stays with the owner.
    epsilon, delta : float or None, float
        Budget of all answers together for one record, or one person; None: no guarantee.
    rows_per_person : int or None
        K: epsilon protects a person, of whom at most K of the records are. None: it protects one record.
    """

    architecture: Architecture
    metric: str
    decimals: int
    queries: int
    n_rows: int
    rows: str = ""
    epsilon: float | None = None
    delta: float = 0.0
    rows_per_person: int | None = None

    def __post_init__(self) -> None:
        checks.one_of("metric", self.metric, list(MEASURES))
        checks.whole("n_rows", self.n_rows)
        _within("decimals", self.decimals, 0, MOST_DECIMALS)
        _within("queries", self.queries, 1, MOST_QUERIES)
        require_rows_per_person(self.unit, self.rows_per_person)
        if self.epsilon is not None:
            sensitivity(self.metric, self.n_rows)
            object.__setattr__(self, "epsilon", self.budget.epsilon)

    @property
    def unit(self) -> Unit:
        """What epsilon protects."""
        return Unit.RECORD if self.rows_per_person is None else Unit.PERSON

    @property
    def budget(self) -> Budget:
        """The budget of all answers together."""
        if self.epsilon is None:
            raise InputError("a desk without epsilon promises nothing, so it has no budget.")
        return Budget(self.epsilon, self.delta, unit=self.unit, relation=Relation.REPLACE)

    @cached_property
    def mechanism(self) -> Laplace | Gaussian | None:
        """The noise of one answer: Gaussian if there is a delta, else Laplace; None without epsilon.

        A score moves by at most D when one record is replaced, and by K D when all K of a person are, one after the
        other, so each answer is a query of that sensitivity, and ``queries`` of them compose to the budget.
        """
        if self.epsilon is None:
            return None
        bound = sensitivity(self.metric, self.n_rows) * (self.rows_per_person or 1)
        if self.delta == 0:
            return Laplace.for_epsilon(self.epsilon / self.queries, sensitivity=bound)
        return Gaussian.for_budget(self.epsilon, self.delta, sensitivity=bound, times=self.queries)

    @cached_property
    def step(self) -> Step | None:
        """The plan of a whole run, None without epsilon."""
        mechanism = self.mechanism
        if mechanism is None:
            return None
        because = MEASURES[self.metric].because.format(n=self.n_rows) + self._together()
        what = f"{self.metric} of candidate models"
        return Step(mechanism, what, because, times=self.queries, relation=Relation.REPLACE)

    def _together(self) -> str:
        rows = self.rows_per_person
        return "" if rows is None else f"; at most {rows} of them are one person's, which move it {rows} times as far"

    @property
    def noise(self) -> float:
        """Standard deviation of the noise of one answer."""
        match self.mechanism:
            case Gaussian() as gaussian:
                return gaussian.sigma
            case Laplace() as laplace:
                return math.sqrt(2) * laplace.scale
        return 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        settings = {field.name: getattr(self, field.name) for field in fields(self)}
        if self.rows_per_person is None:
            del settings["rows_per_person"]  # as terms were before there were persons
        return {**settings, "architecture": self.architecture.to_dict()}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Return the terms that ``to_dict`` wrote."""
        try:
            architecture = Architecture.from_dict(content["architecture"])
            return cls(**{**content, "architecture": architecture})
        except (TypeError, KeyError) as problem:
            raise InputError(
                "the terms of the desk lack a setting, or have one that they should not have."
            ) from problem

    def public(self) -> dict[str, Any]:
        """Return the terms as a provider gets them: without the digest of the rows, with the noise of an answer."""
        content = self.to_dict()
        del content["rows"]
        return {**content, "noise": self.noise}


def rows_digest(X: NDArray[Any], y: NDArray[Any]) -> str:
    """Return a digest of encoded rows and their classes."""
    content = hashlib.sha256(repr((X.shape, y.shape)).encode())
    content.update(np.ascontiguousarray(X, dtype="<f8").data)
    content.update(np.ascontiguousarray(y, dtype="<i8").data)
    return content.hexdigest()


def _within(name: str, value: int, least: int, most: int) -> None:
    if checks.whole(name, value, least=least) > most:
        raise InputError(f"{name} must be at most {most}; got {value}.")
