"""Independent pieces of work through joblib, with one BLAS thread each."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

from joblib import Parallel, delayed
from threadpoolctl import ThreadpoolController

TaskResult = TypeVar("TaskResult")
RunTasks = Callable[[Callable[..., Any], Iterable[tuple[Any, ...]]], list[Any]]


def run_parts(
    function: Callable[..., TaskResult], tasks: Iterable[tuple[Any, ...]], *, n_jobs: int | None
) -> list[TaskResult]:
    """Return ``function(*task)`` of each task, in order.

    Threads unless the caller's ``joblib.parallel_config`` says otherwise. Tasks are drawn as workers become free, so a
    generator that cuts parts out of a table never holds them all.
    """
    with open_pool(n_jobs) as run:
        return run(function, tasks)


def one_blas_thread() -> Any:
    """Return a context in which products of matrices are computed by one thread.

    Several wait for each other longer than one computes where matrices are small: five times as long in an adoption.
    """
    return _libraries().limit(limits=1, user_api="blas")


@contextmanager
def open_pool(n_jobs: int | None) -> Iterator[RunTasks]:
    """Give what `run_parts` does, again and again with the same workers: each new thread costs memory of its own."""
    home = os.getpid()
    with one_blas_thread(), Parallel(n_jobs=n_jobs, prefer="threads") as pool:
        yield lambda function, tasks: list(pool(delayed(_run)(function, home, task) for task in tasks))


def _run(function: Callable[..., TaskResult], home: int, task: tuple[Any, ...]) -> TaskResult:
    if os.getpid() == home:
        return function(*task)
    # The caller's limit does not reach another process.
    with one_blas_thread():
        return function(*task)


@cache
def _libraries() -> ThreadpoolController:
    """Return the loaded libraries, found once: to look for them takes longer than to learn from a small table."""
    return ThreadpoolController()
