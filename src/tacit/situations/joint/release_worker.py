"""The making of a release, held at every query until the total over all parties is known."""

import contextvars
import queue
import threading
from collections.abc import Callable

from tacit.files.hash_chain import canonical, digest
from tacit.privacy.joint_account import Exchange
from tacit.privacy.mechanisms.base import settings_of
from tacit.privacy.mechanisms.joint import GridCells, JointGaussian
from tacit.records import record
from tacit.releases.file import Release


@record
class Query:
    """What a party would add to a total: its noisy cells, and the mechanism whose share of noise they have."""

    mechanism: JointGaussian
    cells: GridCells

    @property
    def digest(self) -> str:
        """What all parties must have in common: see `query_digest`."""
        return query_digest(self.mechanism, self.cells.shape)


def query_digest(mechanism: JointGaussian, shape: tuple[int, ...]) -> str:
    """Return the SHA-256 of a query's mechanism and shape."""
    return digest(canonical({**settings_of(mechanism), "shape": list(shape)}))


class _EndedError(BaseException):
    """Ends the worker's thread at its next query; no handler of ordinary errors takes it for one."""


class ReleaseWorker:
    """Runs ``make(exchange)`` in a thread of its own, one query at a time.

    Parameters
    ----------
    make : callable
        Takes an exchange and returns the release.
    """

    def __init__(self, make: Callable[[Exchange], Release]) -> None:
        self._totals: queue.Queue[GridCells | None] = queue.Queue()
        self._results: queue.Queue[Query | Release | BaseException] = queue.Queue()
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._run, make), daemon=True)
        self._result: Query | Release | None = None
        self.answered = 0

    def current(self) -> Query | Release:
        """Return the query that waits for its total, or the release if none is left."""
        if self._result is None:
            if not self._thread.ident:
                self._thread.start()
            result = self._results.get()
            if isinstance(result, BaseException):
                raise result
            self._result = result
        return self._result

    def answer(self, total: GridCells) -> None:
        """Give the total of the current query."""
        if not isinstance(self.current(), Query):
            raise RuntimeError("the release is made: no query waits for a total.")
        self._result = None
        self.answered += 1
        self._totals.put(total)

    def close(self) -> None:
        """End the thread, whatever it waits for."""
        self._totals.put(None)
        if self._thread.ident:
            self._thread.join()

    def _run(self, make: Callable[[Exchange], Release]) -> None:
        try:
            self._results.put(make(self._exchange))
        except _EndedError:
            return
        except BaseException as problem:  # noqa: BLE001 - raised again where the result is asked for
            self._results.put(problem)

    def _exchange(self, mechanism: JointGaussian, cells: GridCells) -> GridCells:
        self._results.put(Query(mechanism, cells))
        total = self._totals.get()
        if total is None:
            raise _EndedError
        return total
