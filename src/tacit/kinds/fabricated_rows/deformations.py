"""Small deformations of pictures: it is public knowledge that a picture moved or turned a little is of its class."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tacit.arrays import FloatArray

# Standard deviations of the entries of a linear map less the identity, and of a shift in 28ths of the picture's width.
STRETCH, SHIFT = 0.08, 0.7
SHIFT_FRAME = 28


def deformed(pictures: FloatArray, shape: tuple[int, ...], count: int, random: Any) -> FloatArray:
    """Return ``count`` random affine deformations [count, C, p] of pictures [C, p], the same for each of them."""
    from scipy.ndimage import map_coordinates  # noqa: PLC0415 - slow to load, and for pictures alone

    height, width, channels = (*shape, 1)[:3]
    stacks = pictures.reshape(len(pictures), height, width, channels)
    results = np.empty((count, *stacks.shape))
    for place, grid in enumerate(_grids((height, width), count, random)):
        for code, stack in enumerate(stacks):
            for channel in range(channels):
                values = map_coordinates(stack[:, :, channel], grid, order=1, mode="nearest")
                results[place, code, :, :, channel] = values.reshape(height, width)
    return results.reshape(count, *pictures.shape)


def _grids(size: tuple[int, int], count: int, random: Any) -> Iterator[FloatArray]:
    """Yield where each pixel is read from [2, pixels]."""
    middle = (np.array(size) - 1)[:, None] / 2
    pixels = np.indices(size).reshape(2, -1) - middle
    for _ in range(count):
        linear = np.eye(2) + random.normal(0, STRETCH, (2, 2))
        shift = random.normal(0, SHIFT, 2) * np.array(size) / SHIFT_FRAME
        yield linear @ pixels + shift[:, None] + middle
