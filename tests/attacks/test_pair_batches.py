"""Pairs that lie in several batches cost no more than one pass promises, the rounding of each batch included."""

import math

import numpy as np
import pytest

from tacit.models.pair_metric.descent import DECIDING_SHARE, MetricDescent
from tacit.privacy.mechanisms import Laplace
from tacit.privacy.mechanisms.base import to_grid


@pytest.mark.parametrize("kappa", [1, 2, 8])
def test_moves_spread_over_batches_cost_what_one_pass_promises(kappa: int) -> None:
    """Each batch may cross one grid line more in every coordinate: counted once, the loss is 0.04 % too large."""
    descent = MetricDescent(
        n_pairs=64, n_features=8, n_components=8, kappa=kappa, mechanism="laplace", epsilon=1.0, delta=0.0,
        radius=1.0, margin=1.0, clip=1.0, passes=1, batches=8, rate=1.0,
    )  # fmt: skip
    noise, size = descent.gradients, descent.query.size
    assert isinstance(noise, Laplace)
    tiny, moved = noise.step / 1024, 2.0 * descent.clip
    cells = 0
    for _ in range(kappa):
        # One replaced pair: all coordinates step over a grid line, and the first goes on as far as it may.
        below, above = np.full(size, -tiny), np.full(size, tiny)
        above[0] += moved - 2 * size * tiny
        cells += int(np.abs(to_grid(above, noise.step) - to_grid(below, noise.step)).sum())
    promised = (1 - DECIDING_SHARE) * descent.epsilon
    assert cells * noise.step / noise.scale <= promised * (1 + 1e-12)
    assert math.isclose(noise.event.sensitivity / noise.scale, promised, rel_tol=1e-9)
