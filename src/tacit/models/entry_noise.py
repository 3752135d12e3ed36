"""Noise in every entry of encoded rows: its mechanism, and weights by which one entry moves its columns alike."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from tacit.arrays import Codes, FloatArray, Rows
from tacit.data.rows.encoded_columns import BLOCK, EncodedColumns
from tacit.data.schemas.schema import PUBLIC, Schema
from tacit.errors import InputError
from tacit.privacy.account import Account, Step
from tacit.privacy.mechanisms import EntryNoise

ENTRY_ADJACENCY = "two tables are neighbours if one entry of one row differs, within its public bounds or categories"
PLAIN = "an entry scaled to [0, 1] changes by at most 1"
MIXED = "an entry moves the columns that encode it by at most 2 in 1-norm: a doubled number or two one-hot columns"


def entry_weights(schema: Schema) -> FloatArray:
    """Return by what each encoded column is multiplied so that any entry moves its columns by at most 2 in 1-norm.

    A number alone in its column moves it by at most 1 and is doubled; a category moves two columns by 1 each, and a
    number with a flag for missing moves both by at most 1.
    """
    alone = [len(column.encoded_names) == 1 for column in schema.features for _ in column.encoded_names]
    return np.where(alone, 2.0, 1.0)


def unprotected_by_entries(kept: float) -> list[str]:
    """Return what noise in every entry does not protect; about ``kept`` entries keep their value."""
    return [
        PUBLIC,
        "labels, class counts and the number of rows",
        "whole records, beyond the weaker guarantee stated for a record",
        f"about {kept:.3g} entries that keep their value, by the noise's atom at zero",
    ]


def entry_step(schema: Schema, epsilon: float, delta: float, what: str) -> Step:
    """Return the one query of an entry-level release: noise in every entry ([membership] Alg. 5, [hull] Alg. 1).

    Its sensitivity is counted over the columns that encode an entry.
    """
    plain = bool((entry_weights(schema) == 2).all())
    mechanism = EntryNoise(epsilon, delta, 1.0) if plain else EntryNoise(epsilon, delta, 2.0, coordinates=2)
    return Step(mechanism, what, PLAIN if plain else MIXED)


def noisy_rows(account: Account, X: Rows, schema: Schema) -> tuple[FloatArray, FloatArray]:
    """Return rows with noise in every entry [N, p], and the scale of the noise in each column [p]."""
    mechanism, weights = _mechanism_and_weights(account, schema)
    noisy = account.release(mechanism, X * weights) / weights
    return noisy, mechanism.scale / weights


def noisy_blocks(
    account: Account, batches: Iterable[EncodedColumns], schema: Schema
) -> tuple[Iterator[tuple[FloatArray, Codes]], FloatArray]:
    """Return blocks of rows with noise in every entry [BLOCK, p] and their class codes, and the noise's scale [p].

    Blocks are of one size, the last one excepted, however the rows come: which noise a row gets hangs on its place in
    the table alone.
    """
    mechanism, weights = _mechanism_and_weights(account, schema)
    codes: deque[Codes] = deque()

    def weighted() -> Iterator[FloatArray]:
        for X, y in _blocks_of_one_size(batches):
            codes.append(y)
            yield X * weights

    noisy = account.release_blocks(mechanism, weighted())
    return ((block / weights, codes.popleft()) for block in noisy), mechanism.scale / weights


def _blocks_of_one_size(batches: Iterable[EncodedColumns]) -> Iterator[tuple[Rows, Codes]]:
    pieces: list[EncodedColumns] = []
    for batch in batches:
        for piece in batch.slices(BLOCK, BLOCK - sum(map(len, pieces))):
            pieces.append(piece)
            if sum(map(len, pieces)) == BLOCK:
                yield _matrix(pieces)
                pieces = []
    if pieces:
        yield _matrix(pieces)


def _matrix(pieces: Sequence[EncodedColumns]) -> tuple[Rows, Codes]:
    X = np.concatenate([piece.matrix() for piece in pieces])
    return X, np.concatenate([piece.y for piece in pieces]).astype(np.intp)


def _mechanism_and_weights(account: Account, schema: Schema) -> tuple[EntryNoise, FloatArray]:
    mechanism = account.steps[0].mechanism
    if not isinstance(mechanism, EntryNoise):
        raise InputError("an entry-level plan holds entry noise.")
    # With numbers only, the mechanism's unit is one column and nothing needs doubling.
    return mechanism, entry_weights(schema) if mechanism.coordinates > 1 else np.ones(len(schema.encoded_names))
