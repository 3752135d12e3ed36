"""Releases, fabrication and prediction of large tables beside a plain scan of the same file: CPU seconds and memory.

Run: python bench/scale.py [rows ...]        by default 100000 1000000; 10000000 takes minutes and 1 GB of disk.
     python bench/scale.py --record 10000000 the scan, and releases per record by one and by two workers, nothing else
     python bench/scale.py --travel 1000000  bytes between the asking process and two workers of an additive release

Each figure is the least of a few runs: other work on the machine only adds to it.
"""

import hashlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
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


def write_schema(path: Path) -> None:
    """Write the schema of the table."""
    lines = ["version = 1", f'[columns."n{{0..{N_NUMBERS - 1}}}"]', 'kind = "numeric"', "bounds = [0, 100]"]
    for j in range(N_CATEGORIES):
        names = ", ".join(f'"c{j}_{k}"' for k in range(N_LEVELS))
        lines += [f"[columns.c{j}]", 'kind = "categorical"', f"categories = [{names}]"]
    path.write_text("\n".join([*lines, "[columns.label]", 'kind = "label"', 'classes = ["no", "yes"]', ""]))


def least(arguments: list[str], repeats: int = 1) -> tuple[float, float, float]:
    """Return the least CPU seconds, wall seconds and peak megabytes of so many runs of a command."""
    cpu, clock, memory = zip(*(measured(arguments) for _ in range(repeats)), strict=True)
    return min(cpu), min(clock), min(memory)


def measured(arguments: list[str]) -> tuple[float, float, float]:
    """Return CPU seconds, wall seconds and peak megabytes of a process and those that it starts."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    watch = [sys.executable, "-c", WATCH, *arguments]
    done = subprocess.run(watch, capture_output=True, text=True, check=True, env=os.environ)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - start, float(done.stdout.split()[-1])


WATCH = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""
ONE_CORE = "moments, one core"
RELEASE = "from tacit.interfaces.cli.main import run; run()"


def compare(folder: Path, n_rows: int, *, record_only: bool = False) -> None:
    """Print what a scan and releases of a table of ``n_rows`` cost; ``record_only``: those per record alone."""
    table, schema = folder / "t.parquet", folder / "schema.toml"
    write_table(table, n_rows, np.random.default_rng(0))
    write_schema(schema)
    scan = SCAN.format(numbers=N_NUMBERS, categories=N_CATEGORIES, levels=N_LEVELS, path=str(table))
    repeats = 3 if record_only else 1
    base = least([sys.executable, "-c", scan], repeats)
    print(f"{n_rows:>10,} rows  polars scan and sums     {_words(base)}")
    command = [sys.executable, "-c", RELEASE, "release", str(table), "-s", str(schema), "--epsilon", "1"]
    settings = {
        "moments": ["--method", "moments"],
        ONE_CORE: ["--method", "moments"],
        "moments, 2 workers": ["--method", "moments", "--workers", "2"],
        "moments per entry": ["--method", "moments", "--unit", "entry"],
    }
    if record_only:
        settings.pop("moments per entry")
    digests, seconds = {}, {}
    for name, options in settings.items():
        output = folder / f"{name}.tacit"
        held = ["taskset", "-c", "0"] if name == ONE_CORE else []
        arguments = [*held, *command, *options, "--seed", "1", "--no-audit", "--force", "-o", str(output)]
        seen = least(arguments, repeats)
        seconds[name] = seen[1]
        digests[name] = hashlib.sha256(output.read_bytes()).hexdigest()
        print(f"{'':>10}       release {name:18s} {_words(seen)}, {seen[0] / base[0]:.2f} x the scan's CPU")
    same, two = digests["moments"] == digests["moments, 2 workers"], seconds["moments, 2 workers"]
    # One worker reads ahead on a second core where there is one: held to one core it shows what a worker is worth.
    print(
        f"{'':>10}       two workers by the clock: {seconds['moments'] / two:.2f} x as fast as one, "
        f"{seconds[ONE_CORE] / two:.2f} x as fast as one on one core, same file {same}"
    )
    if not record_only:
        compare_rows(folder, base)


def compare_rows(folder: Path, base: tuple[float, float, float]) -> None:
    """Print what fabricated and predicted rows cost beside a scan; the model is adopted with 100 labels."""
    table, schema = folder / "t.parquet", folder / "schema.toml"
    ours, model = folder / "ours.parquet", folder / "model.tacit"
    label = pl.when(pl.int_range(pl.len()) < N_LABELS).then("label").otherwise(None).alias("label")
    pl.scan_parquet(table).head(10_000).with_columns(label).sink_parquet(ours)
    seeded = ["-s", str(schema), "--epsilon", "1", "--seed", "1", "--no-audit", "--force"]
    commands = {
        "fabricate marginals": ["fabricate", str(table), *seeded, "--method", "marginals", "-o", str(folder / "f.csv")],
        "fabricate moments": ["fabricate", str(table), *seeded, "--method", "moments", "-o", str(folder / "f.csv")],
        "adopt 10,000 rows": ["adopt", str(folder / "moments.tacit"), str(ours), "-s", str(schema), "-o", str(model)],
        "predict": ["predict", str(model), str(table), "-o", str(folder / "p.csv")],
    }
    for name, arguments in commands.items():
        cost = measured([sys.executable, "-c", RELEASE, *arguments])
        print(f"{'':>10}       {name:26s} {_words(cost)}, {cost[0] / base[0]:.2f} x the scan's CPU")


def travel(folder: Path, n_rows: int) -> None:
    """Print how many bytes an additive release by two workers sends to them and gets back, beside the level codes."""
    table, schema, sizes = folder / "t.parquet", folder / "schema.toml", {"to": 0, "from": 0, "largest": 0}
    peaks: list[float] = []
    write_table(table, n_rows, np.random.default_rng(0))
    write_schema(schema)
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


def _words(seen: tuple[float, float, float]) -> str:
    return f"{seen[0]:6.2f} CPU-s {seen[1]:6.1f} s {seen[2]:5.0f} MB"


def main() -> None:
    """Compare for each number of rows given."""
    record_only, numbers = "--record" in sys.argv, [int(text) for text in sys.argv[1:] if text.isdigit()]
    for n_rows in numbers or [100_000, 1_000_000]:
        with tempfile.TemporaryDirectory() as folder:
            if "--travel" in sys.argv:
                travel(Path(folder), n_rows)
            else:
                compare(Path(folder), n_rows, record_only=record_only)


if __name__ == "__main__":
    main()
