import os
from threading import get_ident
from typing import Any

import joblib
import pytest
from threadpoolctl import threadpool_info

from tacit.models.parallel import open_pool, run_parts


@pytest.mark.parametrize("backend", ["sequential", "threading", "loky"])
def test_each_part_has_one_blas_thread_wherever_it_runs(backend: str) -> None:
    with joblib.parallel_config(backend=backend, n_jobs=None if backend == "sequential" else 2):
        processes = run_parts(os.getpid, [()] * 6, n_jobs=None)
        pools = run_parts(threadpool_info, [()] * 6, n_jobs=None)
    assert (set(processes) == {os.getpid()}) is (backend != "loky")
    for found in pools:
        threads = [pool["num_threads"] for pool in found if pool["user_api"] == "blas"]
        assert threads
        assert set(threads) == {1}


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_results_come_in_order(n_jobs: int | None) -> None:
    assert run_parts(pow, ((2, power) for power in range(9)), n_jobs=n_jobs) == [2**power for power in range(9)]


def test_the_callers_blas_threads_are_given_back() -> None:
    before = threadpool_info()
    run_parts(pow, [(2, 3), (3, 2)], n_jobs=2)
    assert threadpool_info() == before


def test_tasks_are_drawn_as_they_are_needed() -> None:
    drawn: list[int] = []

    def tasks() -> Any:
        for place in range(50):
            drawn.append(place)
            yield (place,)

    ahead = run_parts(lambda place: len(drawn) - place, tasks(), n_jobs=2)
    assert max(ahead) < 20


def test_a_pool_works_with_the_same_threads_again_and_again() -> None:
    with open_pool(2) as run:
        threads = {ident for _ in range(5) for ident in run(get_ident, [()] * 8)}
        assert run(pow, ((2, power) for power in range(9))) == [2**power for power in range(9)]
    assert len(threads) <= 2
