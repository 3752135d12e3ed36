"""Ctrl-C in the middle of a command: what was done until then, and what was not."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer

from tacit.errors import TacitError

# As shells count a process that ended by this signal.
INTERRUPTED = 130


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
