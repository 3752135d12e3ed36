"""Slices of rows, so that a table with one column per landmark never has to exist at once."""

from collections.abc import Iterator

# Entries of one block's table: 2^22 doubles are 32 MB, well past where a matrix product reaches full speed.
ENTRIES_AT_ONCE = 2**22


def row_blocks(n_rows: int, width: int, *, entries: int = ENTRIES_AT_ONCE) -> Iterator[slice]:
    """Yield slices that cover ``n_rows`` rows, each of at most ``entries / width`` rows and at least one."""
    step = max(1, entries // max(1, width))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))
