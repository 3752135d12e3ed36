"""The growing sequence that lies nearest to a list of numbers."""

from collections.abc import Sequence

import numpy as np

from tacit.arrays import FloatArray


def nearest_growing(values: Sequence[float] | FloatArray) -> FloatArray:
    """Return the sequence that never falls and has the least sum of squared differences to ``values`` [N].

    Neighbours that fall are pooled, and have their mean, until none is left. Sums are added up in the order of
    `scipy.optimize.isotonic_regression`, whose digits these are; its package takes longer to load than most releases.
    """
    waiting = [float(value) for value in reversed(values)]
    means: list[float] = []
    sizes: list[int] = []
    while waiting:
        mean, size = waiting.pop(), 1
        if means and means[-1] >= mean:
            total = sizes[-1] * means.pop() + mean
            size += sizes.pop()
            mean = total / size
            while waiting and mean >= waiting[-1]:
                total, size = total + waiting.pop(), size + 1
                mean = total / size
            while means and means[-1] >= mean:
                total, size = total + sizes[-1] * means.pop(), size + sizes.pop()
                mean = total / size
        means.append(mean)
        sizes.append(size)
    return np.repeat(means, sizes)
