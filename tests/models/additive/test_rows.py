"""Rows as levels in batches."""

import numpy as np
import pytest
from tests.models.additive.tables import COLUMNS, random_codes

from tacit.data.rows.held import LocalParts
from tacit.errors import InputError
from tacit.models.additive import rows
from tacit.models.additive.rows import RowLayout, batch_list


def test_an_indicator_has_a_one_at_each_level_of_a_row() -> None:
    codes = random_codes(50)
    layout = RowLayout(COLUMNS)
    dense = layout.indicator(codes).toarray()
    expected = np.zeros((50, layout.size))
    for row in range(50):
        for column, part in enumerate(layout.parts()):
            expected[row, part.start + int(codes[row, column])] = 1
    np.testing.assert_array_equal(dense, expected)


def test_the_parts_of_a_layout_are_side_by_side() -> None:
    layout = RowLayout(COLUMNS)
    parts = list(layout.parts())
    assert parts[0].start == 0
    assert parts[-1].stop == layout.size
    assert [part.stop - part.start for part in parts] == [one.size for one in COLUMNS]


def test_codes_of_another_number_of_columns_are_refused() -> None:
    with pytest.raises(InputError, match="4 columns; got 3"):
        RowLayout(COLUMNS).indicator(random_codes(5)[:, :3])


def test_batches_hold_every_row_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "BATCH_ROWS", 7)
    codes, targets = random_codes(30), np.arange(30)
    batches = batch_list(codes, targets, COLUMNS)
    assert [len(batch) for batch in batches] == [7, 7, 7, 7, 2]
    np.testing.assert_array_equal(np.concatenate([batch.target for batch in batches]), targets)


def test_the_ones_of_full_batches_are_shared() -> None:
    layout = RowLayout(COLUMNS)
    first, second = layout.indicator(random_codes(8, 0)), layout.indicator(random_codes(8, 1))
    assert np.shares_memory(first.data, second.data)


def test_sums_are_those_of_all_parts_and_a_part_without_rows_adds_nothing() -> None:
    codes, targets = random_codes(30), np.arange(30)
    parts = [batch_list(codes[:20], targets[:20], COLUMNS), [], batch_list(codes[20:], targets[20:], COLUMNS)]
    batches = rows.Batches(LocalParts(parts))

    def sums(batch: rows.RowBatch) -> tuple[np.ndarray, ...]:
        return np.array(batch.target.sum()), np.array(len(batch))

    assert [int(total) for total in batches.sums(sums)] == [targets.sum(), 30]
    doubled = [rows.RowBatch(batch.indicator, 2 * batch.target) for part in parts for batch in part]
    for twice in (batches.viewed(_doubled), batches.mapped(_doubled)):
        assert twice.sums(sums)[0] == sum(batch.target.sum() for batch in doubled)


def _doubled(batch: rows.RowBatch) -> rows.RowBatch:
    return rows.RowBatch(batch.indicator, 2 * batch.target)
