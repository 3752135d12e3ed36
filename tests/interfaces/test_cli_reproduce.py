"""``tacit reproduce`` runs one table or all, quickly or not, and keeps figures on request."""

import json
import re
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from tacit.errors import InputError
from tacit.experiments.recorded import read_recorded
from tacit.experiments.registry import experiment
from tacit.interfaces.cli import reproduce
from tacit.interfaces.cli.main import app


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["reproduce", *arguments], env={"COLUMNS": "200"})


@pytest.fixture
def two_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be one table that runs and one whose library is absent."""
    monkeypatch.setattr(reproduce, "EXPERIMENTS", (experiment("units"), experiment("feedback-toy")))

    def absent(self: object, *, quick: bool = False) -> None:
        raise ImportError("no such library")

    monkeypatch.setattr("tacit.experiments.tables.feedback_toy.rows", lambda: absent(None))


def test_a_table_is_printed_with_its_conditions_and_its_time() -> None:
    words = " ".join(run("units").stdout.split())
    for part in ("privacy-loss distribution", "Draws: none: a computation", "Delta: 1e-5 for the record", "Time: "):
        assert part in words


def test_json_says_whether_a_run_was_quick() -> None:
    content = json.loads(run("units", "--quick", "--json").stdout)
    assert content["quick"]
    assert content["caption"].startswith("Quick run, no results.")
    assert not json.loads(run("units", "--json").stdout)["quick"]


@pytest.mark.usefixtures("two_tables")
def test_of_all_tables_one_that_cannot_run_does_not_stop_the_others() -> None:
    done = run("--all", "--quick")
    assert "privacy-loss distribution" in done.stdout
    assert isinstance(done.exception, InputError)
    assert "1 tables could not be run. feedback-toy: no such library" in str(done.exception)
    assert re.search(r"1 tables in \d+ s; longest: units \d+ s\.", done.stderr)


def test_figures_are_kept_and_pages_refreshed_on_request(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "items").mkdir()
    monkeypatch.setattr(reproduce, "papers_folder", lambda: tmp_path)
    assert run("units", "--write").exit_code == 0
    kept = read_recorded("units", tmp_path)
    assert kept is not None
    assert f"{kept.rows[0].mean:.4f}" in (tmp_path / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("units", "--all"), "NAME and --all exclude each other"),
        (("units", "--quick", "--write"), "no results and are not kept"),
        (("--all", "--draws", "1"), "for one table that is run in full"),
        (("hearts", "--quick", "--draws", "1"), "for one table that is run in full"),
        (("units", "--draws", "1"), "no draws of one kind"),
    ],
)
def test_what_excludes_each_other_is_refused(arguments: tuple[str, ...], words: str) -> None:
    done = run(*arguments)
    assert isinstance(done.exception, InputError)
    assert words in str(done.exception)
