"""Rows drawn from released tables: encoded, as a table, and with the release that travels beside them."""

import copy
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import polars as pl

from tacit import checks
from tacit.arrays import FloatArray, IntArray
from tacit.data.schemas.conditions import Condition, parse_condition
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.fabricated_rows.plan import MOST_ROWS
from tacit.kinds.fabricated_rows.rows import rows_release
from tacit.kinds.registry import all_kinds, kind_of
from tacit.models.marginals.model import MarginalModel
from tacit.numerics.public_random import PublicRandom, public_random
from tacit.privacy.card import Card
from tacit.records import record
from tacit.releases.file import Release


@record
class DrawnRows:
    """Rows drawn from released tables, the same ones at every pass; memory holds a block of them."""

    model: MarginalModel
    n_rows: int
    where: tuple[Condition, ...]
    """What all rows meet."""
    random: PublicRandom
    """Where the draws start; it is copied and never moved."""
    card: Card
    method: str
    """Those of the release."""

    @property
    def schema(self) -> Schema:
        """The schema of the table."""
        return self.model.layout.schema

    @cached_property
    def _rows(self) -> tuple[FloatArray, IntArray]:
        places, classes = zip(*self.blocks(), strict=True)
        return np.concatenate(places), np.concatenate(classes)

    @property
    def places(self) -> FloatArray:
        """Places in the columns' levels [N, q]."""
        return self._rows[0]

    @property
    def y(self) -> IntArray:
        """Class codes [N]."""
        return self._rows[1]

    @cached_property
    def X(self) -> FloatArray:  # noqa: N802 - matrices are capitals
        """Encoded rows [N, p]; wide, so made only if asked for."""
        return self.model.layout.encoded(self.places)

    def blocks(self) -> Iterator[tuple[FloatArray, IntArray]]:
        """Yield places and class codes, block by block."""
        return self.model.place_blocks(self.n_rows, random_state=copy.deepcopy(self.random), where=self.where)

    def tables(self) -> Iterator[tuple[pl.DataFrame, IntArray]]:
        """Yield the table block by block, and the class codes of each block."""
        for places, y in self.blocks():
            yield self.model.layout.table(places, y), y

    def table(self) -> pl.DataFrame:
        """Return the table with the columns and types of the schema."""
        return self.model.layout.table(self.places, self.y)

    def release(self) -> Release:
        """Return the release that holds the encoded rows and their codes."""
        return rows_release(self)


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
    conditions = tuple(parse_condition(text, model.layout.schema.columns) for text in where)
    seed = None if random_state is None else checks.whole("random_state", random_state, least=0) % 2**32
    return DrawnRows(model, count, conditions, public_random(seed), release.card, kind_of(release).method)
