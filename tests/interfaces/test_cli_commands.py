"""The table of commands says what exists, and a command's module is imported when it is called, not before."""

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tacit.errors import InputError
from tacit.interfaces.cli.commands import COMMANDS, Command
from tacit.interfaces.cli.main import LazyGroup, app, flowing

FUNCTIONS = {name: entry for name, entry in COMMANDS.items() if entry.target}
GROUPS = {name: entry for name, entry in COMMANDS.items() if not entry.target}
HEAVY = {
    *("torch", "flwr", "fastapi", "sklearn", "scipy", "polars", "pandas", "narwhals", "dp_accounting", "numpy"),
    "tacit.privacy.ledger",
}


def function_of(entry: Command) -> object:
    module, function = entry.target.split(":")
    return getattr(importlib.import_module(module), function)


def loaded_by(*arguments: str) -> set[str]:
    """Return the heavy modules that a command line has imported when it ends."""
    program = (
        "import sys\nfrom tacit.interfaces.cli.main import app\n"
        f"try:\n    app({list(arguments)!r})\nexcept SystemExit as stop:\n    assert not stop.code\n"
        f"print(*({HEAVY!r} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def group_of(table: dict[str, Command]) -> typer.Typer:
    """Return an application whose commands are those of ``table``."""

    class Group(LazyGroup):
        def __init__(self, **settings: object) -> None:
            super().__init__(table=table, **settings)

    application = typer.Typer(cls=Group)
    application.callback()(lambda: None)
    return application


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_command_exists_and_its_summary_is_the_first_line_of_its_docstring(name: str) -> None:
    documentation = inspect.getdoc(function_of(FUNCTIONS[name])) or ""
    assert " ".join(documentation.split("\n\n")[0].split()) == FUNCTIONS[name].summary


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_help_of_a_command_teaches_with_an_example(name: str) -> None:
    done = CliRunner().invoke(app, [*name.split(), "--help"], prog_name="tacit", env={"COLUMNS": "200"})
    assert done.exit_code == 0
    assert f"Usage: tacit {name} " in done.output
    assert f"tacit {name} " in done.output.split("Example")[1]


# What each group lists: the commands under its name, and of a group among them the name alone.
LISTED = {
    "": [
        name
        for name in COMMANDS
        if name.split()[0] not in GROUPS or name in {"schema", "ledger", "key", "join", "desk"}
    ],
    "schema": ["schema draft", "schema check"],
    "ledger": ["ledger init", "ledger show", "ledger verify"],
    "key": ["key new", "key show"],
    "join": ["join plan", "join sign", "join run", "join status"],
    "desk": ["desk serve", "desk score", "desk show", "desk provider"],
    "desk provider": ["desk provider add", "desk provider revoke"],
}


@pytest.mark.parametrize("group", ["", *GROUPS])
def test_the_help_of_a_group_lists_its_commands_with_their_summaries(group: str) -> None:
    done = CliRunner().invoke(app, [*group.split(), "--help"], env={"COLUMNS": "200"})
    _, *lists = re.findall(r"╭─ (?:.+) ─+╮\n((?:│.*\n)+)", done.output)  # after the options
    rows = [line.strip("│ ").split("  ", 1) for panel in lists for line in panel.splitlines()]
    assert {name: summary.strip() for name, summary in rows} == {
        name.removeprefix(f"{group} "): COMMANDS[name].summary for name in LISTED[group]
    }


def test_every_command_of_the_first_list_stands_under_a_heading_and_none_below_does() -> None:
    for name, entry in COMMANDS.items():
        assert (entry.panel is not None) == (name in LISTED[""]), name


def test_paragraphs_of_help_have_no_breaks_of_their_own_and_examples_keep_theirs() -> None:
    text = flowing("First.\n\nA long\nsentence.\n\n[bold]Examples:[/] tacit one\ntacit two")
    assert text == "First.\n\nA long sentence.\n\n[bold]Examples:[/] tacit one\ntacit two"


def test_a_group_without_a_command_shows_its_help() -> None:
    assert "Let a provider in" in CliRunner().invoke(app, ["desk", "provider"]).output


@pytest.mark.parametrize("command", [[], ["desk"], ["desk", "provider"], ["ledger"]], ids=" ".join)
def test_lists_of_commands_import_nothing_heavy(command: list[str]) -> None:
    assert loaded_by(*command, "--help") == set()


def test_the_check_on_heavy_modules_sees_one_when_a_command_is_called() -> None:
    assert "tacit.privacy.ledger" in loaded_by("ledger", "show", "--help")


TOO_HEAVY_FOR_OWNERS = {"torch", "sklearn", "scipy", "pandas", "narwhals", "dp_accounting"}


@pytest.mark.parametrize("command", ["release", "ledger init", "ledger show", "ledger verify", "card", "schema check"])
def test_commands_of_owners_are_imported_without_libraries_that_are_slow_to_load(command: str) -> None:
    assert not loaded_by(*command.split(), "--help") & TOO_HEAVY_FOR_OWNERS


def test_a_release_of_class_sums_and_its_card_load_nothing_that_they_do_not_need(tmp_path: Path) -> None:
    table, schema, output = tmp_path / "t.csv", tmp_path / "t.toml", tmp_path / "t.tacit"
    table.write_text("age,sick\n" + "30,no\n60,yes\n" * 20)
    column = 'kind = "numeric"\nbounds = [0, 100]'
    schema.write_text(
        f'version = 1\n[columns.age]\n{column}\n[columns.sick]\nkind = "label"\nclasses = ["no", "yes"]\n'
    )
    words = ["release", table, "-s", schema, "--epsilon", "1", "--method", "moments", "--no-audit", "-o", output]
    assert not loaded_by(*map(str, words)) & TOO_HEAVY_FOR_OWNERS
    assert not loaded_by("card", str(output)) & TOO_HEAVY_FOR_OWNERS
    # Bounds of games need scipy.
    assert loaded_by("audit", str(output), "--draws", "200") & TOO_HEAVY_FOR_OWNERS == {"scipy"}


def test_showing_a_ledger_loads_no_library_that_reads_tables() -> None:
    for command in ("show", "verify"):
        assert not loaded_by("ledger", command, "--help") & {*TOO_HEAVY_FOR_OWNERS, "polars"}


def test_garbage_is_collected_again_once_a_command_is_loaded() -> None:
    program = (
        "import gc, sys\nfrom tacit.interfaces.cli.main import run\n"
        "sys.argv = ['tacit', 'ledger', 'show', '--help']\n"
        "try:\n    run()\nexcept SystemExit:\n    assert gc.isenabled()\n    assert gc.get_freeze_count()\n"
    )
    subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)


def test_two_words_are_taken_before_the_first_alone() -> None:
    first = CliRunner().invoke(app, ["tune", "--help"], prog_name="tacit").output
    both = CliRunner().invoke(app, ["tune", "ask", "--help"], prog_name="tacit").output
    assert "Usage: tacit tune [OPTIONS]" in first
    assert "Usage: tacit tune ask [OPTIONS]" in both


@pytest.mark.parametrize(("words", "meant"), [(["adop"], "adopt"), (["desk", "shw"], "show")])
def test_a_misspelt_command_is_answered_with_the_nearest(words: list[str], meant: str) -> None:
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert f"Did you mean '{meant}'?" in done.output


def test_a_command_whose_extra_is_not_installed_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastapi", None)
    monkeypatch.delitem(sys.modules, "tacit.interfaces.desk.app", raising=False)
    monkeypatch.delitem(sys.modules, "tacit.interfaces.cli.desk.serve", raising=False)
    done = CliRunner().invoke(app, ["desk", "serve", "--help"])
    assert isinstance(done.exception, InputError)
    assert "pip install 'tacit-knowledge[serve]'" in str(done.exception)
    assert CliRunner().invoke(app, ["desk", "show", "--help"]).exit_code == 0


def test_a_mistake_in_the_table_is_not_taken_for_a_part_that_is_not_installed() -> None:
    table = {"a": Command("tacit.interfaces.cli.absent:a", "A.", extra="serve"), "b": Command("absent:b", "B.")}
    for name in table:
        assert isinstance(CliRunner().invoke(group_of(table), [name]).exception, ModuleNotFoundError)


@pytest.mark.parametrize("name", [name for name, entry in COMMANDS.items() if entry.workers])
def test_processes_that_read_for_a_command_load_no_command_line(name: str) -> None:
    program = f"import sys, {COMMANDS[name].workers}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "polars" in loaded
    assert not loaded & (TOO_HEAVY_FOR_OWNERS | {"typer", "rich"})
