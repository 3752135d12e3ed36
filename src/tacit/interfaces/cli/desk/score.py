"""``tacit desk score``: the desk by files, for providers who cannot reach the owner's network."""

from pathlib import Path
from typing import Annotated

import typer

from tacit.interfaces.cli.desk.opening import open_desk
from tacit.interfaces.cli.desk.options import (
    Decimals,
    Delta,
    Epsilon,
    LedgerFile,
    LogFile,
    Metric,
    ModelFile,
    Queries,
    SchemaFile,
    Table,
)
from tacit.interfaces.cli.outputs import counted, require_output
from tacit.privacy.ledger import as_ledger
from tacit.situations.feedback.desk.exchange import score_file, write_scores


def score(
    table: Table,
    candidates: Annotated[Path, typer.Argument(metavar="CANDIDATES", help="A file of `tacit tune ask`.")],
    *,
    provider: Annotated[str, typer.Option(help="Whose queries these are.", show_default=False)],
    schema: SchemaFile,
    model: ModelFile,
    metric: Metric = "accuracy",
    queries: Queries = 1000,
    decimals: Decimals = 2,
    epsilon: Epsilon = None,
    delta: Delta = 1e-6,
    ledger: LedgerFile = None,
    log: LogFile = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="JSON", help="Where the scores go.")],
) -> None:
    """Score a file of candidates, for providers who cannot reach the owner's network.

    Budgets, noise, ledger and log are those of `tacit desk serve`, and so are the options.

    [bold]Example:[/] tacit desk score patients.csv batch.tacit --provider ann -s patients.toml -m linear
    --log patients.desk -o scores.json
    """
    inputs = [path for path in (table, candidates, schema, model, ledger) if path]
    require_output(output, force=True, inputs=inputs)
    settings = {"metric": metric, "queries": queries, "decimals": decimals, "epsilon": epsilon, "delta": delta}
    desk = open_desk(table, schema, model, log=log, book=as_ledger(ledger), **settings)
    scored = score_file(desk, provider, candidates)
    write_scores(scored, output)
    typer.echo(f"wrote {output}: {counted(len(scored['scores']), 'score')} for {provider}.")
