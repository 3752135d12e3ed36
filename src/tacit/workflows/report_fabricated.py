"""The report on a fabricated table, from its files and, if given, the owner's own table."""

from dataclasses import replace
from pathlib import Path

from tacit.data.rows.encoding import encode, encode_file
from tacit.kinds.registry import fabricating_kinds
from tacit.pages.fabricated import FabricatedFacts, fabricated_page
from tacit.workflows.fabricated_tables import open_fabricated


def report_fabricated(file: Path, originals: Path | None = None) -> str:
    """Return the page about the fabricated table of ``file``, beside the rows of ``originals`` if given."""
    fabricated = open_fabricated(file)
    # The private table may have columns that the schema reads past; the fabricated one does not.
    rows = encode(fabricated.table, fabricated.schema, labels="optional", source=file.name)
    original = None
    if originals is not None:
        private = encode_file(originals, fabricated.schema, labels="optional")
        labelled = private.y >= 0
        original = replace(private, X=private.X[labelled], y=private.y[labelled])
    release = fabricated.release
    method = str(release.settings.get("method"))
    drawn = method in fabricating_kinds() and method != "hull"
    return fabricated_page(
        FabricatedFacts(rows, fabricated.schema, release.card, drawn=drawn, method=method, original=original)
    )
