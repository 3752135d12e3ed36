"""Class scores of rows by the coarse cells of their columns, learned from rows that the model invents."""

import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from tacit.arrays import Arrays, FloatArray, IntArray, Rows
from tacit.data.schemas.schema import Schema
from tacit.models.column_scores import ColumnMatch
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.levels import GRID
from tacit.models.marginals.model import MarginalModel
from tacit.records import record

# Rows to learn from: so many times those of the table, at most so many.
ROWS_FACTOR, MOST_ROWS = 2, 200_000
# Inverse strength of the ridge, and the rows per noise of a pair's count below which it falls; chosen on halves of the
# training rows of Adult and Bank.
LARGEST_C, LEAST_C, CLEAR_ROWS = 0.1, 0.003, 370.0
STEPS = 60
# The seed of the invented rows is public and fixed, so that one release always gives the same scores.
SEED = 0


@record
class CellScores:
    """Scores b + sum over columns of the weight of the row's cell; close to log p(class | row), up to a constant.

    A cell that the receiver does not know has the mean weight of its column.
    """

    match: ColumnMatch
    """The receiver's encoded columns and the owner's."""
    schema: Schema
    """The owner's."""
    columns: IntArray
    """[u]: positions of the features that are used."""
    sizes: IntArray
    """[u]: how many fine cells each has."""
    edges: IntArray
    """[S]: first level of each fine cell, column by column."""
    weights: FloatArray
    """[S, T]: of each fine cell; those of one coarse cell are equal."""
    means: FloatArray
    """[u, T]"""
    offsets: FloatArray
    """[T]"""
    grid: int = GRID
    """The owner's grid of levels."""

    def __call__(self, X: Rows) -> FloatArray:
        """Return scores [N, T] of the receiver's encoded rows."""
        rows = self.match.placed(X, np.full(len(self.schema.encoded_names), np.nan))
        codes = self._layout.row_codes(np.nan_to_num(rows))
        scores = np.tile(self.offsets, (len(X), 1))
        ends = np.cumsum(self.sizes)
        for place, j in enumerate(self.columns):
            own_cells = slice(ends[place] - self.sizes[place], ends[place])
            cells = np.searchsorted(self.edges[own_cells], codes[:, j], side="right") - 1
            known = self._known(rows, int(j))
            scores += np.where(known[:, None], self.weights[own_cells][cells], self.means[place])
        return scores

    @cached_property
    def _layout(self) -> Layout:
        return Layout.of(self.schema, self.grid)

    def _known(self, rows: FloatArray, j: int) -> NDArray[np.bool_]:
        """Return which rows have a cell of column j that the owner's schema knows."""
        column = self._layout.columns[j]
        places = self.schema.positions[column.name]
        if column.ordered:
            known: NDArray[np.bool_] = ~np.isnan(rows[:, places.start])
        else:
            known = np.nan_to_num(rows[:, places.start : places.stop]).max(axis=1) > 0.5
        return known

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        own = {name: getattr(self, name) for name in ("columns", "sizes", "edges", "weights", "means", "offsets")}
        return {**self.match.arrays(), **own}, {"owner_schema": self.schema.to_dict(), "grid": self.grid}


def stored_cell_scores(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> CellScores:
    """Return the scores that ``to_parts`` took apart."""
    own = {name: arrays[name] for name in ("columns", "sizes", "edges", "weights", "means", "offsets")}
    schema = Schema.from_dict(settings["owner_schema"], source="the model's schema of the owner")
    return CellScores(ColumnMatch.from_arrays(arrays), schema, grid=int(settings.get("grid", 1)), **own)


def _invented_rows(model: MarginalModel, target: int | None) -> tuple[IntArray, IntArray, int]:
    """Return level codes of rows that the model invents, the classes to tell, and how many there are."""
    places, y = model.places(min(ROWS_FACTOR * model.n_rows, MOST_ROWS), random_state=SEED)
    codes, label = places.astype(np.int64), model.layout.label
    if target is None:
        return codes, y, 1 if label is None else label.count
    return codes, codes[:, target], model.layout.columns[target].size


def cell_scores(
    model: MarginalModel, match: ColumnMatch, columns: Sequence[int], target: int | None = None
) -> CellScores:
    """Return the scores of the label, or of the categorical column ``target``, from the features ``columns``.

    A logistic regression with a ridge on the coarse cells of rows that the model invents.
    """
    codes, classes, n_classes = _invented_rows(model, target)
    tables = [model.measurement.columns[j] for j in columns]
    cells = [
        table.groups[np.searchsorted(table.ranges[:, 0], codes[:, j], side="right") - 1]
        for j, table in zip(columns, tables, strict=True)
    ]
    sizes = [table.n_groups for table in tables]
    W, b = regression(cells, sizes, classes, n_classes, ridge_strength(model))
    parts = np.split(W, np.cumsum(sizes)[:-1])
    means = [
        part.T @ (np.bincount(cell, minlength=len(part)) / len(cell)) for part, cell in zip(parts, cells, strict=True)
    ]
    return CellScores(
        match,
        model.layout.schema,
        np.array(columns, dtype=np.int64),
        np.array([len(table.ranges) for table in tables], dtype=np.int64),
        np.concatenate([table.ranges[:, 0] for table in tables]).astype(np.int64),
        np.vstack([part[table.groups] for part, table in zip(parts, tables, strict=True)]),
        np.stack(means),
        b,
        model.layout.grid,
    )


def ridge_strength(model: MarginalModel) -> float:
    """Return the inverse strength of the ridge: smaller where the tables' noise is large for their rows."""
    clearness = model.n_rows / (CLEAR_ROWS * model.measurement.pair_sigma)
    return max(LARGEST_C * min(1.0, clearness), LEAST_C)


def regression(
    cells: Sequence[NDArray[np.intp]], sizes: Sequence[int], classes: IntArray, n_classes: int, strength: float
) -> tuple[FloatArray, FloatArray]:
    """Return weights [A, T] and offsets [T] of a logistic regression on one-hot cells; of absent classes very low."""
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    indices = np.stack([cell + start for cell, start in zip(cells, starts, strict=True)], axis=1)
    shape = (len(classes), int(sum(sizes)))
    ends = np.arange(0, indices.size + 1, len(sizes))
    design = csr_matrix((np.ones(indices.size, dtype=np.float32), indices.ravel(), ends), shape=shape)
    present = np.unique(classes)
    # A class that no invented row has is as rare as less than one row.
    W, b = np.zeros((shape[1], n_classes)), np.full(n_classes, -np.log(len(classes) + 1.0))
    if len(present) < 2:
        b[present] = 0.0
        return W, b
    learner = LogisticRegression(C=strength, max_iter=STEPS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # weights close to the best ones rank rows as well
        learner.fit(design, classes)
    if len(present) == 2:
        # Two classes have one weight vector, for the second against the first.
        W[:, present], b[present] = np.column_stack([-learner.coef_[0], learner.coef_[0]]) / 2, 0.0
        b[present] = np.array([-1, 1]) * learner.intercept_[0] / 2
    else:
        W[:, present], b[present] = learner.coef_.T, learner.intercept_
    return W, b
