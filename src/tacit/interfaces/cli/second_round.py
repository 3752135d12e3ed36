"""``tacit request`` and ``tacit answer``: a second round between a receiver and an owner, by files."""

from pathlib import Path
from typing import Annotated

import typer

from tacit.adoption.pictures.second_round import TOLD
from tacit.interfaces.cli.json_output import AsJson, print_json
from tacit.interfaces.cli.outputs import file_size, working
from tacit.interfaces.cli.parameters import (
    ChargedLedger,
    Delta,
    NoiseSeed,
    PrivateTable,
    argument,
    option,
    output_option,
    schema_option,
)
from tacit.interfaces.cli.spend import left_words, spend_facts, warn, warnings_on_stderr
from tacit.privacy.ledger import as_ledger
from tacit.workflows.second_round import answer as answer_request
from tacit.workflows.second_round import request_answer


def request(
    model: Annotated[Path, argument("MODEL", "Your adopted model.")],
    table: Annotated[Path, argument("TABLE", "Your rows, labelled or not.")],
    *,
    output: Annotated[Path, output_option("TACIT", "The request to write.")],
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
    file: Annotated[Path, argument("REQUEST", "What a receiver sent.")],
    table: PrivateTable,
    *,
    schema: Annotated[Path, schema_option()],
    epsilon: Annotated[float, option("Privacy loss to spend.")],
    delta: Delta = 1e-6,
    ledger: ChargedLedger = None,
    seed: NoiseSeed = None,
    output: Annotated[Path, output_option("TACIT", "The answer to write.")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Answer a receiver's request: learn a private layer on its features from your rows.

    Your ledger is charged, then noise is drawn. The answer protects your rows; the receiver adopts it or predicts with
    it.

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
    card, account = release.card, as_ledger(ledger)
    if as_json:
        print_json({"kind": release.kind, **spend_facts(card, output, account)})
        return
    typer.echo(
        f"wrote {output} ({file_size(output)}): {card.title}, at epsilon {card.epsilon:g}, delta {card.delta:g} "
        f"per {card.unit}."
    )
    if account is not None:
        typer.echo(left_words(account))
    typer.echo(f"Next: tacit card {output}    receiver: tacit adopt {output} ours.npz -s ours.toml -o adopted.tacit")
