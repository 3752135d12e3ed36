"""The main job in a folder: two tables, their schemas, and command lines run in a process of their own."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

OWNER = """version = 1
[columns.age]
kind = "numeric"
bounds = [0, 100]
[columns.dose]
kind = "numeric"
bounds = [0, 10]
[columns.sex]
kind = "categorical"
categories = ["f", "m"]
[columns.ill]
kind = "label"
classes = ["no", "yes"]
"""
OURS = """version = 1
[columns.id]
kind = "ignored"
[columns.age]
kind = "numeric"
bounds = [0, 120]
[columns.pulse]
kind = "numeric"
bounds = [0, 200]
[columns.ill]
kind = "label"
classes = ["no", "yes"]
"""
# Runs many command lines in one process, each as `tacit` would, and prints what became of them.
BATCH = """
import contextlib, io, json, sys, traceback
from tacit.interfaces.cli import main
results = []
for arguments in json.load(sys.stdin):
    sys.argv = ["tacit", *arguments]
    out, err = io.StringIO(), io.StringIO()
    code = 1
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main.run()
        except SystemExit as stop:
            code = stop.code or 0
        except BaseException:
            traceback.print_exc()
    results.append((code, out.getvalue(), err.getvalue()))
print(json.dumps(results))
"""


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


def tacit(folder: Path, *commands: str, largest_file: int | None = None) -> list[Done]:
    """Run command lines, one after the other, in one process that works in ``folder``."""

    def limit() -> None:
        if largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    done = subprocess.run(
        [sys.executable, "-c", BATCH],
        input=json.dumps([command.split() for command in commands]),
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        timeout=300,
        preexec_fn=limit,
        env={**os.environ, "COLUMNS": "120"},
    )
    return [Done(*each) for each in json.loads(done.stdout)]


def people(n: int, seed: int) -> pl.DataFrame:
    generator = np.random.default_rng(seed)
    ill = generator.integers(0, 2, n)
    return pl.DataFrame(
        {
            "id": np.arange(n),
            "age": generator.normal(40 + 25 * ill, 8).clip(0, 100).round(1),
            "dose": generator.normal(3 + 3 * ill, 1).clip(0, 10).round(2),
            "sex": np.array(["f", "m"])[generator.integers(0, 2, n)],
            "pulse": generator.normal(70 + 10 * ill, 15).clip(0, 200).round(0),
            "ill": np.array(["no", "yes"])[ill],
        }
    )


def write_tables(folder: Path) -> None:
    owner, ours, new = people(900, 0), people(120, 1), people(80, 2)
    owner.select("age", "dose", "sex", "ill").write_csv(folder / "owner.csv")
    labelled = pl.when(pl.int_range(pl.len()) < 16).then(pl.col("ill"))
    ours.select("id", "age", "pulse", ill=labelled).write_csv(folder / "ours.csv")
    new.select("id", "age", "pulse").write_csv(folder / "new.csv")
    new.select("id", "age", "pulse", "ill").write_csv(folder / "test.csv")
    (folder / "owner.toml").write_text(OWNER)
    (folder / "ours.toml").write_text(OURS)


RELEASE = "release owner.csv --schema owner.toml --epsilon 1"
ADOPT = "adopt a.tacit ours.csv --schema ours.toml -o model.tacit"


def refused(folder: Path, cases: Sequence[tuple[str, str]], *, largest_file: int | None = None) -> None:
    """Check that each command fails with one line that has these words, and leaves the folder as it was."""
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    results = tacit(folder, *(command for command, _ in cases), largest_file=largest_file)
    for (command, words), done in zip(cases, results, strict=True):
        assert done.code == 2, (command, done)
        assert done.err.splitlines()[-1].startswith("error: "), (command, done)
        assert words in done.err, (command, done.err)
        assert "Traceback" not in done.err, (command, done.err)
        assert done.out == "", (command, done.out)
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
