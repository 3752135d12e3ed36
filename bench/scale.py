"""Releases, fabrication and prediction of large tables beside a plain scan of the same file: CPU seconds and memory.

Run: python bench/scale.py [rows ...]        by default 100000 1000000; 10000000 takes minutes and 1 GB of disk.
     python bench/scale.py --record 10000000 the scan, and releases per record by one and by two workers, nothing else
     python bench/scale.py --adopt           adopting with 100 labels and 10^4, 10^5 and 10^6 unlabelled rows
     python bench/scale.py --travel 1000000  bytes between the asking process and two workers of an additive release
     ... --folder F                          tables are made in F and stay there, so that they are made once

Commands that are compared run in turns, so that a machine that grows slower slows them alike. Each figure is of the
shortest run that other work on the machine hardly disturbed; what that took is printed beside.
"""

import hashlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from dataclasses import dataclass
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl

from tacit import release
from tacit.data.rows.held import HoldingProcesses

N_NUMBERS, N_CATEGORIES, N_LEVELS = 15, 15, 6  # 105 encoded columns
N_LABELS = 100
SCAN = """
import polars as pl
numbers = [(pl.col(f"n{{j}}").cast(pl.Float64).clip(0, 100) * 41943.04).cast(pl.Int64).sum() for j in range({numbers})]
cells = [(j, k) for j in range({categories}) for k in range({levels})]
ones = [(pl.col(f"c{{j}}") == f"c{{j}}_{{k}}").sum().alias(f"{{j}}_{{k}}") for j, k in cells]
pl.scan_parquet({path!r}).group_by("label").agg(pl.len(), *numbers, *ones).collect(engine="streaming")
"""


def write_table(path: Path, n_rows: int, rng: np.random.Generator) -> None:
    """Write a mixed table of so many rows, ten parts of at most a million rows repeated."""
    size = min(n_rows, 1_000_000)
    columns = {f"n{j}": rng.integers(0, 100, size) if j % 2 else rng.random(size) * 100 for j in range(N_NUMBERS)}
    table = pl.DataFrame(columns)
    for j in range(N_CATEGORIES):
        texts = pl.Series([f"c{j}_{k}" for k in range(N_LEVELS)])
        table = table.with_columns(texts.gather(rng.integers(0, N_LEVELS, size)).alias(f"c{j}"))
    labels = pl.Series(["no", "yes"]).gather(rng.integers(0, 2, size)).alias("label")
    pl.concat([table.with_columns(labels)] * (n_rows // size)).write_parquet(path)


def written(folder: Path, n_rows: int) -> tuple[Path, Path]:
    """Return the table of so many rows and its schema, made unless they are there."""
    table, schema = folder / f"{n_rows}.parquet", folder / "schema.toml"
    if not table.exists():
        write_table(table, n_rows, np.random.default_rng(0))
    write_schema(schema)
    return table, schema


def write_schema(path: Path) -> None:
    """Write the schema of the table."""
    lines = ["version = 1", f'[columns."n{{0..{N_NUMBERS - 1}}}"]', 'kind = "numeric"', "bounds = [0, 100]"]
    for j in range(N_CATEGORIES):
        names = ", ".join(f'"c{j}_{k}"' for k in range(N_LEVELS))
        lines += [f"[columns.c{j}]", 'kind = "categorical"', f"categories = [{names}]"]
    path.write_text("\n".join([*lines, "[columns.label]", 'kind = "label"', 'classes = ["no", "yes"]', ""]))


@dataclass(frozen=True)
class Cost:
    """What a command took: CPU seconds, seconds by the clock, peak megabytes of a process, CPU seconds of others."""

    cpu: float
    clock: float
    memory: float
    others: float

    def __str__(self) -> str:
        busy = f" (others {self.others / self.clock:.0%} of a core)"
        return f"{self.cpu:6.2f} CPU-s {self.clock:6.1f} s {self.memory:5.0f} MB{busy}"


def least(arguments: list[str], repeats: int = 1) -> Cost:
    """Return the shortest by the clock of so many runs of a command that others hardly disturbed, if there is one."""
    return shortest([measured(arguments) for _ in range(repeats)])


def shortest(runs: list[Cost]) -> Cost:
    """Return the shortest by the clock of the runs that others hardly disturbed; without one, the least disturbed."""
    calm = [run for run in runs if run.others < CALM * run.clock] or [min(runs, key=lambda run: run.others / run.clock)]
    return min(calm, key=lambda run: run.clock)


def measured(arguments: list[str]) -> Cost:
    """Return what a process and those that it starts took."""
    start, before, busy = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN), busy_seconds()
    watch = [sys.executable, "-c", WATCH, *arguments]
    done = subprocess.run(watch, capture_output=True, text=True, check=True, env=os.environ)
    after, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(cpu, clock, float(done.stdout.split()[-1]), max(busy_seconds() - busy - cpu, 0.0))


def busy_seconds() -> float:
    """Return the CPU seconds of all processes since the machine started, also those that its host took away."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    user, nice, system, _, _, irq, softirq, steal = map(int, fields)
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def two_cores(scan: str) -> float:
    """Return how much more two cores do than one: two copies of a scan at once, each on its core, against one."""

    def seconds(cores: tuple[int, ...]) -> float:
        start, environment = time.perf_counter(), {**os.environ, "POLARS_MAX_THREADS": "1"}
        held = [["taskset", "-c", str(core), sys.executable, "-c", scan] for core in cores]
        for process in [subprocess.Popen(arguments, env=environment) for arguments in held]:
            process.wait()
        return time.perf_counter() - start

    return 2 * min(seconds((0,)) for _ in range(3)) / min(seconds((0, 1)) for _ in range(3))


WATCH = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""
SCANNED, ALONE, ONE_CORE, TWO = "scan", "moments", "moments, one core", "moments, 2 workers"
COMMAND = [sys.executable, "-c", "from tacit.interfaces.cli.main import run; run()"]
# A run in which other processes take less than this part of a core counts as undisturbed.
CALM = 0.05


def compare(folder: Path, n_rows: int, *, record_only: bool = False) -> None:
    """Print what a scan and releases of a table of ``n_rows`` cost; ``record_only``: those per record alone."""
    table, schema = written(folder, n_rows)
    scan = SCAN.format(numbers=N_NUMBERS, categories=N_CATEGORIES, levels=N_LEVELS, path=str(table))
    rounds = 6 if record_only else 2
    settings = {
        ALONE: [],
        ONE_CORE: [],
        TWO: ["--workers", "2"],
        "moments per entry": ["--unit", "entry"],
    }
    if record_only:
        settings.pop("moments per entry")
    commands, outputs = {SCANNED: [sys.executable, "-c", scan]}, {}
    for name, options in settings.items():
        outputs[name] = folder / f"{name}.tacit"
        held = ["taskset", "-c", "0"] if name == ONE_CORE else []
        arguments = ["release", str(table), *seeded(schema), "--method", "moments", *options, "-o", str(outputs[name])]
        commands[name] = [*held, *COMMAND, *arguments]
    turns = [{name: measured(command) for name, command in commands.items()} for _ in range(rounds)]
    costs = {name: shortest([turn[name] for turn in turns]) for name in commands}
    base = costs[SCANNED]
    print(f"{n_rows:>10,} rows  polars scan and sums     {base}")
    for name in settings:
        cost = costs[name]
        print(f"{'':>10}       release {name:18s} {cost}, {cost.cpu / base.cpu:.2f} x the scan's CPU", flush=True)
    print_gain(turns, costs)
    same = outputs[ALONE].read_bytes() == outputs[TWO].read_bytes()
    print(f"{'':>10}       two cores do {two_cores(scan):.2f} x one; same file {same}")
    if not record_only:
        fabricate(folder, n_rows, base)


def print_gain(turns: list[dict[str, Cost]], costs: dict[str, Cost]) -> None:
    """Print how much faster two workers are.

    Without workers one thread sums, but the library decodes columns on every core: held to one core it is one worker.
    """
    for words, one in (("none", ALONE), ("one on one core", ONE_CORE)):
        by_turns = median(turn[one].clock / turn[TWO].clock for turn in turns)
        gain = f"{costs[one].clock / costs[TWO].clock:.2f} x as fast as {words} (median of turns {by_turns:.2f})"
        print(f"{'':>10}       two workers by the clock: {gain}")


def seeded(schema: Path) -> list[str]:
    """Return the options that all owners' commands have here."""
    return ["-s", str(schema), "--epsilon", "1", "--seed", "1", "--no-audit", "--force"]


def fabricate(folder: Path, n_rows: int, base: Cost) -> None:
    """Print what fabricated rows cost beside a scan."""
    table, schema = written(folder, n_rows)
    for method in ("marginals", "moments"):
        arguments = ["fabricate", str(table), *seeded(schema), "--method", method, "-o", str(folder / "f.csv")]
        cost = least([*COMMAND, *arguments])
        print(f"{'':>10}       fabricate {method:16s} {cost}, {cost.cpu / base.cpu:.2f} x the scan's CPU", flush=True)


def adopt(folder: Path) -> None:
    """Print what it costs to adopt a release with 100 labels and more and more rows, and to predict a million."""
    table, schema = written(folder, 1_000_000)
    release_file, model = folder / "r.tacit", folder / "model.tacit"
    least([*COMMAND, "release", str(table), *seeded(schema), "--method", "moments", "-o", str(release_file)])
    label = pl.when(pl.int_range(pl.len()) < N_LABELS).then("label").otherwise(None).alias("label")
    for n_rows in (10_000, 100_000, 1_000_000):
        ours = folder / "ours.parquet"
        pl.scan_parquet(table).head(n_rows).with_columns(label).sink_parquet(ours)
        arguments = ["adopt", str(release_file), str(ours), "-s", str(schema), "--force", "-o", str(model)]
        print(f"{n_rows:>10,} rows  adopt                    {least([*COMMAND, *arguments])}", flush=True)
    for workers in ("1", "2"):
        output = folder / f"p{workers}.csv"
        arguments = ["predict", str(model), str(table), "--workers", workers, "--force", "-o", str(output)]
        print(f"{'':>10}       predict, {workers} threads       {least([*COMMAND, *arguments], 2)}", flush=True)
    same = (folder / "p1.csv").read_bytes() == (folder / "p2.csv").read_bytes()
    print(f"{'':>10}       same predictions {same}")


def travel(folder: Path, n_rows: int) -> None:
    """Print how many bytes an additive release by two workers sends to them and gets back, beside the level codes."""
    (table, schema), sizes = written(folder, n_rows), {"to": 0, "from": 0, "largest": 0}
    peaks: list[float] = []
    submit, result = (vars(HoldingProcesses)[name] for name in ("_submit", "_result"))

    def submitted(processes: HoldingProcesses, process: int, *arguments: Any) -> Any:
        sizes["to"] += len(ForkingPickler.dumps(arguments))
        return submit(processes, process, *arguments)

    def answered(processes: HoldingProcesses, process: int, future: Any) -> Any:
        answer = result(processes, process, future)
        size = len(ForkingPickler.dumps(answer))
        sizes["from"], sizes["largest"] = sizes["from"] + size, max(sizes["largest"], size)
        return answer

    digests = set()
    with patch.multiple(HoldingProcesses, _submit=submitted, _result=answered):
        for workers in (2, None):
            made = release(table, schema, epsilon=1.0, method="additive", random_state=1, audit=False, workers=workers)
            content = b"".join(made.arrays[name].tobytes() for name in sorted(made.arrays))
            digests.add(hashlib.sha256(content).hexdigest())
            peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    sent, back = sizes["to"] / 1e6, sizes["from"] / 1e6
    print(f"{n_rows:>10,} rows  additive, 2 workers: {sent:.1f} MB to them, {back:.1f} MB back,")
    print(f"{'':>10}       at most {sizes['largest'] / 1e3:.0f} kB at once; level codes: {n_rows * 30 / 1e6:.0f} MB")
    print(f"{'':>10}       peak of the asking process {peaks[0]:.0f} MB, without workers {peaks[1]:.0f} MB")
    print(f"{'':>10}       same release {len(digests) == 1}")


def main() -> None:
    """Compare for each number of rows given."""
    parser = ArgumentParser()
    parser.add_argument("rows", nargs="*", type=int, default=[100_000, 1_000_000])
    parser.add_argument("--folder", type=Path)
    for part in ("record", "adopt", "travel"):
        parser.add_argument(f"--{part}", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.folder or Path(temporary)
        if chosen.adopt:
            adopt(folder)
            return
        for n_rows in chosen.rows:
            if chosen.travel:
                travel(folder, n_rows)
            else:
                compare(folder, n_rows, record_only=chosen.record)


if __name__ == "__main__":
    main()
