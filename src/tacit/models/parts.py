"""Models of parts of neighbouring rows: learned at the same time, and applied to rows block by block."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.models.parallel import run_parts
from tacit.models.scikit_learn import BaseEstimator
from tacit.numerics.blocks import row_blocks
from tacit.numerics.kernels import Floats
from tacit.numerics.partition import neighbouring_parts

ROWS_AT_ONCE = 1024
"""Rows of one block: enough for full matrix products, few enough for the block to stay in cache."""

PartModel = TypeVar("PartModel")
PartResult = TypeVar("PartResult")


@dataclass(eq=False, repr=False, kw_only=True)
class PartEstimator(BaseEstimator):
    """Stores the parameters of estimators that learn one deep model for each part of the rows.

    Parameters
    ----------
    n_components : int, default 20
        Principal directions of the first layer; each further layer has one fewer, and at least one.
    n_layers : int, default 1
        A row has the output of the layer that comes nearest to it. Further layers cost as much as the first and seldom
        change a prediction.
    part_size : int or None, default 700
        About how many rows (of a class) are learned together, and at most twice as many. None: all of them.
    overlap : int, default 2
        In how many neighbouring parts a row is learned: 1 as in the papers; 2 costs twice as much and is better.
    random_state : int, RandomState or None
        Chooses the rows from which clustering starts.
    n_jobs : int or None
        Parts learned, and blocks of rows predicted, at the same time.
    """

    n_components: int = 20
    n_layers: int = 1
    part_size: int | None = 700
    overlap: int = 2
    random_state: Any = None
    n_jobs: int | None = None


@dataclass(frozen=True, kw_only=True)
class PartSettings:
    """How the rows are divided into parts, and how deep the model of one part is; checked when constructed.

    The attributes are parameters of ``PartEstimator``.
    """

    n_components: int
    n_layers: int
    part_size: int | None
    overlap: int

    def __post_init__(self) -> None:
        checks.whole("n_components", self.n_components)
        checks.whole("n_layers", self.n_layers)
        if self.part_size is not None:
            checks.whole("part_size", self.part_size)
        checks.whole("overlap", self.overlap)

    @classmethod
    def of(cls, estimator: PartEstimator) -> Self:
        """Return the settings that are parameters of ``estimator``, by name."""
        return cls(**{field.name: getattr(estimator, field.name) for field in fields(cls)})


def learn_parts(
    learn: Callable[[Floats], PartModel],
    Y: Floats,
    groups: Sequence[NDArray[np.intp]],
    settings: PartSettings,
    *,
    n_jobs: int | None,
) -> list[list[PartModel]]:
    """Return ``learn`` of each part of each group of rows of Y [N, p].

    The rows of a group are in random order; that order is the only random choice, so the result does not depend on
    ``n_jobs``.
    """
    size = len(Y) if settings.part_size is None else settings.part_size
    tasks = ((Y, rows, size, settings.overlap) for rows in groups)
    partitions = run_parts(neighbouring_parts, tasks, n_jobs=n_jobs)
    # One flat list of parts, so that a large group keeps every worker busy.
    learned = iter(run_parts(learn, ((Y[rows],) for parts in partitions for rows in parts), n_jobs=n_jobs))
    return [[next(learned) for _ in parts] for parts in partitions]


def in_blocks(
    function: Callable[[Floats], PartResult], Y: Floats, *, n_jobs: int | None, size: int | None = None
) -> list[PartResult]:
    """Return ``function`` of each block of ``size`` rows of Y (None: ROWS_AT_ONCE), in order."""
    blocks = [Y[rows] for rows in row_blocks(len(Y), 1, entries=size or ROWS_AT_ONCE)]
    if len(blocks) == 1:
        return [function(Y)]  # starting workers would take longer than a few rows do
    return run_parts(function, ((block,) for block in blocks), n_jobs=n_jobs)
