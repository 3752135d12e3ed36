"""A model of tables as the arrays and settings of a release, and checked when it is read again."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Arrays, FloatArray, IntArray
from tacit.errors import ReleaseError
from tacit.models.marginals.counting import ColumnPair
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.levels import GRID, Levels
from tacit.models.marginals.links import ColumnLink
from tacit.models.marginals.measuring import Measurement
from tacit.models.marginals.mixture import Mixture
from tacit.models.marginals.model import MarginalModel
from tacit.models.marginals.tables import ColumnTable, PairTable, offsets_of


def model_arrays(model: MarginalModel) -> Arrays:
    """Return the arrays that `stored_model` reads."""
    measured = model.measurement
    pairs = measured.pairs
    return {
        "cells": np.array([len(column.ranges) for column in measured.columns], dtype=np.int64),
        "ranges": np.vstack([column.ranges for column in measured.columns]).astype(np.int64),
        "groups": np.concatenate([column.groups for column in measured.columns]).astype(np.int64),
        "counts": np.concatenate([column.counts for column in measured.columns], axis=1),
        "pairs": np.array([pair.columns for pair in pairs], dtype=np.int64).reshape(-1, 2),
        "pair_counts": np.concatenate([np.zeros(0), *(pair.counts.ravel() for pair in pairs)]),
        "weights": model.mixture.weights,
        "shares": model.mixture.shares,
        **_link_arrays(measured.links),
    }


def _link_arrays(links: Sequence[ColumnLink]) -> Arrays:
    """Return the links' columns, noise and visible combinations; none without a link."""
    if not links:
        return {}
    numbers = np.repeat(np.arange(len(links)), [len(link.cells) for link in links])
    return {
        "links": np.array([link.columns for link in links], dtype=np.int64),
        "link_sigmas": np.array([link.sigma for link in links]),
        "link_complete": np.array([link.complete for link in links]),
        "link_cells": np.column_stack([numbers, np.vstack([link.cells for link in links])]),
        "link_counts": np.concatenate([link.counts for link in links]),
    }


def model_settings(model: MarginalModel) -> dict[str, Any]:
    """Return the settings that `stored_model` reads."""
    sigmas = {"cell_sigma": model.measurement.cell_sigma, "pair_sigma": model.measurement.pair_sigma}
    return {**sigmas, "grid": model.layout.grid}


def stored_grid(settings: Mapping[str, Any]) -> int:
    """Return which grid of levels a release was made with; those that do not say so have even steps."""
    grid = settings.get("grid", 1)
    if grid not in range(1, GRID + 1):
        raise ReleaseError(f"the release's grid must be at most {GRID}; got {grid!r}. A newer tacit made it: update.")
    return int(grid)


def stored_model(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any], layout: Layout) -> MarginalModel:
    """Return the model in the arrays and settings of a release; raise ReleaseError if they do not fit ``layout``."""
    try:
        return _model(arrays, settings, layout)
    except (KeyError, ValueError, IndexError, TypeError) as problem:
        raise ReleaseError(f"the release's tables are malformed: {problem}") from problem


def _model(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any], layout: Layout) -> MarginalModel:
    ends = np.cumsum(arrays["cells"])
    _require(len(ends) == len(layout.columns) and bool((arrays["cells"] > 0).all()), "one table for each column")
    _require(len(arrays["ranges"]) == ends[-1] == len(arrays["groups"]) == arrays["counts"].shape[1], "all fine cells")
    _require(len(arrays["counts"]) == layout.n_classes, "counts of every class")
    parts = (np.split(arrays[name], ends[:-1]) for name in ("ranges", "groups"))
    counts = np.split(arrays["counts"].astype(np.float64), ends[:-1], axis=1)
    columns = tuple(
        _column(levels, ranges, groups, count)
        for levels, ranges, groups, count in zip(layout.columns, *parts, counts, strict=True)
    )
    sigmas = [float(settings[name]) for name in ("cell_sigma", "pair_sigma")]
    _require(all(np.isfinite(sigma) and sigma > 0 for sigma in sigmas), "positive noise")
    pairs = _pairs(arrays, columns, layout.n_classes)
    measured = Measurement(layout, columns, pairs, sigmas[0], sigmas[1], _links(arrays, layout, pairs))
    return MarginalModel(measured, _mixture(arrays, offsets_of(columns), layout.n_classes))


def _column(levels: Levels, ranges: IntArray, groups: NDArray[Any], counts: NDArray[Any]) -> ColumnTable:
    edges = np.append(ranges[:, 0], ranges[-1, 1])
    covers = edges[0] == 0 and edges[-1] == levels.size and bool((np.diff(edges) > 0).all())
    _require(covers and bool((ranges[1:, 0] == ranges[:-1, 1]).all()), f"fine cells that cover {levels.name!r}")
    used = np.unique(groups)
    _require(bool((used == np.arange(len(used))).all()), f"coarse cells of {levels.name!r} without gaps")
    return ColumnTable(ranges.astype(np.int64), counts, groups.astype(np.intp))


def _pairs(arrays: Mapping[str, NDArray[Any]], columns: Sequence[ColumnTable], n_classes: int) -> tuple[PairTable, ...]:
    indices = [(int(i), int(j)) for i, j in arrays["pairs"]]
    _require(all(0 <= i < j < len(columns) for i, j in indices), "pairs of columns in order")
    _require(len(set(indices)) == len(indices), "each pair once")
    shapes = [(n_classes, columns[i].n_groups, columns[j].n_groups) for i, j in indices]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    _require(len(arrays["pair_counts"]) == (ends[-1] if len(ends) else 0), "counts of every pair of cells")
    parts = np.split(arrays["pair_counts"].astype(np.float64), ends[:-1]) if len(ends) else []
    return tuple(PairTable(pair, part.reshape(shape)) for pair, part, shape in zip(indices, parts, shapes, strict=True))


def _links(arrays: Mapping[str, NDArray[Any]], layout: Layout, pairs: Sequence[PairTable]) -> tuple[ColumnLink, ...]:
    """Return the links that a release holds; older ones, and most tables, have none."""
    if "links" not in arrays:
        return ()
    columns = [(int(i), int(j)) for i, j in arrays["links"]]
    cells, counts = arrays["link_cells"].astype(np.int64), arrays["link_counts"].astype(np.float64)
    sigmas = arrays["link_sigmas"].astype(np.float64)
    complete = arrays["link_complete"].astype(bool)
    _require(cells.shape == (len(counts), 4) and len(sigmas) == len(columns) == len(complete), "counts of every link")
    _require(bool((np.diff(cells[:, 0]) >= 0).all()) and set(cells[:, 0]) <= set(range(len(columns))), "known links")
    _require(bool(np.isfinite(sigmas).all() and (sigmas > 0).all()), "positive noise")
    _require(len({follower for _, follower in columns}) == len(columns), "one category for each number")
    known = {frozenset(pair.columns) for pair in pairs}
    links = []
    for number, (pair, sigma) in enumerate(zip(columns, sigmas, strict=True)):
        own = cells[:, 0] == number
        _require(frozenset(pair) in known, "links of counted pairs")
        _require(_is_link(layout, pair, cells[own, 1:], counts[own]), "visible levels of links, in order")
        links.append(ColumnLink(pair, cells[own, 1:], counts[own], float(sigma), bool(complete[number])))
    return tuple(links)


def _is_link(layout: Layout, pair: ColumnPair, cells: IntArray, counts: FloatArray) -> bool:
    leader, follower = (layout.columns[j] for j in pair)
    ordered = np.lexsort((cells[:, 1], cells[:, 0])) == np.arange(len(cells))
    inside = (
        (cells[:, 0] >= 0)
        & (cells[:, 0] < leader.size)
        & (cells[:, 1] >= 0)
        & (cells[:, 1] < cells[:, 2])
        & (cells[:, 2] <= follower.size)
    )
    proper = bool((ordered & inside & np.isfinite(counts) & (counts > 0)).all())
    return proper and follower.ordered and not leader.ordered


def _mixture(arrays: Mapping[str, NDArray[Any]], offsets: IntArray, n_classes: int) -> Mixture:
    weights, shares = arrays["weights"].astype(np.float64), arrays["shares"].astype(np.float32)
    _require(weights.ndim == 2 and weights.shape == (len(shares), n_classes), "weights of every class")
    _require(shares.ndim == 2 and shares.shape[1] == offsets[-1] and len(shares) > 0, "shares of every coarse cell")
    sums = np.add.reduceat(shares, offsets[:-1], axis=1)
    proper = (
        weights.min() >= 0
        and shares.min() >= 0
        and abs(weights.sum() - 1) < 1e-3
        and bool((abs(sums - 1) < 1e-3).all())
    )
    _require(proper, "weights and shares that add up to 1")
    return Mixture(weights / weights.sum(), shares)


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"expected {what}")
