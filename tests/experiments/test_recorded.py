"""What a table yielded is kept as it was, with its conditions and its time; a quick run is not kept."""

from dataclasses import astuple
from pathlib import Path

import pytest

from tacit.errors import InputError
from tacit.experiments import recorded
from tacit.experiments.recorded import (
    RecordedTable,
    papers_folder,
    read_recorded,
    recorded_tables,
    run_table,
    write_recorded,
)
from tacit.experiments.registry import EXPERIMENTS, Experiment, experiment, replaced
from tacit.experiments.results import Conditions, ResultRow

CONDITIONS = Conditions("2, of noise", "ten", "1e-5", "on other draws")
ROWS = (
    ResultRow("ours", "epsilon 1", "accuracy", 0.75, 0.25, 2, 0.8),
    ResultRow("ours", "epsilon 1", "gap", 0.5),
    ResultRow("theirs", "epsilon 1", "accuracy", 0.25),
)
TABLE = RecordedTable("units", ROWS, CONDITIONS, 12.34)


def test_a_table_comes_back_from_its_file(tmp_path: Path) -> None:
    write_recorded(TABLE, tmp_path)
    again = read_recorded("units", tmp_path)
    assert again is not None
    assert (again.rows, again.conditions, again.seconds, again.quick) == (ROWS, CONDITIONS, 12.3, False)
    assert read_recorded("hearts", tmp_path) is None
    assert list(recorded_tables(["hearts", "units"], tmp_path)) == ["units"]


def test_a_quick_run_is_not_kept(tmp_path: Path) -> None:
    quick = RecordedTable("units", ROWS, CONDITIONS, 1.0, quick=True)
    with pytest.raises(InputError, match="no results"):
        write_recorded(quick, tmp_path)
    assert read_recorded("units", tmp_path) is None
    assert quick.caption().startswith("Quick run, no results.")


def test_a_figure_is_found_by_method_setting_and_metric() -> None:
    assert TABLE.figure("ours", "epsilon 1") is ROWS[0]
    assert TABLE.figure("ours", "epsilon 1", "gap") is ROWS[1]
    assert TABLE.figure("ours", "epsilon 2") is None
    assert TABLE.figure("ours", "epsilon 1", "time") is None


def test_the_caption_tells_draws_rows_delta_settings_and_time() -> None:
    words = TABLE.caption()
    assert words == "Draws: 2, of noise. Rows: ten. Delta: 1e-5. Settings: on other draws. Time: 12 s."
    assert "Time: 5 min." in RecordedTable("units", (), CONDITIONS, 300.0).caption()


def test_a_run_is_watched_and_timed() -> None:
    watched: list[ResultRow] = []
    table = run_table(experiment("units"), watch=watched.append)
    assert list(table.rows) == watched
    assert table.seconds > 0
    assert not table.quick


def test_a_quick_run_gives_the_constants_back(monkeypatch: pytest.MonkeyPatch) -> None:
    module = experiment("units").load()
    monkeypatch.setattr(module, "QUICK", {"EPSILONS": (1.0,), "FEATURES": (1, 10)})
    quick = run_table(experiment("units"), quick=True)
    assert {row.setting for row in quick.rows} == {"entry epsilon 1, 1 features", "entry epsilon 1, 10 features"}
    assert len(run_table(experiment("units")).rows) > len(quick.rows)


def test_the_first_draws_of_a_table_are_run_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    module = experiment("class-means").load()
    monkeypatch.setattr(module, "load_mnist", lambda: None)
    monkeypatch.setattr(module, "_accuracy", lambda images, epsilon, seed: float(seed))
    table = run_table(experiment("class-means"), draws=2)
    assert {row.runs for row in table.rows} == {2}
    assert table.conditions.draws == "2 so far; all: 5, of the noise"
    assert {row.runs for row in run_table(experiment("class-means")).rows} == {5}


def test_seeds_may_be_a_range(monkeypatch: pytest.MonkeyPatch) -> None:
    module = experiment("sharpening-links").load()
    monkeypatch.setattr(module, "error", lambda algorithm, name, seed: float(seed))
    assert {row.runs for row in experiment("sharpening-links").rows(draws=1)} == {1}


@pytest.mark.parametrize(
    ("name", "draws", "words"),
    [("class-means", 6, "has 5 draws"), ("class-means", 0, "at least 1"), ("units", 1, "no draws of one kind")],
)
def test_draws_that_a_table_does_not_have_are_refused(name: str, draws: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        run_table(experiment(name), draws=draws)


def test_constants_come_back_after_an_error() -> None:
    module = experiment("units").load()
    before = module.QUICK

    def fail() -> None:
        with replaced(module, {"QUICK": {"x": 1}}):
            assert module.QUICK == {"x": 1}
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert module.QUICK is before


@pytest.mark.parametrize("table", EXPERIMENTS, ids=lambda table: table.name)
def test_every_table_states_its_conditions_and_can_run_quickly(table: Experiment) -> None:
    module = table.load()
    for words in astuple(table.conditions):
        assert words.strip()
        assert not words.endswith(".")
    for name, value in module.QUICK.items():
        assert getattr(module, name) != value, f"{name} of a quick run is that of a full one"


def test_pages_are_part_of_the_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert (papers_folder() / "items").is_dir()
    monkeypatch.setattr(recorded, "ROOT", tmp_path)
    with pytest.raises(InputError, match="Use tacit from a clone"):
        papers_folder()
