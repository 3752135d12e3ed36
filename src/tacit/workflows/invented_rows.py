"""Invented rows, whatever method made them: encoded, as a table, and with the release that travels beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit import checks
from tacit.arrays import FloatArray, IntArray
from tacit.data.schemas.conditions import parse_condition
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.fabricated_rows.make import FabricatedRows
from tacit.kinds.fabricated_rows.plan import MOST_ROWS
from tacit.kinds.registry import all_kinds, kind_of
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.model import MarginalModel
from tacit.privacy.card import Card
from tacit.releases.file import Release


class InventedRows(Protocol):
    """Encoded ``X`` [N, p] in [0, 1] and class codes ``y`` [N], the schema, the card, the method."""

    @property
    def X(self) -> FloatArray:  # noqa: N802 - matrices are capitals
        """Encoded rows [N, p]."""
        ...

    @property
    def y(self) -> NDArray[Any]:
        """Class codes [N]."""
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

    def table(self) -> pl.DataFrame:
        """Return the table with the columns and types of the schema."""
        ...

    def release(self, *, table_digest: str | None = None) -> Release:
        """Return the release of the rows, or with the digest of a table file the small one beside that table."""
        ...


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Rows drawn from released tables: places in the columns' levels [N, q], class codes [N], card and method."""

    places: FloatArray
    y: IntArray
    layout: Layout
    card: Card
    method: str

    @property
    def schema(self) -> Schema:
        """The schema of the table."""
        return self.layout.schema

    @cached_property
    def X(self) -> FloatArray:  # noqa: N802 - matrices are capitals
        """Encoded rows [N, p]; wide, so made only if asked for."""
        return self.layout.encoded(self.places)

    def table(self) -> pl.DataFrame:
        """Return the table with the columns and types of the schema."""
        return self.layout.table(self.places, self.y)

    def release(self, *, table_digest: str | None = None) -> Release:
        """Return the release of the rows, or with the digest of a table file the small one beside that table."""
        X = self.X if table_digest is None else np.zeros((len(self.y), 0))
        rows = FabricatedRows(X, self.y.astype(np.intp), self.schema, self.card, self.method)
        return rows.release(table_digest=table_digest)


def table_model(release: Release, purpose: str) -> MarginalModel:
    """Return the model of the tables that ``release`` holds; raise InputError for a kind that holds none.

    ``purpose`` says what it is wanted for, such as "counts are asked of".
    """
    kind = kind_of(release)
    if not kind.holds_tables:
        methods = " or ".join(other.method for other in all_kinds() if other.holds_tables)
        raise InputError(
            f"{purpose} a release of tables; got one of kind {release.kind!r}. "
            f"Make one by `tacit release --method {methods}`."
        )
    model: MarginalModel = kind.table_model(release)
    return model


def drawn_rows(
    release: Release, *, rows: int | None = None, where: Sequence[str] = (), random_state: int | None = None
) -> DrawnRows:
    """Return ``rows`` rows drawn from a release of tables, all of which meet the conditions ``where``.

    None: about as many as the private table has. Drawing reads the release alone and costs nothing.
    """
    model = table_model(release, "rows are drawn from")
    count = model.n_rows if rows is None else checks.whole("rows", rows)
    if count > MOST_ROWS:
        raise InputError(f"rows must be at most {MOST_ROWS:,}; got {count:,}.")
    conditions = [parse_condition(text, model.layout.schema.columns) for text in where]
    seed = None if random_state is None else checks.whole("random_state", random_state, least=0) % 2**32
    places, y = model.places(count, random_state=seed, where=conditions)
    return DrawnRows(places, y, model.layout, release.card, kind_of(release).method)
