"""Report on a file: a page about a model, a release or a fabricated table."""

from pathlib import Path

from tacit.errors import InputError
from tacit.files.atomic import write_text
from tacit.files.outputs import require_output
from tacit.files.regular import FilePath
from tacit.releases.sidecar import open_release
from tacit.workflows.models import is_model_file, read_model
from tacit.workflows.report import report_model, report_release
from tacit.workflows.report_fabricated import report_fabricated


def report(
    file: FilePath,
    *,
    test: FilePath | None = None,
    originals: FilePath | None = None,
    output: FilePath | None = None,
    force: bool = False,
) -> str:
    """Return one self-contained HTML page about ``file``, and write it if ``output`` is given.

    Parameters
    ----------
    file : path
        A model, a release (``*.tacit``) or a fabricated table.
    test : path or None
        Of a model: labelled rows that it has not seen, to measure it on.
    originals : path or None
        Of a fabricated table: the private rows, to be laid beside it.
    output : path or None
        Where the page goes; an existing file is refused without ``force``.
    """
    if output is not None:
        inputs = [Path(path) for path in (file, test, originals) if path is not None]
        require_output(Path(output), force=force, inputs=inputs)
    page = _page(Path(file), test, None if originals is None else Path(originals))
    if output is not None:
        write_text(Path(output), page)
    return page


def _page(file: Path, test: FilePath | None, originals: Path | None) -> str:
    if is_model_file(file):
        _refuse_originals(originals)
        return report_model(read_model(file), test=test)
    release = open_release(file)
    if test is not None:
        raise InputError("--test is for models: a release predicts nothing by itself. Adopt it first.")
    # Only a fabricated table is tied to its release by a digest.
    if "table_sha256" in release.settings:
        return report_fabricated(file, originals=originals)
    _refuse_originals(originals)
    return report_release(release)


def _refuse_originals(originals: Path | None) -> None:
    if originals is not None:
        raise InputError("--originals is for fabricated tables, from `tacit fabricate`; leave it out.")
