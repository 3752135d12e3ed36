"""The queue between requests and the desk: waiting queries are scored in batches by one thread."""

import asyncio
from collections import deque
from concurrent.futures import ThreadPoolExecutor

from tacit.situations.feedback.desk.desk import Desk, DeskOutcome, ScoreQuery

# One product of matrices and one write to the disk for as many as wait, up to this many.
LARGEST_BATCH = 64
MOST_WAITING = 512
# Seconds after which a request is told to come back; its answer is then stored under its id.
PATIENCE = 10.0


class BusyError(Exception):
    """The queue is full, or an answer takes too long: ask again later with the same id."""


class BatchingQueue:
    """A queue in front of a desk; all of its methods must be called in one event loop.

    Parameters
    ----------
    desk : Desk
        Answers the queries; used by one thread of the queue only.
    most_waiting : int
        Queries that may wait; a further one is refused with `BusyError`.
    patience : float
        Seconds that one query may wait for its answer.
    """

    def __init__(self, desk: Desk, *, most_waiting: int = MOST_WAITING, patience: float = PATIENCE) -> None:
        self.desk = desk
        self._most_waiting, self._patience = most_waiting, patience
        self._waiting: deque[tuple[ScoreQuery, asyncio.Future[DeskOutcome]]] = deque()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="desk")
        self._work: asyncio.Task[None] | None = None

    async def ask(self, query: ScoreQuery) -> DeskOutcome:
        """Return the outcome of ``query``.

        A request that gives up leaves its query in the queue: it may be under way, and then its answer is stored.
        """
        if len(self._waiting) >= self._most_waiting:
            raise BusyError
        outcome: asyncio.Future[DeskOutcome] = asyncio.get_running_loop().create_future()
        self._waiting.append((query, outcome))
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._answer_all())
        try:
            return await asyncio.wait_for(asyncio.shield(outcome), self._patience)
        except TimeoutError:
            # Nobody may come for it: an error that is never fetched would be reported as lost.
            outcome.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise BusyError from None

    async def close(self) -> None:
        """Answer what is under way, then close the desk."""
        if self._work is not None:
            await self._work
        self._thread.shutdown()
        self.desk.close()

    async def _answer_all(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), LARGEST_BATCH))]
            try:
                outcomes = await loop.run_in_executor(self._thread, self.desk.answer, [query for query, _ in batch])
            except Exception as problem:  # noqa: BLE001 - every waiting request must be told of any error
                for _, future in batch:
                    future.set_exception(problem)
                continue
            for (_, future), outcome in zip(batch, outcomes, strict=True):
                future.set_result(outcome)
