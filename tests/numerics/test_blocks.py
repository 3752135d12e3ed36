import pytest

from tacit.numerics.blocks import row_blocks


@pytest.mark.parametrize(("n_rows", "width"), [(0, 3), (1, 1), (10, 3), (10, 100), (7, 0), (12, 4)])
def test_blocks_cover_every_row_once_and_stay_within_the_entries(n_rows: int, width: int) -> None:
    blocks = list(row_blocks(n_rows, width, entries=12))
    assert [row for block in blocks for row in range(n_rows)[block]] == list(range(n_rows))
    assert all((block.stop - block.start) * width <= 12 or block.stop - block.start == 1 for block in blocks)
