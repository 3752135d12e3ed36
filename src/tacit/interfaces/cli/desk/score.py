"""``tacit desk score``: the desk by files, for providers who cannot reach the owner's network."""

from pathlib import Path
from typing import Annotated

import typer

from tacit.interfaces.cli.desk.opening import open_desk
from tacit.interfaces.cli.desk.options import DeskOptions, TableArgument
from tacit.interfaces.cli.option_groups import with_option_groups
from tacit.interfaces.cli.outputs import counted, require_output
from tacit.privacy.ledger import as_ledger
from tacit.situations.feedback.desk.exchange import score_file, write_scores


@with_option_groups
def score(
    table: TableArgument,
    candidates: Annotated[Path, typer.Argument(metavar="CANDIDATES", help="A file of `tacit tune ask`.")],
    *,
    provider: Annotated[str, typer.Option(help="Whose queries these are.", show_default=False)],
    options: DeskOptions,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="JSON", help="Where the scores go.")],
) -> None:
    """Score a file of candidates, for providers who cannot reach the owner's network.

    Budgets, noise, ledger and log are those of `tacit desk serve`, and so are the options.

    [bold]Example:[/] tacit desk score patients.csv batch.tacit --provider ann -s patients.toml -m linear
    --log patients.desk -o scores.json
    """
    inputs = [path for path in (table, candidates, options.schema, options.model, options.ledger) if path]
    require_output(output, force=True, inputs=inputs)
    desk = open_desk(table, options, as_ledger(options.ledger))
    scored = score_file(desk, provider, candidates)
    write_scores(scored, output)
    typer.echo(f"wrote {output}: {counted(len(scored['scores']), 'score')} for {provider}.")
