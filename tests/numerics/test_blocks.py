import numpy as np
import pytest

from tacit.numerics.blocks import in_full_blocks, row_blocks


@pytest.mark.parametrize(("n_rows", "width"), [(0, 3), (1, 1), (10, 3), (10, 100), (7, 0), (12, 4)])
def test_blocks_cover_every_row_once_and_stay_within_the_entries(n_rows: int, width: int) -> None:
    blocks = list(row_blocks(n_rows, width, entries=12))
    assert [row for block in blocks for row in range(n_rows)[block]] == list(range(n_rows))
    assert all((block.stop - block.start) * width <= 12 or block.stop - block.start == 1 for block in blocks)


@pytest.mark.parametrize("n_rows", [0, 1, 4, 10])
def test_full_blocks_give_what_the_function_gives(n_rows: int) -> None:
    rng = np.random.default_rng(0)
    X, W = rng.random((n_rows, 3)), rng.random((3, 2))
    np.testing.assert_allclose(in_full_blocks(lambda rows: rows @ W, X, size=4), X @ W)


def test_a_row_gives_the_same_bits_wherever_it_stands() -> None:
    rng = np.random.default_rng(1)
    X, W = rng.random((2051, 17)), rng.random((17, 13))
    order = rng.permutation(len(X))
    first, second = (in_full_blocks(lambda rows: np.tanh(rows @ W), rows) for rows in (X, X[order]))
    assert first[order].tobytes() == second.tobytes()
