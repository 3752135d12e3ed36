"""Splitting a table into parts of neighbouring rows, each small enough to be learned at once."""

import numpy as np
from numpy.typing import NDArray

from tacit.numerics.blocks import row_blocks
from tacit.numerics.kernels import Floats
from tacit.numerics.landmarks import cluster_centres, nearest_centres

# Splitting further than this at once would make the cost of a row grow with the number of parts: a table of more parts
# is first cut into pieces.
MOST_PARTS_AT_ONCE = 32
FEWEST_PIECES = 8
# Centres are found from this many rows: more would move them by less than the choice of the start does.
SAMPLE_SIZE = 20_000
# A split that leaves more than this share in one piece is no progress.
LARGEST_SHARE = 0.95

RowIndices = NDArray[np.intp]


def neighbouring_parts(Y: Floats, rows: RowIndices, part_size: int, overlap: int) -> list[RowIndices]:
    """Return parts of about ``part_size`` of the ``rows`` of Y [N, p], each row in the ``overlap`` parts nearest to it.

    Parts are clusters of k-means, [membership] Alg. 3, line 1, which has overlap 1. ``rows`` are in random order, and
    so is each part. A part of more than 2 · part_size rows is split again, so that memory and time are bounded by the
    part size however the rows lie. Where clustering hardly splits, as among equal rows, the rows are dealt out.
    """
    if len(rows) <= part_size:
        return [rows]
    n_parts = _ceil_ratio(overlap * len(rows), part_size)
    coarse = n_parts > MOST_PARTS_AT_ONCE
    if coarse:
        n_pieces = min(MOST_PARTS_AT_ONCE, max(FEWEST_PIECES, _ceil_ratio(n_parts, MOST_PARTS_AT_ONCE)))
        pieces = _split(Y, rows, n_pieces, overlap=1)
    else:
        pieces = _split(Y, rows, n_parts, overlap)
    parts: list[RowIndices] = []
    for piece in pieces:
        if len(piece) > max(2 * part_size, LARGEST_SHARE * len(rows)):
            parts += _interleaved(piece, _ceil_ratio(len(piece), part_size))
        elif coarse or len(piece) > 2 * part_size:
            parts += neighbouring_parts(Y, piece, part_size, overlap)
        else:
            parts.append(piece)
    return parts


def _split(Y: Floats, rows: RowIndices, n_parts: int, overlap: int) -> list[RowIndices]:
    """Return for each cluster of ``rows`` the rows that have its centre among their ``overlap`` nearest."""
    sample = Y[rows[:SAMPLE_SIZE]]
    centres = cluster_centres(sample, n_parts, order=np.arange(len(sample)))
    # With no more clusters than that, every part would hold every row.
    overlap = overlap if len(centres) > overlap else 1
    nearest = np.empty((len(rows), overlap), dtype=np.intp)
    # In the table's own order, since a table on disk is read one block after another.
    places = np.argsort(rows)
    for block in row_blocks(len(rows), Y.shape[1]):
        nearest[places[block]] = nearest_centres(Y[rows[places[block]]], centres, overlap)
    parts = (rows[(nearest == part).any(axis=1)] for part in range(len(centres)))
    return [part for part in parts if len(part)]


def _interleaved(rows: RowIndices, n_parts: int) -> list[RowIndices]:
    """Return the rows dealt out in turn, like cards."""
    return [np.ascontiguousarray(rows[start::n_parts]) for start in range(n_parts)]


def _ceil_ratio(count: int, size: int) -> int:
    return -(-count // size)
