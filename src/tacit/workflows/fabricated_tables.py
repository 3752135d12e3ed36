"""Fabricated tables as files: written with their release beside them, and opened again."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from tacit.data.reading.table_source import read_table
from tacit.data.reading.tables import format_of, write_batches
from tacit.data.rows.encoding import encode
from tacit.data.schemas.schema import Schema
from tacit.errors import ReleaseError
from tacit.files.atomic import replacing
from tacit.kinds.fabricated_rows.rows import InventedRows, sidecar_release
from tacit.kinds.registry import kind_of
from tacit.records import record
from tacit.releases import sidecar
from tacit.releases.file import Release, write_release
from tacit.releases.signature import SigningKey, TrustedKey


@record
class FabricatedTable:
    """A fabricated table as it was written, with the schema that encodes it and the release beside it."""

    table: pl.DataFrame
    schema: Schema
    release: Release


def write_fabricated(rows: InventedRows, path: Path, *, signing_key: SigningKey | None = None) -> None:
    """Write the table to ``path``, CSV or Parquet by its ending, and its release beside it."""
    counts = np.zeros(max(len(rows.schema.classes), 1), dtype=np.int64)

    def tables() -> Iterator[pl.DataFrame]:
        for table, codes in rows.tables():
            counts[:] += np.bincount(codes, minlength=len(counts))
            yield table

    with replacing(path) as file:
        write_batches(tables(), file, layout=format_of(path))
    release = sidecar_release(rows, counts, sidecar.digest(path))
    write_release(release, sidecar.release_path(path), signing_key=signing_key)


def open_fabricated(path: Path) -> FabricatedTable:
    """Return the fabricated table of ``path``, which is the table or the release beside it."""
    table = sidecar.table_path(path)
    release = sidecar.open_release(table)
    if not kind_of(release).rows_beside:
        raise ReleaseError(
            f"{sidecar.release_path(table).name}: a release of kind {release.kind!r}, not of fabricated rows."
        )
    schema = Schema.from_dict(release.schema or {}, source="the release's schema")
    return FabricatedTable(read_table(table), schema, release)


def fabricated_release(path: Path, *, trusted_key: TrustedKey | None = None) -> Release:
    """Return the release of the fabricated table at ``path``, with the table's rows in it."""
    release = sidecar.open_release(path, trusted_key=trusted_key)
    opened = open_fabricated(path)
    rows = encode(opened.table, opened.schema, labels="optional", source=path.name)
    arrays = {**release.arrays, "X": rows.X.astype(np.float32), "y": rows.y.astype(np.int64)}
    return replace(release, arrays=arrays)
