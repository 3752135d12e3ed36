import numpy as np
import pytest
from tests.models.marginals.conftest import SCHEMA, people

from tacit.data.reading.table_source import open_table
from tacit.data.rows.encoding import Place, decode, encode, encode_columns
from tacit.data.rows.stream import ArrayRows, SourceRows
from tacit.models.marginals.counting import BatchCounts, StreamCounts, level_counts, pair_counts, range_counts
from tacit.models.marginals.layout import Layout, encoded_batches

LAYOUT = Layout.of(SCHEMA)
ROWS = encode(people(200), SCHEMA)
CODES = LAYOUT.row_codes(ROWS.X)


def test_counts_of_levels_equal_a_loop() -> None:
    for j, counts in enumerate(level_counts(encoded_batches(ROWS.X, ROWS.y, SCHEMA), LAYOUT)):
        expected = np.zeros(counts.shape, dtype=int)
        for code, label in zip(CODES[:, j], ROWS.y, strict=True):
            expected[label, code] += 1
        assert np.array_equal(counts, expected)


def test_counts_of_pairs_equal_a_loop() -> None:
    cells = [np.arange(column.size) % 3 for column in LAYOUT.columns]
    pairs = [(0, 3), (2, 5)]
    found = pair_counts(encoded_batches(ROWS.X, ROWS.y, SCHEMA), cells, pairs, 3)
    for (i, j), counts in zip(pairs, found, strict=True):
        expected = np.zeros((3, 3, 3), dtype=int)
        for codes, label in zip(CODES, ROWS.y, strict=True):
            expected[label, codes[i] % 3, codes[j] % 3] += 1
        assert np.array_equal(counts, expected)


def test_counts_do_not_depend_on_the_order_or_the_batches_of_rows() -> None:
    order = np.random.default_rng(1).permutation(len(ROWS.y))
    cells = [np.minimum(np.arange(column.size), 1) for column in LAYOUT.columns]
    whole = encoded_batches(ROWS.X, ROWS.y, SCHEMA)
    parts = encoded_batches(ROWS.X[order], ROWS.y[order], SCHEMA, size=7)
    for first, second in zip(level_counts(whole, LAYOUT), level_counts(parts, LAYOUT), strict=True):
        assert np.array_equal(first, second)
    assert np.array_equal(pair_counts(whole, cells, [(0, 1)], 3)[0], pair_counts(parts, cells, [(0, 1)], 3)[0])


def test_ranges_are_summed() -> None:
    counts = np.arange(12).reshape(2, 6)
    assert range_counts(counts, np.array([[0, 2], [2, 2], [1, 6]])).tolist() == [[1, 0, 15], [13, 0, 45]]


@pytest.mark.parametrize("size", [1, 7, 10**6])
def test_rows_that_are_read_again_have_the_counts_of_those_in_memory(size: int) -> None:
    rng = np.random.default_rng(2)
    cells = [rng.integers(0, 3, column.size) for column in LAYOUT.columns]
    whole = BatchCounts(encoded_batches(ROWS.X, ROWS.y, SCHEMA), LAYOUT)
    table = decode(ROWS.X, SCHEMA, y=ROWS.y)
    for rows in (ArrayRows(ROWS.X, ROWS.y, size=size), SourceRows(open_table(table), SCHEMA, size=size)):
        counts = StreamCounts(rows, LAYOUT)
        for first, second in zip(whole.levels, counts.levels, strict=True):
            assert np.array_equal(first, second)
        pairs = [(0, 1), (1, 2)]
        for first, second in zip(whole.pairs(cells, pairs), counts.pairs(cells, pairs), strict=True):
            assert np.array_equal(first, second)


def test_a_batch_that_is_encoded_by_columns_has_the_codes_of_its_matrix() -> None:
    table = decode(ROWS.X, SCHEMA, y=ROWS.y)
    columns = encode_columns(table, SCHEMA, place=Place())
    assert len(columns.parts) == len(LAYOUT.columns)
    assert np.array_equal(LAYOUT.column_codes(columns), LAYOUT.row_codes(columns.matrix()))
