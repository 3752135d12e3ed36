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
    output: Annotated[Path, output_option("HTML", "The page to write.")],
    test: Annotated[
        Path | None,
        typer.Option(metavar="TABLE", help="For a model: labelled rows to measure it on, which it has not seen."),
    ] = None,
    originals: Annotated[
        Path | None,
        typer.Option(metavar="TABLE", help="For a fabricated table: your private rows, to compare with."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write an HTML page about a model, a release or a fabricated table.

    For a model: accuracy without and with the releases, class by class, and the guarantees. For a release: its
    guarantee in words, its card and what it shows. For a fabricated table: samples, marginals and correlations. The
    page is one file that loads nothing, and can be read on a phone and on paper.

    [bold]Examples:[/] tacit report model.tacit -o report.html    tacit report clinic-a.tacit -o release.html
    """
    with working(f"reporting on {file.name}"):
        write_report(file, test=test, originals=originals, output=output, force=force)
    typer.echo(f"wrote {output} ({file_size(output)}); open it in any browser.")
