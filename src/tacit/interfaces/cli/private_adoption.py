"""The private way of ``tacit adopt``: linear releases, and a table of one's own that is protected too."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.text import Text

from tacit.errors import InputError, ReleaseError
from tacit.interfaces.cli.outputs import counted, file_size, working

if TYPE_CHECKING:
    from tacit.data.schema import Schema
    from tacit.releases.file import Release

NO_LEDGER = (
    "no --ledger: this spend stands on the file's card alone, and nothing stops a second one on the same rows. "
    "`tacit ledger init` makes an account."
)
SEEDED = "--seed: whoever knows the seed can draw the noise again. The file is NOT PRIVATE, and its card says so."


def private_epsilon(releases: "list[Release]", *, epsilon: float | None, ledger: Path | None) -> float | None:
    """Return the epsilon to adopt linear releases with, None for releases of other kinds; half a wish is refused."""
    from tacit.models.linear.release import KIND  # noqa: PLC0415 - keeps the command line quick to start

    linear = [each.kind == KIND for each in releases]
    if any(linear) and not all(linear):
        raise InputError("linear releases and others cannot be adopted together: run `tacit adopt` for each kind.")
    if not any(linear):
        if epsilon is not None or ledger is not None:
            raise InputError(
                "--epsilon and --ledger are for releases by `--method linear`; a model made from others holds your "
                "rows and is not private. Leave them out."
            )
        return None
    if epsilon is None:
        raise InputError(
            "--epsilon must be given to adopt a linear release: what is learned from your rows is private too. "
            "Give --epsilon 1 and, to keep account of it, --ledger ours.ledger."
        )
    return epsilon


def adopt_privately(
    releases: "list[Release]",
    table: Path,
    rules: "Schema",
    *,
    epsilon: float,
    ledger: Path | None,
    seed: int | None,
    output: Path,
) -> None:
    """Charge the ledger of the receiver's table, learn, and write a release that others may adopt in turn."""
    from tacit.data.encoding import encode_file  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier  # noqa: PLC0415 - quick to start
    from tacit.privacy.ledger import as_ledger  # noqa: PLC0415 - keeps the command line quick to start

    book = as_ledger(ledger)
    with working(f"reading {table.name}"):
        rows = encode_file(table, rules, labels="required")
    known = rows.y >= 0
    if not known.all():
        typer.echo(f"{counted(int((~known).sum()), 'row')} without a label left out.", err=True)
    _warn(ledger, seed)
    learner = FeatureSplitClassifier(
        epsilon,
        sources=tuple(releases),
        schema=rules,
        ledger=book,
        random_state=seed,
        purpose=f"adopt into {output.name}",
    )
    with working(f"charging, then learning from {counted(int(known.sum()), 'row')}"):
        learner.fit(rows.X[known], rows.y[known])
    _write(learner.release(), output, charged=book is not None)
    for place, note in enumerate(learner.notes_, start=1):
        typer.echo(f"release {place}: {note}.")
    typer.echo(
        f"wrote {output} ({file_size(output)}): private at epsilon {epsilon:g} per record of {table.name}; it may be "
        "handed out, and adopted in turn."
    )
    typer.echo(f"Next: tacit predict {output} new.csv -o predictions.csv    tacit card {output}")


def _warn(ledger: Path | None, seed: int | None) -> None:
    console = Console(stderr=True)
    for given, words in ((ledger is None, NO_LEDGER), (seed is not None, SEEDED)):
        if given:
            console.print(Text.assemble(("warning: ", "bold yellow"), words), highlight=False, soft_wrap=True)


def _write(made: "Release", output: Path, *, charged: bool) -> None:
    from tacit.releases.file import write_release  # noqa: PLC0415 - keeps the command line quick to start

    try:
        write_release(made, output)
    except ReleaseError as problem:
        stands = " The charge stands on the ledger: the noise was drawn." if charged else ""
        raise ReleaseError(f"{problem}{stands}") from problem
