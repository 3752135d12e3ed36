"""The worker holds the making of a release at every query, and ends when it is told to."""

import threading
from typing import cast

import numpy as np
import pytest

from tacit.privacy.joint_account import Exchange
from tacit.privacy.mechanisms.joint import JointGaussian
from tacit.releases.file import Release
from tacit.situations.joint.release_worker import Query, ReleaseWorker, query_digest

MECHANISM = JointGaussian(4.0, 1.0, parties=3, honest=2, rows=10)


def doubling(exchange: Exchange) -> Release:
    """Ask twice, the second time for twice the first total."""
    first = exchange(MECHANISM, np.array([1]))
    second = exchange(MECHANISM, 2 * first)
    return cast("Release", ("made of", int(second[0])))


def test_each_query_waits_for_its_total() -> None:
    worker = ReleaseWorker(doubling)
    first = worker.current()
    assert isinstance(first, Query)
    assert first.cells.tolist() == [1]
    assert worker.current() is first
    worker.answer(np.array([5]))
    second = worker.current()
    assert isinstance(second, Query)
    assert second.cells.tolist() == [10]
    worker.answer(np.array([11]))
    assert worker.current() == ("made of", 11)
    assert worker.answered == 2
    with pytest.raises(RuntimeError, match="no query"):
        worker.answer(np.array([1]))
    worker.close()


def test_an_error_is_raised_where_the_query_is_asked_for() -> None:
    def failing(_: Exchange) -> Release:
        raise ValueError("no rows")

    worker = ReleaseWorker(failing)
    with pytest.raises(ValueError, match="no rows"):
        worker.current()


def test_closing_ends_the_thread_wherever_it_waits() -> None:
    before = threading.active_count()
    worker = ReleaseWorker(doubling)
    worker.current()
    assert threading.active_count() == before + 1
    worker.close()
    assert threading.active_count() == before
    ReleaseWorker(doubling).close()  # never started


def test_queries_are_told_apart_by_mechanism_and_shape() -> None:
    other = JointGaussian(4.0, 1.0, parties=3, honest=1, rows=10)
    digests = {query_digest(MECHANISM, (2,)), query_digest(MECHANISM, (3,)), query_digest(other, (2,))}
    assert len(digests) == 3
    assert Query(MECHANISM, np.zeros(2, np.int64)).digest == query_digest(MECHANISM, (2,))
