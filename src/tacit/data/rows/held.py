"""What is made of the parts of a table and kept where it was made, to be asked again and again: only answers travel."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import count as count_from
from typing import Any, Protocol, TypeVar

from tacit.data.reading.table_source import TablePart
from tacit.errors import InputError
from tacit.records import record

Answer = TypeVar("Answer")
# How often a part is made again whose worker was lost.
RETRIES = 3


class HeldParts(Protocol):
    """Something made of each part of a table."""

    def map(self, function: Callable[[Any], Answer]) -> Iterable[Answer]:
        """Return what ``function`` says of each part, worked out where the part is held."""
        ...

    def then(self, function: Callable[[Any], Any]) -> "HeldParts":
        """Hold what ``function`` makes of each part as well."""
        ...


HoldParts = Callable[[Callable[[TablePart], Any], Sequence[TablePart]], HeldParts]


@record
class LocalParts:
    """Parts held in this process."""

    results: Sequence[Any]

    def map(self, function: Callable[[Any], Answer]) -> Iterable[Answer]:
        """Return what ``function`` says of each part, one after the other."""
        return map(function, self.results)

    def then(self, function: Callable[[Any], Any]) -> "LocalParts":
        """Hold what ``function`` makes of each part."""
        return LocalParts([function(part) for part in self.results])


def hold_here(function: Callable[[TablePart], Any], parts: Sequence[TablePart]) -> LocalParts:
    """Hold what ``function`` makes of each part in this process."""
    return LocalParts([function(part) for part in parts])


# How a held thing is made: a part of the table, and what is made of it, step by step.
PartSteps = tuple[TablePart, tuple[Callable[[Any], Any], ...]]
# Names what was made by a number for each step.
StepKey = tuple[int, ...]


@record
class ProcessParts:
    """Parts held by processes, each by one of them: part k by process k modulo their number."""

    processes: "HoldingProcesses"
    key: StepKey
    recipes: tuple[PartSteps, ...]

    def map(self, function: Callable[[Any], Answer]) -> Iterator[Answer]:
        """Return what ``function`` says of each part, in the order of the processes."""
        return self.processes.ask(self.key, self.recipes, function)

    def then(self, function: Callable[[Any], Any]) -> "ProcessParts":
        """Hold what ``function`` makes of each part; it is made when it is first asked for."""
        recipes = tuple((part, (*steps, function)) for part, steps in self.recipes)
        return ProcessParts(self.processes, (*self.key, self.processes.next_number()), recipes)


class HoldingProcesses:
    """Processes of which each answers about its own parts. One that dies is replaced, and makes its parts again."""

    def __init__(self, start: Callable[[], ProcessPoolExecutor], count: int) -> None:
        self._start = start
        self._pools = [start() for _ in range(count)]
        self._numbers = count_from(1)

    @property
    def processes(self) -> Sequence[ProcessPoolExecutor]:
        """The processes, of which each may be lost and replaced."""
        return tuple(self._pools)

    def next_number(self) -> int:
        """Return a number that no step has yet."""
        return next(self._numbers)

    def hold(self, function: Callable[[TablePart], Any], parts: Sequence[TablePart]) -> ProcessParts:
        """Hold what ``function`` makes of each part."""
        return ProcessParts(self, (self.next_number(),), tuple((part, (function,)) for part in parts))

    def ask(self, key: StepKey, recipes: Sequence[PartSteps], function: Callable[[Any], Answer]) -> Iterator[Answer]:
        """Yield what ``function`` says of what each recipe makes, all processes at work at once.

        They are told how to make what they are asked about only if they lack it: at first, and after one was lost.
        """
        n = len(self._pools)
        answers: dict[int, list[Any] | None] = dict.fromkeys(range(min(n, len(recipes))))
        for attempt in range(RETRIES + 2):
            lacking = [process for process, held in answers.items() if held is None]
            tasks = {process: recipes[process::n] if attempt else None for process in lacking}
            futures = {process: self._submit(process, function, key, task) for process, task in tasks.items()}
            answers |= {process: self._result(process, future) for process, future in futures.items()}
        for held in answers.values():
            if held is None:
                raise InputError("workers were lost again and again, perhaps for want of memory: give fewer of them.")
            yield from held

    def close(self) -> None:
        """End the processes; what they hold goes with them."""
        for pool in self._pools:
            pool.shutdown(wait=False, cancel_futures=True)

    def _submit(self, process: int, *arguments: Any) -> "Future[list[Any] | None] | None":
        try:
            return self._pools[process].submit(_answers, *arguments)
        except BrokenProcessPool:
            return None

    def _result(self, process: int, future: "Future[list[Any] | None] | None") -> list[Any] | None:
        try:
            if future is not None:
                return future.result()
        except BrokenProcessPool:
            pass
        self._pools[process] = self._start()
        return None


# In a holding process: what is made of its parts.
_HELD: dict[StepKey, list[Any]] = {}


def _answers(function: Callable[[Any], Any], key: StepKey, recipes: Sequence[PartSteps] | None) -> list[Any] | None:
    """Return what ``function`` says of each part that this process holds; None if it has not made them yet."""
    if key not in _HELD:
        if recipes is None:
            return None
        _HELD[key] = _made(recipes, key)
    return [function(held) for held in _HELD[key]]


def _made(recipes: Sequence[PartSteps], key: StepKey) -> list[Any]:
    """Return what all steps make of each part, from the most of them that is there."""
    known = next((length for length in range(len(key) - 1, 0, -1) if key[:length] in _HELD), 0)
    results = _HELD[key[:known]] if known else [part for part, _ in recipes]
    for step in range(known, len(key)):
        results = [steps[step](result) for result, (_, steps) in zip(results, recipes, strict=True)]
    return results


@record
class ClusterParts:
    """Parts held by the workers of a Dask cluster, which makes those of a lost worker again."""

    client: Any
    futures: Sequence[Any]

    def map(self, function: Callable[[Any], Answer]) -> Iterator[Answer]:
        """Return what ``function`` says of each part."""
        return (future.result() for future in self._submitted(function))

    def then(self, function: Callable[[Any], Any]) -> "ClusterParts":
        """Hold what ``function`` makes of each part."""
        return ClusterParts(self.client, self._submitted(function))

    def _submitted(self, function: Callable[[Any], Any]) -> Sequence[Any]:
        # Not pure: the same files may have changed since a task of the same name ran.
        return list(self.client.map(function, self.futures, pure=False, retries=RETRIES))


def hold_on_cluster(client: Any, function: Callable[[TablePart], Any], parts: Sequence[TablePart]) -> ClusterParts:
    """Hold what ``function`` makes of each part where the cluster puts it."""
    return ClusterParts(client, client.map(function, parts, pure=False, retries=RETRIES))
