"""The ``tacit`` command: lists its commands, calls one, and says in a clear line why it ended early."""

import gc
import importlib
import inspect
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from tacit.data.rows.processes import start_early
from tacit.errors import InputError, TacitError
from tacit.interfaces.cli.commands import COMMANDS, Command
from tacit.interfaces.cli.project_file import FILE, option_defaults, project_options
from tacit.version import VERSION

# As shells count a process that Ctrl-C ended.
INTERRUPTED = 130
# Processes that are started before an option has been checked.
MOST_EARLY = 64


class LazyGroup(TyperGroup):
    """A group of the commands in ``table``, which is given by the words that a user types.

    A command named by two words may stand beside a command of the first word alone: ``tune`` and ``tune ask``.
    """

    # Annotations of click's classes are left out: newer versions of typer carry click inside themselves.
    def __init__(self, *, table: Mapping[str, Command] = COMMANDS, **settings: Any) -> None:
        super().__init__(**settings)
        self.table = table
        groups = [name for name, entry in table.items() if not entry.target]
        for name, entry in table.items():
            if not name.startswith(tuple(f"{group} " for group in groups)):
                self.add_command(_listed(name, entry, table))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments begin with, imported, and the arguments after its name."""
        two_words = " ".join(args[:2])
        if len(args) > 1 and two_words in self.commands:
            return two_words, self._prepared(ctx, two_words, args[2:]), args[2:]
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if name is None else self._prepared(ctx, name, rest), rest

    def _prepared(self, ctx: Any, name: str, arguments: list[str]) -> Any:
        """Return the command ``name``; what the project file says of its options is what they are by default."""
        if self.table[name].workers and not ctx.resilient_parsing:
            # Before the command is imported: they load beside this process, not after it.
            start_early(n_workers(arguments) - 1, self.table[name].workers)
        command = self._called(name)
        if not self.table[name].target:
            return command
        collect_again()
        words = " ".join([*_words_before(ctx), name])
        defaults = option_defaults(command, words, project_options(Path.cwd()))
        taken = [each for each in defaults if f"--{each.replace('_', '-')}" not in arguments]
        if taken and not ctx.resilient_parsing and not {"-h", "--help"} & set(arguments):
            typer.echo(f"from {FILE}: {', '.join(taken)}", err=True)
        ctx.default_map = {**(ctx.default_map or {}), name: defaults}
        return interruptible(command)

    def _called(self, name: str) -> Any:
        entry = self.table[name]
        return _loaded(name, entry) if entry.target else self.commands[name]


def collect_again() -> None:
    """Let the garbage collector work again, which `run` stopped while modules load; what they hold stays anyway.

    Looking through it again and again takes an eighth of the time in which a command starts.
    """
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def n_workers(arguments: list[str]) -> int:
    """Return what ``--workers`` says among the arguments of a command; 1 without it, and where it is no such number.

    >>> n_workers(["t.csv", "--workers", "4"]), n_workers(["--workers=2"]), n_workers(["--workers", "many"])
    (4, 2, 1)
    """
    words = " ".join(arguments).replace("--workers=", "--workers ").split()
    after = [number for word, number in pairwise(words) if word == "--workers"]
    return min(int(after[-1]), MOST_EARLY) if after and after[-1].isdecimal() and int(after[-1]) else 1


def interruptible(command: Any) -> Any:
    """Return ``command``, which on Ctrl-C says what was and was not done, and exits with 130."""
    invoke = command.invoke

    def invoked(context: Any) -> Any:
        started = datetime.now(UTC).replace(microsecond=0)
        try:
            return invoke(context)
        except KeyboardInterrupt:
            typer.echo("\n".join(["interrupted.", *done_until_now(context.params, started)]), err=True)
            raise typer.Exit(INTERRUPTED) from None

    command.invoke = invoked
    return command


def done_until_now(options: Mapping[str, Any], started: datetime) -> list[str]:
    """Return sentences on the ledger and the output among ``options``: what of them changed since ``started``."""
    words = [*_ledger_words(options.get("ledger"), started), *_output_words(options.get("output"), started)]
    return words or ["Nothing was charged and nothing was written."]


def _ledger_words(path: Any, started: datetime) -> list[str]:
    if path is None or not Path(path).is_file():
        return []
    from tacit.privacy.ledger import Ledger  # noqa: PLC0415 - lists of commands load nothing heavy

    try:
        lines = Ledger(path).lines()
    except TacitError as problem:
        return [f"{path} cannot be read: {problem}"]
    charged = [line for line in lines if datetime.fromisoformat(line.time) >= started]
    if not charged:
        return [f"{path} was not charged."]
    return [f"{path} was charged, line {line.number} ({line.purpose}): that is spent." for line in charged]


def _output_words(path: Any, started: datetime) -> list[str]:
    if path is None:
        return []
    file = Path(path)
    # Files are written whole or not at all; the clock of a disk may lag by a moment.
    if file.exists() and file.stat().st_mtime >= started.timestamp():
        return [f"{path} was written, whole."]
    return [f"{path} was not written."]


def _words_before(ctx: Any) -> list[str]:
    """Return the words by which a user came to the group of ``ctx``, without the program's own name."""
    return [] if ctx.parent is None else [*_words_before(ctx.parent), ctx.info_name]


def _listed(name: str, entry: Command, table: Mapping[str, Command]) -> Any:
    """Return what a list of commands needs: a name and a summary, and for a group its own list."""
    if entry.target:
        return TyperCommand(name=name, help=entry.summary, rich_help_panel=entry.panel)
    inner = {words.removeprefix(f"{name} "): below for words, below in table.items() if words.startswith(f"{name} ")}
    return LazyGroup(name=name, help=entry.summary, rich_help_panel=entry.panel, table=inner, no_args_is_help=True)


def _loaded(name: str, entry: Command) -> Any:
    """Return the command with its parameters; importing its module is what takes time."""
    app, function = typer.Typer(add_completion=False, rich_markup_mode="rich"), _function(entry)
    app.command(name, help=flowing(inspect.getdoc(function) or ""))(function)
    return typer.main.get_command(app)


def flowing(text: str) -> str:
    """Return ``text`` with one line for each paragraph, which a terminal then breaks at its own width.

    Examples, which begin in bold, keep a line for each command.
    """
    paragraphs = text.split("\n\n")
    return "\n\n".join(each if each.startswith("[bold]Ex") else each.replace("\n", " ") for each in paragraphs)


def _function(entry: Command) -> Any:
    module, function = entry.target.split(":")
    try:
        return getattr(importlib.import_module(module), function)
    except ModuleNotFoundError as problem:
        # A module of our own that is missing is a mistake in the table, not a part that was not installed.
        if not entry.extra or (problem.name or "tacit").split(".")[0] == "tacit":
            raise
        way_out = f"pip install 'tacit-knowledge[{entry.extra}]'"
        raise InputError(f"this command needs {problem.name}, which is not installed: {way_out}.") from problem


app = typer.Typer(
    name="tacit",
    cls=LazyGroup,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"tacit {VERSION}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Learn from data that you may not see, under differential privacy.

    [bold]Start with:[/] tacit demo    or    tacit schema draft patients.csv -o patients.toml
    """


def run() -> None:
    """Run the command line; an error raised on purpose is printed as one line and exits with 2."""
    gc.disable()  # until the command is loaded: `collect_again`
    try:
        app()
    except TacitError as problem:
        line = Text.assemble(("error: ", "bold red"), str(problem))
        Console(stderr=True).print(line, highlight=False, soft_wrap=True)
        sys.exit(2)
