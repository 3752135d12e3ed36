"""Gathers what the page about a fabricated table says from its files, and from the owner's own table if given."""

from dataclasses import replace
from pathlib import Path

from tacit.data.encoding import encode, encode_file
from tacit.pages.fabricated import FabricatedFacts, fabricated_page
from tacit.workflows.fabricated_tables import open_fabricated


def report_fabricated(file: Path, *, originals: Path | None = None) -> str:
    """Return the page about the fabricated table of ``file``, beside the rows of ``originals`` if given."""
    opened = open_fabricated(file)
    # The private table may have columns that the schema reads past; the fabricated one does not.
    rows = encode(opened.table, opened.schema, labels="optional", source=file.name)
    original = None
    if originals is not None:
        given = encode_file(originals, opened.schema, labels="optional")
        known = given.y >= 0
        original = replace(given, X=given.X[known], y=given.y[known])
    drawn = opened.release.settings.get("method") == "moments"
    return fabricated_page(FabricatedFacts(rows, opened.schema, opened.release.card, drawn=drawn, original=original))
