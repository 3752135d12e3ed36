"""``tacit request`` and ``tacit answer``: a second round between a receiver and an owner, by files."""

from pathlib import Path
from typing import Annotated

import typer

from tacit.adoption.pictures.second_round import TOLD
from tacit.interfaces.cli.outputs import file_size, working
from tacit.interfaces.cli.spend import left_words, warn, warnings_on_stderr
from tacit.privacy.ledger import as_ledger
from tacit.workflows.second_round import answer as answer_request
from tacit.workflows.second_round import request_answer


def request(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Your adopted model.", show_default=False)],
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="Your rows, labelled or not.", show_default=False)],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="TACIT", help="Where the request goes.", show_default=False)
    ],
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Ask an owner for a second round: send the features of your model's network.

    The request is NOT private: it holds a network that learned from your rows, and the owner can learn about them.

    [bold]Example:[/] tacit request model.tacit ours.npz -o request.tacit
    """
    with working(f"reading {table.name}") as stage:
        request_answer(model, table, output=output, force=force, progress=stage)
    typer.echo(f"wrote {output} ({file_size(output)}). Send it to an owner whom you trust with your rows: {TOLD}.")


def answer(
    file: Annotated[Path, typer.Argument(metavar="REQUEST", help="What a receiver sent.", show_default=False)],
    table: Annotated[
        Path, typer.Argument(metavar="TABLE", help="The private table (CSV, Parquet, NPZ).", show_default=False)
    ],
    *,
    schema: Annotated[
        Path, typer.Option("--schema", "-s", metavar="TOML", help="Its public facts.", show_default=False)
    ],
    epsilon: Annotated[float, typer.Option(help="Privacy loss to spend on this answer.", show_default=False)],
    delta: Annotated[float, typer.Option(help="Probability with which more may be lost.")] = 1e-6,
    ledger: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The table's account; charged before anything is drawn.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Repeatable noise for tests: NOT private, and marked so.", show_default=False)
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="TACIT", help="Where the answer goes.", show_default=False)
    ],
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Answer a receiver's request: a private layer on its features, learned from your rows.

    Your ledger is charged, then noise is drawn. The answer is private for your rows and predicts by itself.

    [bold]Example:[/] tacit answer request.tacit our.npz -s our.toml --epsilon .4 --ledger our.ledger -o answer.tacit
    """
    warn(ledger, seed)
    with working(f"reading {table.name}") as stage, warnings_on_stderr():
        release = answer_request(
            file,
            table,
            schema,
            epsilon=epsilon,
            delta=delta,
            ledger=ledger,
            random_state=seed,
            output=output,
            force=force,
            progress=stage,
        )
    card = release.card
    typer.echo(
        f"wrote {output} ({file_size(output)}): {card.title}, at epsilon {card.epsilon:g}, delta {card.delta:g} "
        f"per {card.unit}."
    )
    account = as_ledger(ledger)
    if account is not None:
        typer.echo(left_words(account))
    typer.echo(f"Next: tacit card {output}    receiver: tacit predict {output} new.npz -o predictions.csv")
