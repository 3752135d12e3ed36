"""``tacit desk score``: the desk by files, for providers who cannot reach the owner's network."""

from pathlib import Path
from typing import Annotated

import typer

from tacit.interfaces.cli.desk.opening import open_desk
from tacit.interfaces.cli.desk.options import DeskOptions
from tacit.interfaces.cli.json_output import AsJson, print_json
from tacit.interfaces.cli.option_groups import with_option_groups
from tacit.interfaces.cli.outputs import counted, require_output
from tacit.interfaces.cli.parameters import PrivateTable, option, output_option
from tacit.privacy.ledger import as_ledger
from tacit.situations.feedback.desk.exchange import score_file, write_scores


@with_option_groups
def score(
    table: PrivateTable,
    candidates: Annotated[Path, typer.Argument(metavar="CANDIDATES", help="A file of `tacit tune ask`.")],
    *,
    provider: Annotated[str, option("The provider whose queries these are.")],
    options: DeskOptions,
    output: Annotated[Path, output_option("JSON", "The scores to write.")],
    as_json: AsJson = False,
) -> None:
    """Score a file of candidates, for providers who cannot reach the owner's network.

    Budgets, noise, ledger and log are those of `tacit desk serve`, and so are the options.

    [bold]Example:[/] tacit desk score patients.csv batch.tacit --provider ann -s p.toml -m linear -o scores.json
    """
    inputs = [path for path in (table, candidates, options.schema, options.model, options.ledger) if path]
    require_output(output, force=True, inputs=inputs)
    desk = open_desk(table, options, as_ledger(options.ledger))
    scored = score_file(desk, provider, candidates)
    write_scores(scored, output)
    if as_json:
        print_json({"output": output, "provider": provider, "scores": scored["scores"], "terms": desk.terms})
        return
    typer.echo(f"wrote {output}: {counted(len(scored['scores']), 'score')} for {provider}.")
