"""Parts of a table are summed by other processes and a real Dask cluster: the same bytes, one charge."""

import hashlib
import os
import pickle
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest

from tacit import Budget, Ledger, fabricate, release
from tacit.data.rows import processes
from tacit.data.rows import workers as module
from tacit.data.rows.encoding import encode
from tacit.data.rows.held import HoldingProcesses
from tacit.data.rows.processes import map_shared, next_process, start_early
from tacit.data.rows.workers import ALONE, Workers, open_workers
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, SchemaError
from tacit.models.parallel import run_parts
from tacit.public_names import load

SCHEMA = Schema((Numeric("age", (0, 100)), Categorical("ward", ("a", "b", "c")), Label("ill", ("no", "yes"))))


def frame(n: int = 4000) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    ward, ill = rng.integers(0, 3, n), rng.integers(0, 2, n)
    columns = {"age": rng.random(n) * 100, "ward": np.array(["a", "b", "c"])[ward], "ill": np.array(["no", "yes"])[ill]}
    return pl.DataFrame(columns)


def released(table: Any, **options: Any) -> str:
    made = release(table, SCHEMA, **{"epsilon": 1.0, "method": "moments", "random_state": 1, "audit": False, **options})
    return hashlib.sha256(b"".join(made.arrays[name].tobytes() for name in sorted(made.arrays))).hexdigest()


def fabricated(table: Any, **options: Any) -> str:
    settings = {"method": "moments", "random_state": 1, "audit": False, "rows": 100, **options}
    return hashlib.sha256(fabricate(table, SCHEMA, epsilon=1.0, **settings).X.tobytes()).hexdigest()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=4, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0
    ) as local:
        yield local


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    folder = tmp_path / "parts"
    folder.mkdir()
    for place, part in enumerate(frame().iter_slices(500)):
        part.write_parquet(folder / f"{place}.parquet")
    return folder


def test_workers_of_this_machine_give_the_same_bytes(tmp_path: Path) -> None:
    frame().write_parquet(tmp_path / "t.parquet")
    expected = released(frame())
    assert released(tmp_path / "t.parquet", workers=1) == expected
    assert released(tmp_path / "t.parquet", workers=2) == released(tmp_path / "t.parquet", workers=5) == expected
    assert released(tmp_path / "t.parquet", workers=2, method="additive") == released(frame(), method="additive")
    assert fabricated(tmp_path / "t.parquet", workers=2) == fabricated(frame())
    assert "POLARS_MAX_THREADS" not in os.environ


def test_this_process_works_too_and_others_hold() -> None:
    parts: Any = list(range(40))
    with open_workers(2) as workers:
        at_work = set(workers.map_parts(process_of, parts))
        assert os.getpid() in at_work
        assert len(at_work) == 2
        assert os.getpid() not in set(workers.hold_parts(process_of, parts).map(int))


def test_one_part_goes_to_no_other_process() -> None:
    parts: Any = [1]
    with open_workers(3) as workers:
        assert list(workers.map_parts(process_of, parts)) == [os.getpid()]


def process_of(_: Any) -> int:
    time.sleep(0.1)  # so that the other process has started before all parts are taken
    return os.getpid()


def test_a_cluster_of_one_gives_the_same_bytes(parts: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0
    ) as local:
        assert released(parts, dask=local.scheduler_address) == released(frame())


def test_a_cluster_of_four_gives_the_same_bytes(cluster: Any, parts: Path) -> None:
    assert released(parts, dask=cluster.scheduler_address) == released(frame())
    assert released(parts, dask=cluster.scheduler_address, method="marginals") == released(frame(), method="marginals")
    assert released(parts, dask=cluster.scheduler_address, method="additive") == released(frame(), method="additive")
    assert fabricated(parts, dask=cluster.scheduler_address) == fabricated(frame())


def kill_once(flag: Path, function: Any, part: Any) -> Any:
    try:
        flag.touch(exist_ok=False)
    except FileExistsError:
        return function(part)
    os.kill(os.getpid(), signal.SIGKILL)
    return None


def test_a_killed_worker_changes_no_byte_and_charges_once(
    cluster: Any, parts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    flag, opened = tmp_path / "killed", module._dask_workers

    def deadly(address: str) -> Any:
        return _Deadly(opened(address), flag)

    monkeypatch.setattr(module, "_dask_workers", deadly)
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(9, 1e-3, unit="record"), allow=["no-guarantee"])
    assert released(parts, dask=cluster.scheduler_address, ledger=ledger) == released(frame())
    assert flag.exists()
    assert len(ledger.lines()) == 1
    flag.unlink()
    curves = released(parts, dask=cluster.scheduler_address, ledger=ledger, method="additive")
    assert curves == released(frame(), method="additive")
    assert flag.exists()
    assert len(ledger.lines()) == 2


class DeadlyParts:
    """Held parts of which a worker is killed when the third pass asks it."""

    def __init__(self, inner: Any, flag: Path, n_passes: int = 0) -> None:
        self.inner, self.flag, self.n_passes = inner, flag, n_passes

    def map(self, function: Any) -> Any:
        self.n_passes += 1
        return self.inner.map(partial(kill_once, self.flag, function) if self.n_passes == 3 else function)

    def then(self, function: Any) -> Any:
        return DeadlyParts(self.inner.then(function), self.flag, self.n_passes)


class _Deadly:
    """Workers of which the first that gets a part is killed."""

    def __init__(self, inner: Any, flag: Path) -> None:
        self.inner, self.flag = inner, flag

    def __enter__(self) -> Workers:
        workers = self.inner.__enter__()

        def map_parts(function: Any, given: Any) -> Any:
            return workers.map_parts(partial(kill_once, self.flag, function), given)

        return Workers(map_parts, workers.pieces, lambda *given: DeadlyParts(workers.hold_parts(*given), self.flag))

    def __exit__(self, *problem: object) -> Any:
        return self.inner.__exit__(*problem)


def test_a_killed_process_makes_its_part_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flag, opened = tmp_path / "killed", module._local_workers
    frame().write_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr(module, "_local_workers", lambda count: _Deadly(opened(count), flag))
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(9, 1e-3, unit="record"), allow=["no-guarantee"])
    curves = released(tmp_path / "t.parquet", workers=2, method="additive", ledger=ledger)
    assert curves == released(frame(), method="additive")
    assert flag.exists()
    assert len(ledger.lines()) == 1


def kill_others(asking: int, flag: Path, part: Any) -> Any:
    if os.getpid() != asking:
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.1)
    return part


def test_a_part_of_a_killed_process_is_worked_on_by_this_one(tmp_path: Path) -> None:
    parts: Any = list(range(40))
    with open_workers(3) as workers:
        assert list(workers.map_parts(partial(kill_others, os.getpid(), tmp_path / "killed"), parts)) == parts
        assert (tmp_path / "killed").exists()
        # What was lost is missed by nobody: a further pass, and what is held, by new processes.
        assert list(workers.map_parts(str, parts)) == [str(part) for part in parts]
        assert sorted(workers.hold_parts(fail_never, parts).map(int)) == parts


def fail_never(part: Any) -> Any:
    return part


def fail_from_three(part: Any) -> Any:
    if part >= 3:
        raise InputError(f"part {part}")
    return part


def test_the_first_error_by_the_order_of_parts_is_raised_and_no_further_part_begun() -> None:
    parts: Any = list(range(40))
    with open_workers(2) as workers, pytest.raises(InputError, match=r"^part [34]$"):
        workers.map_parts(fail_from_three, parts)


def test_an_interrupt_begins_no_further_part() -> None:
    begun: list[int] = []

    def interrupted(part: int) -> None:
        begun.append(part)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        map_shared(interrupted, [1, 2, 3], [])
    assert begun == [1]


def test_processes_started_early_are_handed_out_first() -> None:
    with patch.dict(os.environ):
        os.environ.pop("POLARS_MAX_THREADS", None)
        start_early(1, "tacit.no_such_module")  # what cannot be loaded ahead is no error
        early = processes._STARTED[-1]
        with closing(HoldingProcesses(next_process, 2)) as holding:
            assert holding.processes[0] is early
            assert holding.processes[1] is not early
            assert not processes._STARTED
        # This process has loaded the library: its own settings stay as they were.
        assert "POLARS_MAX_THREADS" not in os.environ


def test_what_comes_from_workers_does_not_grow_with_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result, answers = HoldingProcesses._result, []

    def told(self: Any, *arguments: Any) -> Any:
        answer = result(self, *arguments)
        answers.append(len(pickle.dumps(answer)))
        return answer

    monkeypatch.setattr(HoldingProcesses, "_result", told)
    largest = []
    for n in (2000, 40_000):
        answers.clear()
        frame(n).write_parquet(tmp_path / f"{n}.parquet")
        released(tmp_path / f"{n}.parquet", workers=2, method="additive", epsilon=0.1)
        largest.append(max(answers))
    assert max(largest) < 1.5 * min(largest)
    assert max(largest) < 40_000  # bytes: less than one for each row


def test_processes_that_die_again_and_again_end_in_a_message(tmp_path: Path) -> None:
    holding, parts = HoldingProcesses(next_process, 2), cast("Any", [1, 2])
    with closing(holding), pytest.raises(InputError, match="lost again and again"):
        list(holding.hold(die, parts).map(str))


def die(_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_steps_are_made_from_what_is_there_and_parts_keep_apart() -> None:
    with open_workers(2) as workers:
        parts: Any = [10, 20, 30]
        number: Any = float
        held = workers.hold_parts(str, parts)
        assert sorted(held.map(len)) == [2, 2, 2]
        assert sorted(held.then(float).map(str)) == ["10.0", "20.0", "30.0"]
        assert sorted(held.then(len).then(float).map(str)) == ["2.0", "2.0", "2.0"]
        assert sorted(workers.hold_parts(number, parts).map(str)) == ["10.0", "20.0", "30.0"]
        assert sorted(held.map(str)) == ["10", "20", "30"]
    here = ALONE.hold_parts(str, parts)
    assert list(here.then(float).map(str)) == ["10.0", "20.0", "30.0"]


@pytest.mark.parametrize("where", ["processes", "cluster"])
def test_a_bad_cell_on_a_worker_names_its_file_and_row_and_charges_nothing(
    cluster: Any, parts: Path, tmp_path: Path, where: str
) -> None:
    wrong = frame(500).with_columns(pl.when(pl.int_range(500) == 321).then(pl.lit("z")).otherwise("ward").alias("ward"))
    wrong.write_parquet(parts / "5.parquet")
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(9, 1e-3, unit="record"))
    workers = {"workers": 2} if where == "processes" else {"dask": cluster.scheduler_address}
    with pytest.raises(SchemaError, match=r"^5\.parquet: column 'ward', row 322 .*outside the closed list"):
        released(parts, ledger=ledger, random_state=None, **workers)
    assert not ledger.lines()


@pytest.mark.parametrize("name", ["MembershipClassifier", "AffineHullClassifier"])
def test_kernel_models_fit_on_the_same_cluster(cluster: Any, name: str) -> None:
    joblib, distributed = pytest.importorskip("joblib"), pytest.importorskip("distributed")
    estimator: Any = load(name)
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 4)), np.arange(60) % 2
    alone = estimator(part_size=10, random_state=0).fit(X, y).predict(X)
    with distributed.Client(cluster.scheduler_address), joblib.parallel_config(backend="dask"):
        assert os.getpid() not in run_parts(os.getpid, [()] * 8, n_jobs=None)
        model = estimator(part_size=10, random_state=0).fit(X, y)
    assert np.array_equal(model.predict(X), alone)


def test_wrong_workers_are_refused() -> None:
    with pytest.raises(InputError, match="must not be given together"), open_workers(2, "tcp://x:1"):
        pass
    with pytest.raises(InputError, match="workers must be"), open_workers(0):
        pass
    with open_workers(1) as workers:
        assert workers is ALONE
    with pytest.raises(InputError, match="made of sums over rows"):
        released(encode(frame(), SCHEMA), workers=2)


def test_a_scheduler_that_does_not_answer_is_named() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match="address of a scheduler"):
        released(frame(), dask="nonsense://x")
