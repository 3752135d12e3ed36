"""The toy example of pair metrics: two long strips, one above the other."""

import numpy as np

from tacit.experiments.strips import APART, LENGTH, WIDTH, strips


def test_strips_are_long_thin_and_apart() -> None:
    X, y = strips(20_000, 0)
    across = [X[y == code, 1] for code in (0, 1)]
    assert np.isclose(across[1].mean() - across[0].mean(), APART, rtol=0.02)
    assert np.isclose(across[0].std(), WIDTH, rtol=0.05)
    # Clipping to the unit interval takes a little off the ends.
    assert 0.85 * LENGTH < X[:, 0].std() <= LENGTH
    assert (X >= 0).all()
    assert (X <= 1).all()
