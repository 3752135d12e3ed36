"""Who works on the parts of a table: this process, processes beside it, or a Dask cluster.

A worker reads a part and returns sums of it. The ledger and the noise stay with the process that asked.
"""

import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Any

from tacit import checks
from tacit.data.reading.table_source import TablePart
from tacit.data.rows.held import RETRIES, HoldingProcesses, HoldParts, hold_here, hold_on_cluster
from tacit.data.rows.processes import POLARS_THREADS, map_shared, next_process, restore_threads
from tacit.data.rows.stream import MapParts, one_by_one
from tacit.errors import InputError
from tacit.records import record

# Parts for each worker, so that none waits long for the last one. Of a cluster fewer: what each answers travels.
PARTS_EACH = 8
CLUSTER_PARTS_EACH = 4


@record
class Workers:
    """How parts are worked on, and into how many parts a table is cut for it."""

    map_parts: MapParts[Any] = one_by_one
    pieces: int = 1
    hold_parts: HoldParts = hold_here


ALONE = Workers()


@contextmanager
def open_workers(count: int | None = None, dask: str | None = None) -> Iterator[Workers]:
    """Give the workers: ``count`` of this machine, or those of the Dask scheduler at the address ``dask``."""
    if count is not None and dask is not None:
        raise InputError("workers and dask must not be given together: a cluster has its own number of workers.")
    if dask is not None:
        with _dask_workers(dask) as workers:
            yield workers
    elif count is not None and checks.whole("workers", count) > 1:
        with _local_workers(count) as workers:
            yield workers
    else:
        yield ALONE


@contextmanager
def _local_workers(count: int) -> Iterator[Workers]:
    """Give processes: for one pass over the parts one fewer than ``count``, since this process works too.

    What is held and asked again and again is held by ``count`` of them, the same ones and one more.
    """
    before = os.environ.get(POLARS_THREADS)
    # One thread each, set before a process loads the library: so many processes would otherwise fight for the cores.
    os.environ[POLARS_THREADS] = "1"
    try:
        # All start when they are first asked, or have been started early.
        holding = HoldingProcesses(next_process, count)
        with closing(holding):
            yield Workers(partial(_shared, holding), PARTS_EACH * count, holding.hold)
    finally:
        restore_threads(before)


def _shared(
    holding: HoldingProcesses, function: Callable[[TablePart], Any], parts: Sequence[TablePart]
) -> Iterable[Any]:
    return map_shared(function, parts, holding.processes[:-1])


@contextmanager
def _dask_workers(address: str) -> Iterator[Workers]:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise InputError("dask needs the package 'distributed': pip install 'tacit-knowledge[scale]'.") from None
    try:
        client = distributed.Client(address, timeout="10s")
    except (OSError, ValueError) as problem:
        raise InputError(
            f"dask must be the address of a scheduler, such as tcp://10.0.0.5:8786; got {address!r}."
        ) from (problem)
    with client:

        def map_parts(function: Callable[[TablePart], Any], parts: Sequence[TablePart]) -> Iterable[Any]:
            # Not pure: the same files may have changed since a task of the same name ran.
            futures = client.map(function, parts, pure=False, retries=RETRIES)
            return (future.result() for future in futures)

        cores = sum(client.nthreads().values())
        yield Workers(map_parts, CLUSTER_PARTS_EACH * max(cores, 1), partial(hold_on_cluster, client))
