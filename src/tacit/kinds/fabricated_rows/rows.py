"""Invented rows: in memory, or drawn block by block from the laws that noisy moments gave."""

import copy
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.arrays import Arrays, Codes, FloatArray, IntArray
from tacit.data.rows.encoding import decode
from tacit.data.schemas.schema import Schema
from tacit.kinds.fabricated_rows import FILE
from tacit.kinds.fabricated_rows.directions import directions_of
from tacit.kinds.fabricated_rows.gaussians import ClassGaussians, dealt_codes
from tacit.kinds.fabricated_rows.valid_cells import to_valid_cells
from tacit.numerics.public_random import PublicRandom, quick_generator
from tacit.privacy.card import Card
from tacit.records import record
from tacit.releases.file import Release

# Rows drawn at once.
BLOCK = 1 << 14
CodedRows = tuple[FloatArray, Codes]


class InventedRows(Protocol):
    """Invented rows, whatever method made them: encoded, as a table, and with the release that travels with them."""

    @property
    def X(self) -> FloatArray:  # noqa: N802 - matrices are capitals
        """Encoded rows [N, p] in [0, 1]."""
        ...

    @property
    def y(self) -> NDArray[Any]:
        """Class codes [N]."""
        ...

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        ...

    @property
    def schema(self) -> Schema:
        """The schema of the table."""
        ...

    @property
    def card(self) -> Card:
        """What is guaranteed."""
        ...

    @property
    def method(self) -> str:
        """How they were made."""
        ...

    def tables(self) -> Iterator[tuple[pl.DataFrame, NDArray[Any]]]:
        """Yield the table block by block, and the class codes of each block."""
        ...

    def table(self) -> pl.DataFrame:
        """Return the table with the columns and types of the schema."""
        ...

    def release(self) -> Release:
        """Return the release that holds the encoded rows and their codes."""
        ...


def rows_release(rows: InventedRows) -> Release:
    """Return the release that holds the encoded rows themselves."""
    arrays: Arrays = {"X": rows.X.astype(np.float32), "y": rows.y.astype(np.int64)}
    return _release(rows, np.bincount(rows.y, minlength=len(rows.schema.classes)), arrays, {})


def sidecar_release(rows: InventedRows, counts: IntArray, table_digest: str) -> Release:
    """Return the small release that travels beside a table file.

    ``counts`` [C] are the rows of each class, ``table_digest`` the SHA-256 of the file.
    """
    return _release(rows, counts, {}, {"table_sha256": table_digest})


def _release(rows: InventedRows, counts: IntArray, arrays: Arrays, settings: dict[str, Any]) -> Release:
    known = {"method": rows.method, "rows": rows.n_rows}
    return Release(FILE, {"counts": counts, **arrays}, {**known, **settings}, rows.card, rows.schema.to_dict())


def as_table(X: FloatArray, y: Codes, schema: Schema) -> pl.DataFrame:
    """Return encoded rows as a table with the columns of the schema in their order."""
    columns = decode(X, schema, y=y)
    return columns.select([column.name for column in schema.columns if column.name in columns.columns])


@record
class FabricatedRows:
    """Invented rows in memory: encoded ``X`` [N, p] in [0, 1], class codes ``y`` [N], schema, card and method."""

    X: FloatArray
    y: Codes
    schema: Schema
    card: Card
    method: str

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.y)

    def tables(self) -> Iterator[tuple[pl.DataFrame, Codes]]:
        """Yield the table block by block, and the class codes of each block."""
        for start in range(0, len(self.y), BLOCK):
            rows = slice(start, start + BLOCK)
            yield as_table(self.X[rows], self.y[rows], self.schema), self.y[rows]

    def table(self) -> pl.DataFrame:
        """Return the table with the columns and types of the schema."""
        return as_table(self.X, self.y, self.schema)

    def release(self) -> Release:
        """Return the release that holds the encoded rows and their codes."""
        return rows_release(self)


@record
class GaussianRows:
    """Rows drawn from one Gaussian for each class, the same ones at every pass; memory holds a block of them."""

    laws: ClassGaussians
    n_rows: int
    random: PublicRandom
    """Where the draws start; it is copied and never moved."""
    schema: Schema
    card: Card

    @property
    def method(self) -> str:
        """How they were made."""
        return "moments"

    @cached_property
    def _rows(self) -> CodedRows:
        X, y = zip(*self.blocks(), strict=True)
        return np.concatenate(X), np.concatenate(y)

    @property
    def X(self) -> FloatArray:  # noqa: N802 - matrices are capitals
        """Encoded rows [N, p]; wide, so made only if asked for."""
        return self._rows[0]

    @property
    def y(self) -> Codes:
        """Class codes [N]."""
        return self._rows[1]

    def blocks(self) -> Iterator[CodedRows]:
        """Yield encoded rows and class codes, block by block."""
        random, directions = copy.deepcopy(self.random), directions_of(self.schema)
        codes = dealt_codes(self.laws.shares, self.n_rows, random)
        rates, chance = directions.rows(self.laws.means), quick_generator(random)
        for start in range(0, self.n_rows, BLOCK):
            labels = codes[start : start + BLOCK]
            rows = directions.rows(self.laws.draw(labels, chance))
            yield to_valid_cells(rows, labels, self.schema, rates, chance), labels

    def tables(self) -> Iterator[tuple[pl.DataFrame, Codes]]:
        """Yield the table block by block, and the class codes of each block."""
        for X, y in self.blocks():
            yield as_table(X, y, self.schema), y

    def table(self) -> pl.DataFrame:
        """Return the table with the columns and types of the schema."""
        return as_table(self.X, self.y, self.schema)

    def release(self) -> Release:
        """Return the release that holds the encoded rows and their codes."""
        return rows_release(self)
