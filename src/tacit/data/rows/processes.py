"""Processes beside this one that work on parts of a table. Imports little, so that they can be started first of all.

A process of Python runs one thread of Python at a time, so that a second worker that is to double the speed is a second
process. It loads its libraries for half a second, which costs nothing by the clock if it is started while this one
loads its own.
"""

import gc
import importlib
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, TypeVar

Given = TypeVar("Given")
Returned = TypeVar("Returned")
# How many threads the library that decodes tables starts; read when it is loaded.
POLARS_THREADS = "POLARS_MAX_THREADS"
# Started and not handed out yet.
_STARTED: list[ProcessPoolExecutor] = []


def new_process() -> ProcessPoolExecutor:
    """Return a process that starts when it is first asked."""
    # Started afresh, not forked: threads of this process hold locks that a fork would copy.
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_leave_interrupts_alone)


def start_early(count: int, module: str) -> None:
    """Start ``count`` processes that load ``module``; `next_process` hands them out.

    One thread each of the library that reads tables, in this process too if it has not loaded it yet: so many
    processes would otherwise fight for the cores.
    """
    if count < 1:
        return
    before = os.environ.get(POLARS_THREADS)
    os.environ[POLARS_THREADS] = "1"
    for _ in range(count):
        process = new_process()
        process.submit(_load, module).add_done_callback(_ignored)
        _STARTED.append(process)
    if "polars" in sys.modules:
        restore_threads(before)


def restore_threads(before: str | None) -> None:
    """Set the number of threads of processes started from now on back to what it was ``before``."""
    if before is None:
        os.environ.pop(POLARS_THREADS, None)
    else:
        os.environ[POLARS_THREADS] = before


def next_process() -> ProcessPoolExecutor:
    """Return a process that was started early, else a new one."""
    return _STARTED.pop() if _STARTED else new_process()


def map_shared(
    function: Callable[[Given], Returned], parts: Sequence[Given], processes: Sequence[ProcessPoolExecutor]
) -> list[Returned]:
    """Return what ``function`` makes of each part, in order; each process takes a part when it is free, this one too.

    A part whose process is lost is worked on again by another, in the end by this one. The first error, by the order of
    the parts, is raised when all parts that were begun are done; no further part is begun then.
    """
    waiting = deque(enumerate(parts))
    answers: dict[int, Returned] = {}
    errors: dict[int, Exception] = {}

    def work(ask: Callable[[Given], Returned]) -> None:
        while not errors:
            try:
                place, part = waiting.popleft()
            except IndexError:
                return
            try:
                answers[place] = ask(part)
            except BrokenProcessPool:
                waiting.append((place, part))
                return
            except Exception as error:  # noqa: BLE001 - raised below, in the order of the parts
                errors[place] = error

    def ask_process(process: ProcessPoolExecutor) -> None:
        work(lambda part: process.submit(function, part).result())

    # One part is not worth a thread, nor the way of its rows to another process if it is a table in memory.
    helpers = processes if len(parts) > 1 else ()
    with ThreadPoolExecutor(max(len(helpers), 1)) as threads:
        futures = [threads.submit(ask_process, process) for process in helpers]
        try:
            work(function)
        except BaseException:  # an interrupt: leaving the block waits for the threads, which find nothing more to do
            waiting.clear()
            raise
        for future in futures:
            future.result()
    work(function)  # what a lost process left behind
    if errors:
        raise errors[min(errors)]
    return [answers[place] for place in range(len(parts))]


def _load(module: str) -> None:
    # Nothing of a module is garbage: it is looked through neither while it loads nor later.
    gc.disable()
    try:
        importlib.import_module(module)
    finally:
        gc.freeze()
        gc.enable()


def _leave_interrupts_alone() -> None:
    # Ctrl-C reaches every process of a terminal; the one that asked says what was done, and ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _ignored(future: Any) -> None:
    """Forget how loading ahead went: what is missing is loaded, or missed, when it is asked for."""
    future.cancelled() or future.exception()
