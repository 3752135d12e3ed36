"""Slices of rows, so that a table with one column per landmark never has to exist at once."""

from collections.abc import Callable, Iterator

import numpy as np

from tacit.arrays import FloatArray

# Entries of one block's table: 2^22 doubles are 32 MB, well past where a matrix product reaches full speed.
ENTRIES_AT_ONCE = 2**22
# Rows of a full block.
BLOCK_ROWS = 1024


def row_blocks(n_rows: int, width: int, *, entries: int = ENTRIES_AT_ONCE) -> Iterator[slice]:
    """Yield slices that cover ``n_rows`` rows, each of at most ``entries / width`` rows and at least one."""
    step = max(1, entries // max(1, width))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def in_full_blocks(function: Callable[[FloatArray], FloatArray], X: FloatArray, size: int = BLOCK_ROWS) -> FloatArray:
    """Return what ``function`` makes of rows ``X`` [N, p], ``size`` of them at a time, filled up with zeros at the end.

    Matrix products round the rows of a ragged block differently; in full blocks a row's result depends on that row
    alone, wherever it stands in the table.
    """
    results = []
    for start in range(0, max(len(X), 1), size):  # no rows: none of one block
        rows = X[start : start + size]
        block = np.zeros((size, X.shape[1]))
        block[: len(rows)] = rows
        results.append(function(block)[: len(rows)])
    return np.concatenate(results)
