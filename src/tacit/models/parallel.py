"""Independent pieces of work through joblib, with one BLAS thread each."""

import os
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, TypeVar

from joblib import Parallel, delayed
from threadpoolctl import ThreadpoolController

TaskResult = TypeVar("TaskResult")


def run_parts(
    function: Callable[..., TaskResult], tasks: Iterable[tuple[Any, ...]], *, n_jobs: int | None
) -> list[TaskResult]:
    """Return ``function(*task)`` of each task, in order.

    Threads unless the caller's ``joblib.parallel_config`` says otherwise. Tasks are drawn as workers become free, so a
    generator that cuts parts out of a table never holds them all.
    """
    home = os.getpid()
    with _libraries().limit(limits=1, user_api="blas"):
        return list(Parallel(n_jobs=n_jobs, prefer="threads")(delayed(_run)(function, home, task) for task in tasks))


def _run(function: Callable[..., TaskResult], home: int, task: tuple[Any, ...]) -> TaskResult:
    if os.getpid() == home:
        return function(*task)
    # The caller's limit does not reach another process.
    with _libraries().limit(limits=1, user_api="blas"):
        return function(*task)


@cache
def _libraries() -> ThreadpoolController:
    """Return the loaded libraries, found once: to look for them takes longer than to learn from a small table."""
    return ThreadpoolController()
