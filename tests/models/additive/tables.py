"""Small random tables in levels, with a row that can be added."""

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray
from tacit.models.additive.levels import ColumnLevels, LevelCodes, number_levels
from tacit.models.additive.rows import Batches, batches_of

COLUMNS = (
    number_levels("age", 0, 30, integer=True),
    number_levels("dose", -1.0, 4.0),
    ColumnLevels("sex", np.zeros(0), ("f", "m")),
    ColumnLevels("city", np.zeros(0), tuple("abcde")),
)


def classes(n_classes: int) -> ColumnLevels:
    return ColumnLevels("class", np.zeros(0), tuple(map(str, range(n_classes))))


def random_codes(n_rows: int, seed: int = 0) -> LevelCodes:
    random = np.random.default_rng(seed)
    return np.column_stack([random.integers(0, one.size, n_rows) for one in COLUMNS]).astype(np.uint8)


def random_batches(n_rows: int, n_classes: int, seed: int = 0) -> Batches:
    return batches_of(random_codes(n_rows, seed), random_targets(n_rows, n_classes, seed), COLUMNS)


def random_targets(n_rows: int, n_classes: int, seed: int = 0) -> NDArray[np.intp]:
    return np.random.default_rng(seed + 1).integers(0, n_classes, n_rows).astype(np.intp)


def with_row(codes: LevelCodes, targets: NDArray[np.intp] | FloatArray, row: LevelCodes, target: float) -> Batches:
    rows = np.vstack([codes, row])
    if targets.dtype == np.float64:
        return batches_of(rows, np.append(targets.astype(np.float64), target), COLUMNS)
    return batches_of(rows, np.append(targets.astype(np.intp), np.intp(target)), COLUMNS)
