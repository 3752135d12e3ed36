"""Class scores of rows under a mixture: log p(class, the cells that are known), for the label or another column."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import BoolArray, FloatArray, IntArray
from tacit.models.marginals.layout import LevelCodes
from tacit.models.marginals.model import MarginalModel
from tacit.models.marginals.placing import fine_shares
from tacit.models.marginals.tables import ColumnTable

# Rows scored at once.
BLOCK = 4096
# Shares below this are taken for it: a cell that a component lacks must not rule out a row on its own.
LEAST_SHARE = 1e-7
LEAST_FINE = 1e-6


@dataclass(frozen=True, eq=False)
class CellScorer:
    """Scores of rows by the coarse cells of their columns, and by their fine cells within these.

    Attributes
    ----------
    logs : array [K, A]
        Logarithms of the cell shares of each component.
    weights : array [K, T]
        Of each component and class of the target.
    fine : array [T, sum of k]
        Logarithm of a fine cell's share within its coarse cell in a class, over that in all classes.
    starts : array of int [q + 1]
        Where each column's fine cells start.
    cells : array of int [sum of k]
        The coarse cell of each fine cell, among all columns' [A].
    edges : tuple of arrays
        For each column, the first level of each fine cell.
    """

    logs: FloatArray
    weights: FloatArray
    fine: FloatArray
    starts: IntArray
    cells: IntArray
    edges: tuple[IntArray, ...]

    def __call__(self, codes: LevelCodes, known: BoolArray) -> FloatArray:
        """Return log p(class | known cells) [N, T] of rows with level codes [N, q], of which those ``known`` count."""
        parts = [
            self._block(codes[start : start + BLOCK], known[start : start + BLOCK])
            for start in range(0, len(codes), BLOCK)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, self.weights.shape[1]))

    def _block(self, codes: LevelCodes, known: BoolArray) -> FloatArray:
        likelihoods = np.zeros((len(codes), len(self.weights)), dtype=np.float32)
        fine = np.zeros((len(codes), self.weights.shape[1]))
        for j, edges in enumerate(self.edges):
            rows = np.flatnonzero(known[:, j])
            if not len(rows):
                continue
            mine = self.starts[j] + np.searchsorted(edges, codes[rows, j], side="right") - 1
            likelihoods[rows] += self.logs.T[self.cells[mine]]
            fine[rows] += self.fine.T[mine]
        largest = likelihoods.max(axis=1, keepdims=True)
        joint = np.exp(likelihoods - largest) @ self.weights.astype(np.float32)
        scores = np.log(np.maximum(joint, 1e-30)) + fine
        return scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)


def cell_scorer(model: MarginalModel, target: int | None = None) -> CellScorer:
    """Return the scorer of the label, or of the categorical column ``target`` in place of it."""
    tables = model.measurement.columns
    weights = model.mixture.weights if target is None else _target_weights(model, target)
    n_fine = [len(table.ranges) for table in tables]
    fine = np.zeros((weights.shape[1], sum(n_fine)))
    if target is None:
        fine = np.concatenate([_fine_logs(table, model.measurement.cell_sigma) for table in tables], axis=1)
    cells = np.concatenate([offset + table.groups for offset, table in zip(model.offsets, tables, strict=False)])
    return CellScorer(
        np.log(np.maximum(model.mixture.shares, LEAST_SHARE)).astype(np.float32),
        weights,
        fine,
        np.concatenate([[0], np.cumsum(n_fine)]).astype(np.int64),
        cells.astype(np.int64),
        _edges(tables),
    )


def _edges(tables: Sequence[ColumnTable]) -> tuple[IntArray, ...]:
    return tuple(table.ranges[:, 0].astype(np.int64) for table in tables)


def _target_weights(model: MarginalModel, target: int) -> FloatArray:
    """Return p(component, level of the target) [K, levels]: a coarse cell's share divided among its levels."""
    table = model.measurement.columns[target]
    totals = table.projected().sum(axis=0)
    groups = np.maximum(table.coarse(totals), 1e-9)
    within = totals / groups[table.groups]
    shares = model.mixture.shares[:, model.offsets[target] : model.offsets[target + 1]]
    weights: FloatArray = model.mixture.weights.sum(axis=1)[:, None] * shares[:, table.groups] * within
    return weights


def _fine_logs(table: ColumnTable, sigma: float) -> FloatArray:
    """Return log of a fine cell's share within its coarse cell by class, over its share in all classes [C, k]."""
    counts = table.projected()
    own = np.maximum(fine_shares(counts, table, sigma), LEAST_FINE)
    together = np.maximum(fine_shares(counts.sum(axis=0, keepdims=True), table, 0.0), LEAST_FINE)
    logs: FloatArray = np.log(own) - np.log(together)
    return logs
