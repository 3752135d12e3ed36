"""The registry: each table is one module, found by its name and loaded only when it is run."""

import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_type_hints

import pytest

from tacit.errors import InputError
from tacit.experiments import tables
from tacit.experiments.registry import EXPERIMENTS, Experiment, experiment
from tacit.experiments.results import ResultRow

FOLDER = Path(inspect.getfile(tables)).parent
TESTS = Path(__file__).parent / "tables"


def test_every_table_has_a_module_and_every_module_is_a_table() -> None:
    names = [each.name for each in EXPERIMENTS]
    assert len(names) == len(set(names))
    modules = {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}
    assert modules == {name.replace("-", "_") for name in names}


def test_every_table_has_a_test_of_its_own() -> None:
    tested = {path.stem.removeprefix("test_") for path in TESTS.glob("test_*.py")}
    assert tested == {each.name.replace("-", "_") for each in EXPERIMENTS}


@pytest.mark.parametrize("table", EXPERIMENTS, ids=lambda table: table.name)
def test_every_module_yields_result_rows(table: Experiment) -> None:
    rows = table.load().rows
    assert get_type_hints(rows)["return"] == Iterator[ResultRow]
    assert not inspect.signature(rows).parameters
    assert table.summary


def test_an_unknown_table_is_refused_with_the_list_of_all() -> None:
    with pytest.raises(InputError, match=r"NAME must be one of units, .*sharpening-adult.*; got 'perpetual-motion'"):
        experiment("perpetual-motion")


def test_a_name_finds_its_table() -> None:
    assert [experiment(each.name) for each in EXPERIMENTS] == list(EXPERIMENTS)


def test_a_module_without_rows_is_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("tacit.experiments.tables.units.rows")
    with pytest.raises(TypeError, match=r"tacit\.experiments\.tables\.units must define rows"):
        experiment("units").load()


def test_the_registry_loads_no_table_before_it_is_run() -> None:
    code = (
        "import sys; from tacit.experiments.registry import experiment; experiment('pairs-bank');"
        "loaded = [name for name in sys.modules if name.startswith('tacit.experiments.tables')];"
        "sys.exit(f'{loaded}' if loaded or 'sklearn' in sys.modules else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
