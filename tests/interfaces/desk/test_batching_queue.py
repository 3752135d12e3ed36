"""The queue in front of a desk: it answers together, turns away when it must, and loses nothing."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tacit.errors import LedgerError
from tacit.interfaces.desk.batching_queue import BatchingQueue, BusyError
from tacit.situations.feedback.desk.desk import DeskOutcome, ScoreQuery
from tacit.situations.feedback.desk.log import Entry


class SlowDesk:
    """Answers when it is let, and remembers how many it was asked at once."""

    def __init__(self) -> None:
        self.let, self.batches, self.broken = threading.Event(), list[int](), False

    def answer(self, queries: Sequence[ScoreQuery]) -> list[DeskOutcome]:
        self.let.wait(10)
        self.batches.append(len(queries))
        if self.broken:
            raise LedgerError("the disk is full")
        return [Entry(i, query.provider, query.name, query.body, 0.5, "") for i, query in enumerate(queries)]

    def close(self) -> None:
        """Nothing is open."""


def query(number: int) -> ScoreQuery:
    return ScoreQuery("ann", f"q{number}", "", np.zeros(1))


def queue_of(desk: SlowDesk, **settings: Any) -> BatchingQueue:
    return BatchingQueue(desk, **settings)  # type: ignore[arg-type]  # a desk in all that the queue uses


def test_those_who_wait_are_answered_together_and_in_order() -> None:
    async def run() -> list[DeskOutcome]:
        desk = SlowDesk()
        waiting = queue_of(desk)
        asked = [asyncio.create_task(waiting.ask(query(i))) for i in range(100)]
        await asyncio.sleep(0.05)
        desk.let.set()
        found = await asyncio.gather(*asked)
        await waiting.close()
        assert sum(desk.batches) == 100
        assert len(desk.batches) <= 3
        return found

    found = asyncio.run(run())
    assert [each.query for each in found if isinstance(each, Entry)] == [f"q{i}" for i in range(100)]


def test_an_answer_that_takes_too_long_is_told_to_come_back_and_is_still_made() -> None:
    async def run() -> None:
        desk = SlowDesk()
        waiting = queue_of(desk, patience=0.05)
        with pytest.raises(BusyError):
            await waiting.ask(query(1))
        desk.let.set()
        assert isinstance(await waiting.ask(query(2)), Entry)
        await waiting.close()
        assert sum(desk.batches) == 2

    asyncio.run(run())


def test_a_queue_that_is_full_takes_no_more() -> None:
    async def run() -> None:
        desk = SlowDesk()
        waiting = queue_of(desk, most_waiting=3)
        first = [asyncio.create_task(waiting.ask(query(i))) for i in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await waiting.ask(query(9))
        desk.let.set()
        assert len(await asyncio.gather(*first)) == 3
        await waiting.close()

    asyncio.run(run())


def test_a_desk_that_fails_tells_all_who_wait_and_goes_on() -> None:
    async def run() -> None:
        desk = SlowDesk()
        desk.broken = True
        desk.let.set()
        waiting = queue_of(desk)
        failed = await asyncio.gather(*(waiting.ask(query(i)) for i in range(3)), return_exceptions=True)
        assert all(isinstance(each, LedgerError) for each in failed)
        desk.broken = False
        assert isinstance(await waiting.ask(query(1)), Entry)
        await waiting.close()

    asyncio.run(run())
