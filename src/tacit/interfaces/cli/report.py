"""``tacit report``: a page to read about an adopted model or a release."""

import zipfile
from pathlib import Path
from typing import Annotated

import typer

from tacit.errors import InputError
from tacit.interfaces.cli.outputs import file_size, require_output, working


def report(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A model, a release (*.tacit), a fabricated table.", show_default=False),
    ],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="HTML", help="Where the page goes.", show_default=False)
    ],
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
    from tacit.files.atomic import write_text  # noqa: PLC0415 - keeps the command line quick to start

    require_output(output, force=force, inputs=[each for each in (file, test, originals) if each])
    with working(f"reporting on {file.name}"):
        page = _page(file, test, originals)
    write_text(output, page)
    typer.echo(f"wrote {output} ({file_size(output)}); open it in any browser.")


def _page(file: Path, test: Path | None, originals: Path | None) -> str:
    from tacit.releases.sidecar import open_release  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.workflows.models import open_model  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.workflows.report import report_model, report_release  # noqa: PLC0415 - keeps it quick to start

    if _is_model(file):
        _refuse_originals(originals)
        return report_model(open_model(file), test=test)
    release = open_release(file)
    if test is not None:
        raise InputError("--test is for models: a release predicts nothing by itself. Adopt it first.")
    if release.kind == "fabricated":
        return _fabricated(file, originals)
    _refuse_originals(originals)
    return report_release(release)


def _fabricated(file: Path, originals: Path | None) -> str:
    from tacit.workflows.report_fabricated import (  # noqa: PLC0415 - keeps the command line quick to start
        report_fabricated,
    )

    return report_fabricated(file, originals=originals)


def _refuse_originals(originals: Path | None) -> None:
    if originals is not None:
        raise InputError("--originals is for fabricated tables, from `tacit fabricate`; leave it out.")


def _is_model(file: Path) -> bool:
    """Whether to read ``file`` as a model; whatever is wrong with it, the readers say."""
    from tacit.releases.container import MODEL  # noqa: PLC0415 - keeps the command line quick to start

    try:
        with zipfile.ZipFile(file) as archive:
            return MODEL.document in archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile):
        return False
