"""Immutable bundles of values that travel together."""

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, eq_default=False)
def record(kind: type[T]) -> type[T]:
    """Make a frozen dataclass of ``kind``, equal to itself alone: arrays, which most records hold, have no one truth.

    What a field holds stands below it; the shape of an array comes first, as in ``[N, p]: encoded rows``.
    """
    return dataclass(frozen=True, eq=False)(kind)
