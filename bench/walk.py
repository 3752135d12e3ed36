"""The way of one release and one adoption through the package: functions called, files entered, greatest depth.

Both commands run on a toy table, once to load every module and once more under ``sys.setprofile``. A function is
counted once however often it is called; depth counts only frames of the package.

Run: ``python bench/walk.py [--files]``.
"""

import argparse
import contextlib
import io
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import numpy as np

import tacit
from tacit.data.rows.encoding import decode
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.file import format_schema
from tacit.data.schemas.schema import Schema

PACKAGE = str(Path(tacit.__file__).parent)
SCHEMA = Schema((Numeric("age", (0.0, 100.0)), Categorical("sex", ("f", "m")), Label("outcome", ("well", "ill"))))
METHODS = ("moments", "additive")


@dataclass
class Walk:
    """Functions of the package that were called, and how deep the calls went."""

    functions: set[tuple[str, str, int]] = field(default_factory=set)
    depth: int = 0
    deepest: int = 0

    def follow(self, frame: FrameType, event: str, _: object) -> None:
        """Take in one call or return; what `sys.setprofile` is given."""
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE) or event not in ("call", "return"):
            return
        self.depth += 1 if event == "call" else -1
        self.deepest = max(self.deepest, self.depth)
        if not code.co_name.startswith("<"):  # comprehensions and lambdas are part of the function around them
            self.functions.add((code.co_filename, code.co_qualname, code.co_firstlineno))

    @property
    def files(self) -> list[str]:
        """The files entered, relative to the package."""
        return sorted({str(Path(name).relative_to(PACKAGE)) for name, _, _ in self.functions})


def walk(call: Callable[[], object]) -> Walk:
    """Return the way of the second of two calls: the first loads the modules."""
    call()
    way = Walk()
    sys.setprofile(way.follow)
    try:
        call()
    finally:
        sys.setprofile(None)
    return way


def write_tables() -> None:
    """Write an owner's and a receiver's toy table, and their schema, into the current folder."""
    Path("s.toml").write_text(format_schema(SCHEMA), encoding="utf-8")
    for name, n_rows, n_labelled, seed in (("owner", 300, 300, 0), ("ours", 120, 30, 1)):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, n_rows)
        X = np.column_stack([np.clip(0.3 + 0.4 * y + rng.normal(0, 0.1, n_rows), 0, 1), np.eye(2)[y * 0]])
        decode(X, SCHEMA, y=np.where(np.arange(n_rows) < n_labelled, y, -1)).write_csv(f"{name}.csv")


def command(*words: str) -> Callable[[], None]:
    """Return a call of the command line with these words."""
    from tacit.interfaces.cli.main import app

    def call() -> None:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            app(list(words), standalone_mode=False)

    return call


def main() -> None:
    """Print a line for each command and method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", action="store_true", help="also list the files entered")
    listed = parser.parse_args().files
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_tables()
        command("ledger", "init", "l.ledger", "--epsilon", "100", "--delta", "0.01", "--unit", "record")()
        for method in METHODS:
            made = f"{method}.tacit"
            release = ("release", "owner.csv", "-s", "s.toml", "--method", method, "--epsilon", "2")
            ways = {
                "release": walk(command(*release, "--ledger", "l.ledger", "-o", made, "--force")),
                "adopt": walk(command("adopt", made, "ours.csv", "-s", "s.toml", "-o", "model.tacit", "--force")),
            }
            for name, way in ways.items():
                figures = f"{len(way.functions):4d} functions {len(way.files):4d} files, depth {way.deepest}"
                print(f"{name:8s} {method:9s} {figures}")
                if listed:
                    print("".join(f"    {file}\n" for file in way.files), end="")


if __name__ == "__main__":
    main()
