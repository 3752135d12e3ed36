"""Grey-box replay: run a fit, run it again on a neighbour with the same answers, and compare.

The first run records every query with its declared sensitivity and its noisy answer. The second, on neighbouring data,
gets the recorded answers back. A query that moved further than declared, a mechanism whose settings changed, or a
result that differs although every answer was the same is a leak, found without statistics.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from tacit.arrays import FloatArray
from tacit.errors import SensitivityError
from tacit.privacy.account import observed_by
from tacit.privacy.mechanisms import Mechanism
from tacit.records import record

# Relative room for the rounding of sums in floating point.
ROUNDING = 1e-9

Data = TypeVar("Data")
Results = Mapping[str, Any]


@record
class RecordedQuery:
    """A query of a fit, with the mechanism that answered it."""

    mechanism: Mechanism
    values: FloatArray
    answer: FloatArray


@dataclass(frozen=True)
class ReplayFinding:
    """One way in which a run contradicts what its mechanisms declare."""

    where: str
    problem: str

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


@record
class Replay:
    """The number of queries, the largest part of a declared sensitivity that was used, and the findings."""

    queries: int
    largest_share: float
    findings: tuple[ReplayFinding, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing contradicted the declarations."""
        return not self.findings

    def require(self) -> "Replay":
        """Return the replay itself if it passed; raise ``SensitivityError`` with the findings otherwise."""
        if self.findings:
            raise SensitivityError("; ".join(str(finding) for finding in self.findings))
        return self


def replay(run: Callable[[Data], Results], data: Data, neighbour: Data, *, rows: int = 1) -> Replay:
    """Return the findings when ``run`` gets ``neighbour`` instead of ``data`` but the same noisy answers.

    ``run`` fits and returns what would be handed out, by name: arrays or JSON-like values. ``rows`` is the number of
    rows of one person in which the two differ: a query may move so many times as far as its mechanism declares for one.
    """
    recorder = QueryRecorder()
    with observed_by(recorder.record):
        handed_out = run(data)
    checker = _Checker(recorder.queries, rows)
    with observed_by(checker.check):
        again = run(neighbour)
    findings = checker.findings + checker.unasked() + _differences(handed_out, again)
    return Replay(len(recorder.queries), checker.largest_share, tuple(findings))


class QueryRecorder:
    """Keeps every query and its answer; ``record`` is an observer for ``observed_by``."""

    def __init__(self) -> None:
        self.queries: list[RecordedQuery] = []

    def record(self, mechanism: Mechanism, values: FloatArray, draw: Callable[[], FloatArray]) -> FloatArray:
        """Answer the query as the mechanism does, and keep both."""
        answer = draw()
        self.queries.append(RecordedQuery(mechanism, values.copy(), answer.copy()))
        return answer


class _Checker:
    """Answers queries as recorded, and notes where they contradict what was declared."""

    def __init__(self, queries: list[RecordedQuery], rows: int) -> None:
        self._queries = queries
        self._rows = rows
        self._next = 0
        self.largest_share = 0.0
        self.findings: list[ReplayFinding] = []

    def check(self, mechanism: Mechanism, values: FloatArray, draw: Callable[[], FloatArray]) -> FloatArray:
        index, self._next = self._next, self._next + 1
        where = f"query {index + 1} ({mechanism.name})"
        if index >= len(self._queries):
            self.findings.append(
                ReplayFinding(where, "asked on the neighbour only: the number of queries depends on the data")
            )
            return draw()
        query = self._queries[index]
        if mechanism != query.mechanism:
            self.findings.append(
                ReplayFinding(where, "its settings depend on the data: sensitivity or noise is not public")
            )
        # A mechanism that hides how many rows it was given says so; the shape of its answer is the same for any number.
        hidden_axes = 1 if getattr(mechanism, "hides_row_count", False) else 0
        if values.shape[hidden_axes:] != query.values.shape[hidden_axes:]:
            self.findings.append(ReplayFinding(where, "its shape depends on the data"))
            return query.answer.copy()
        self._measure(where, query, values)
        return query.answer.copy()

    def unasked(self) -> list[ReplayFinding]:
        missing = len(self._queries) - self._next
        if missing <= 0:
            return []
        return [
            ReplayFinding(f"{missing} queries", "not asked on the neighbour: the number of queries depends on the data")
        ]

    def _measure(self, where: str, query: RecordedQuery, values: FloatArray) -> None:
        declared = self._rows * query.mechanism.sensitivity
        if np.isinf(declared):
            return  # the local model protects any change
        distance = query.mechanism.distance(query.values, values)
        self.largest_share = max(self.largest_share, distance / declared)
        if distance > declared * (1 + ROUNDING):
            self.findings.append(ReplayFinding(where, f"moved by {distance:.6g}, declared at most {declared:.6g}"))


def _differences(first: Results, second: Results) -> list[ReplayFinding]:
    findings = [
        ReplayFinding(f"result {name!r}", "handed out for one of the two inputs only")
        for name in first.keys() ^ second.keys()
    ]
    return findings + [
        ReplayFinding(f"result {name!r}", "differs although every noisy answer was the same: it leaks")
        for name in sorted(first.keys() & second.keys())
        if not np.array_equal(np.asarray(first[name]), np.asarray(second[name]))
    ]
