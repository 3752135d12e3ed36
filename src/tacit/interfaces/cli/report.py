"""``tacit report``: a page to read about an adopted model or a release."""

from pathlib import Path
from typing import Annotated

import typer

from tacit.interfaces.cli.outputs import file_size, working
from tacit.interfaces.cli.parameters import argument, output_option
from tacit.workflows.report import report as write_report


def report(
    file: Annotated[Path, argument("FILE", "A model, a release (*.tacit), a fabricated table.")],
    *,
    output: Annotated[Path, output_option("HTML", "Where the page goes.")],
    test: Annotated[
        Path | None,
        typer.Option(metavar="TABLE", help="Measure a model on these labelled rows that it has not seen."),
    ] = None,
    originals: Annotated[
        Path | None,
        typer.Option(metavar="TABLE", help="Of a fabricated table: your private rows, to be laid beside it."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write one self-contained HTML page: what was adopted, its guarantee in words, whom it helped or harmed.

    Of a model, the accuracy without and with the releases, class by class, and what noise did; of a release, its
    guarantee and what it shows; of a fabricated table, samples, marginals and correlations. The page loads nothing
    from anywhere and reads well on a phone.

    [bold]Examples:[/] tacit report model.tacit -o report.html    tacit report clinic-a.tacit -o release.html
    """
    with working(f"reporting on {file.name}"):
        write_report(file, test=test, originals=originals, output=output, force=force)
    typer.echo(f"wrote {output} ({file_size(output)}); open it in any browser.")
