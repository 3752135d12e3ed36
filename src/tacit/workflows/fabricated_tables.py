"""Fabricated tables as files: written with their release beside them, and opened again."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tacit.data.schema import Schema
from tacit.data.tables import format_of, read_table, write_table
from tacit.errors import ReleaseError
from tacit.files.atomic import replacing
from tacit.kinds.fabricated_rows.make import KIND, Fabricated
from tacit.releases.file import Release, write_release
from tacit.releases.sidecar import digest, open_release, release_path, table_path
from tacit.releases.signature import SigningKey


@dataclass(frozen=True, eq=False)
class FabricatedTable:
    """A fabricated table as it was written, with the schema that encodes it and the release beside it."""

    table: pl.DataFrame
    schema: Schema
    release: Release


def write_fabricated(fabricated: Fabricated, path: Path, *, signing_key: SigningKey | None = None) -> None:
    """Write the table to ``path``, CSV or Parquet by its ending, and its release beside it."""
    with replacing(path) as file:
        write_table(fabricated.table(), file, layout=format_of(path))
    write_release(fabricated.release(table_digest=digest(path)), release_path(path), signing_key=signing_key)


def open_fabricated(path: Path) -> FabricatedTable:
    """Return the fabricated table of ``path``, which is the table or the release beside it."""
    table = table_path(path)
    release = open_release(table)
    if release.kind != KIND:
        raise ReleaseError(f"{release_path(table).name}: a release of kind {release.kind!r}, not of fabricated rows.")
    schema = Schema.from_dict(release.schema or {}, source="the release's schema")
    return FabricatedTable(read_table(table), schema, release)
