"""Faults of pictures, those of [feedback] Table 5.2: noise, blur, weather, and what a camera or a file format does.

Severities are of our own making: pictures are smaller than those for which the published ones were set. Frost is made
up; the table lays photographs of it over a picture.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import fft, ndimage
from sklearn.utils import check_random_state

# Pictures [N, H, W, C] in [0, 1].
PictureStack = NDArray[np.float64]
Fault = Callable[[PictureStack, Any], PictureStack]


def _convolved(X: PictureStack, kernel: NDArray[Any]) -> PictureStack:
    weights = (kernel / kernel.sum())[None, :, :, None]
    return np.asarray(ndimage.convolve(X, weights, mode="nearest"))


def gaussian(X: PictureStack, generator: Any) -> PictureStack:
    """Return pictures with Gaussian noise."""
    return np.asarray(X + 0.25 * generator.standard_normal(X.shape))


def shot(X: PictureStack, generator: Any) -> PictureStack:
    """Return pictures as counts of few photons."""
    return np.asarray(generator.poisson(3 * X) / 3)


def impulse(X: PictureStack, generator: Any) -> PictureStack:
    """Return pictures of which each pixel may be black or white instead."""
    uniform = generator.uniform(size=X.shape)
    return np.where(uniform < 0.1, 0.0, np.where(uniform > 0.9, 1.0, X))


def defocus(X: PictureStack, generator: Any) -> PictureStack:
    """Return pictures out of focus: the mean over a disk."""
    del generator
    y, x = np.mgrid[-3:4, -3:4]
    return _convolved(X, (x**2 + y**2 <= 6).astype(float))


def glass(X: PictureStack, generator: Any) -> PictureStack:
    """Return pictures behind wavy glass: every pixel is that of a place up to two away."""
    n, height, width = X.shape[:3]
    rows, columns = np.mgrid[:height, :width]
    shifts = generator.randint(-2, 3, (2, n, height, width))
    places = np.clip(rows + shifts[0], 0, height - 1), np.clip(columns + shifts[1], 0, width - 1)
    return np.asarray(X[np.arange(n)[:, None, None], places[0], places[1]])


def motion(X: PictureStack, generator: Any) -> PictureStack:
    """Return pictures of something that moved: the mean along a line."""
    del generator
    return _convolved(X, np.eye(7))


def zoom(X: PictureStack, generator: Any) -> PictureStack:
    """Return the mean of each picture and of its enlarged forms."""
    del generator
    centre = (np.array(X.shape[1:3]) - 1) / 2

    def enlarged(factor: float) -> PictureStack:
        matrix = np.diag([1, 1 / factor, 1 / factor, 1])
        shift = np.array([0, *(centre - centre / factor), 0])
        return np.asarray(ndimage.affine_transform(X, matrix, offset=shift, order=1, mode="nearest"))

    return np.asarray(np.mean([X, *(enlarged(factor) for factor in (1.15, 1.3, 1.45))], axis=0))


def snow(X: PictureStack, generator: Any) -> PictureStack:
    """Return pictures with flakes that fall askew."""
    flakes = (generator.uniform(size=(*X.shape[:3], 1)) < 0.04).astype(float)
    streaks = 4 * _convolved(flakes, np.eye(5))
    return np.maximum(0.7 * X + 0.1, np.clip(streaks, 0, 1))


def fog(X: PictureStack, generator: Any) -> PictureStack:
    """Return pictures behind smooth clouds."""
    noise = generator.standard_normal((*X.shape[:3], 1))
    clouds = ndimage.gaussian_filter(noise, (0, 4, 4, 0), mode="wrap")
    low, high = clouds.min(axis=(1, 2), keepdims=True), clouds.max(axis=(1, 2), keepdims=True)
    return np.asarray(0.5 * X + 0.5 * (clouds - low) / (high - low))


def frost(X: PictureStack, generator: Any) -> PictureStack:
    """Return pictures behind ice: bright ridges where smooth noise crosses zero, bluish if there is colour."""
    noise = generator.standard_normal((*X.shape[:3], 1))
    smooth = [ndimage.gaussian_filter(noise, (0, scale, scale, 0), mode="wrap") for scale in (1, 2)]
    ridges = [np.exp(-3 * np.abs(part) / part.std()) for part in smooth]
    tint = np.array([0.85, 0.95, 1.0]) if X.shape[3] == 3 else 1.0
    return np.asarray(0.6 * X + 0.75 * np.maximum(*ridges) * tint)


def brightness(X: PictureStack, generator: Any) -> PictureStack:
    """Return brighter pictures."""
    del generator
    return X + 0.4


def contrast(X: PictureStack, generator: Any) -> PictureStack:
    """Return pictures of little contrast about their means."""
    del generator
    mean = X.mean(axis=(1, 2), keepdims=True)
    return np.asarray(mean + 0.3 * (X - mean))


def elastic(X: PictureStack, generator: Any) -> PictureStack:
    """Return pictures on rubber, stretched at random."""
    grid = np.mgrid[: X.shape[1], : X.shape[2]].astype(float)

    def stretched(picture: PictureStack) -> PictureStack:
        shifts = ndimage.gaussian_filter(generator.standard_normal(grid.shape), (0, 3, 3)) * 25
        planes = picture.transpose(2, 0, 1)
        moved = [ndimage.map_coordinates(plane, grid + shifts, order=1, mode="nearest") for plane in planes]
        return np.stack(moved, axis=-1)

    return np.stack([stretched(picture) for picture in X])


def pixelate(X: PictureStack, generator: Any) -> PictureStack:
    """Return pictures of blocks of four by four pixels."""
    del generator
    n, height, width, channels = X.shape
    blocks = X.reshape(n, height // 4, 4, width // 4, 4, channels).mean(axis=(2, 4), keepdims=True)
    return np.broadcast_to(blocks, (n, height // 4, 4, width // 4, 4, channels)).reshape(X.shape)


def jpeg(X: PictureStack, generator: Any) -> PictureStack:
    """Return pictures of which blocks of four by four keep few steps of their cosines."""
    del generator
    n, height, width, channels = X.shape
    blocks = X.reshape(n, height // 4, 4, width // 4, 4, channels)
    cosines = fft.dctn(blocks, axes=(2, 4), norm="ortho")
    step = 0.4 * (1 + np.add.outer(np.arange(4), np.arange(4)))[None, None, :, None, :, None]
    return np.asarray(fft.idctn(np.round(cosines / step) * step, axes=(2, 4), norm="ortho")).reshape(X.shape)


FAULTS: dict[str, Fault] = {
    fault.__name__: fault
    for fault in (
        gaussian,
        shot,
        impulse,
        defocus,
        glass,
        motion,
        zoom,
        snow,
        frost,
        fog,
        brightness,
        contrast,
        elastic,
        pixelate,
        jpeg,
    )
}


def faulty(X: PictureStack, fault: str, seed: int) -> PictureStack:
    """Return pictures [N, H, W, C] with a fault, in [0, 1]."""
    return np.asarray(np.clip(FAULTS[fault](X, check_random_state(seed)), 0, 1))
