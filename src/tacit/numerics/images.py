"""Images as rows of pixels: resampling, placing, centring, and histograms of oriented gradients."""

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Float32Array

Pixels = Float32Array
Size = tuple[int, int]

# Cells and orientations of the gradient histograms: fixed, so that owner and receiver compute the same features.
CELLS = (7, 7)
ORIENTATIONS = 8
BLOCK = 4096


def grey(images: NDArray[np.floating], shape: tuple[int, ...]) -> Pixels:
    """Return rows of one grey value for each pixel; channels are averaged."""
    rows = np.asarray(images, dtype=np.float32)
    return rows if len(shape) == 2 else rows.reshape(len(rows), -1, shape[2]).mean(axis=2, dtype=np.float32)


def resample(images: Pixels, size: Size, new_size: Size) -> Pixels:
    """Return rows of images of ``size`` as images of ``new_size``, by a triangle filter as wide as a new pixel."""
    if size == new_size:
        return images
    rows, columns = _triangle(size[0], new_size[0]), _triangle(size[1], new_size[1])
    smooth = rows @ images.reshape(-1, *size) @ columns.T
    return np.asarray(smooth, dtype=np.float32).reshape(len(images), -1)


def place(images: Pixels, size: Size, frame: Size, scale: float) -> Pixels:
    """Return the images resampled to ``scale`` times the frame and put into its middle, cropped where larger."""
    inner = (max(2, round(frame[0] * scale)), max(2, round(frame[1] * scale)))
    stack = resample(images, size, inner).reshape(-1, *inner)
    cut = [(max(0, (inner[axis] - frame[axis]) // 2), min(inner[axis], frame[axis])) for axis in (0, 1)]
    stack = stack[:, cut[0][0] : cut[0][0] + cut[0][1], cut[1][0] : cut[1][0] + cut[1][1]]
    margins = [(frame[axis] - stack.shape[1 + axis]) for axis in (0, 1)]
    padding = [(0, 0), *((margin // 2, margin - margin // 2) for margin in margins)]
    return np.pad(stack, padding).reshape(len(images), -1)


def centre(images: Pixels, size: Size) -> Pixels:
    """Return the images shifted by whole pixels, around the edges, so that their mass lies in the middle."""
    stack = images.reshape(-1, *size)
    mass = stack.sum(axis=(1, 2)) + np.float32(1e-9)
    down = np.rint((size[0] - 1) / 2 - stack.sum(axis=2) @ np.arange(size[0], dtype=np.float32) / mass).astype(int)
    right = np.rint((size[1] - 1) / 2 - stack.sum(axis=1) @ np.arange(size[1], dtype=np.float32) / mass).astype(int)
    rows = (np.arange(size[0]) - down[:, None]) % size[0]
    columns = (np.arange(size[1]) - right[:, None]) % size[1]
    picked: Pixels = stack[np.arange(len(stack))[:, None, None], rows[:, :, None], columns[:, None, :]]
    return picked.reshape(len(images), -1)


def oriented_gradients(images: Pixels, size: Size) -> Pixels:
    """Return histograms of signed gradient directions on a 7 × 7 grid of cells, square-rooted, of unit length.

    Gradients are central differences; each pixel's magnitude is shared linearly between the two nearest of 8
    directions and, bilinearly, between the nearest cells. A blank image gives zeros.
    """
    return np.concatenate([_gradients(images[i : i + BLOCK], size) for i in range(0, max(len(images), 1), BLOCK)])


def _gradients(images: Pixels, size: Size) -> Pixels:
    padded = np.pad(images.reshape(-1, *size), ((0, 0), (1, 1), (1, 1)))
    across = padded[:, 1:-1, 2:] - padded[:, 1:-1, :-2]
    along = padded[:, 2:, 1:-1] - padded[:, :-2, 1:-1]
    magnitude = np.hypot(across, along)
    direction = np.arctan2(along, across) % np.float32(2 * np.pi) * np.float32(ORIENTATIONS / (2 * np.pi))
    lower = np.floor(direction)
    upper_share = direction - lower
    nearest = lower.astype(np.int8) % ORIENTATIONS
    rows, columns = _pooling(size[0], CELLS[0]), _pooling(size[1], CELLS[1])
    cells = np.empty((len(padded), ORIENTATIONS, *CELLS), np.float32)
    for k in range(ORIENTATIONS):
        share = (nearest == k) * (1 - upper_share) + ((nearest + 1) % ORIENTATIONS == k) * upper_share
        cells[:, k] = rows @ (magnitude * share) @ columns.T
    features: Pixels = np.sqrt(cells.reshape(len(cells), -1))
    features /= np.maximum(np.linalg.norm(features, axis=1, keepdims=True), np.float32(1e-9))
    return features


def _triangle(length: int, new_length: int) -> Pixels:
    """Return the [new_length, length] matrix of an antialiased triangle filter."""
    width = max(length / new_length, 1.0)
    centres = (np.arange(new_length) + 0.5) * length / new_length - 0.5
    weights = np.maximum(0, 1 - np.abs(np.arange(length)[None] - centres[:, None]) / width)
    filters: Pixels = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
    return filters


def _pooling(length: int, cells: int) -> Pixels:
    """Return the [cells, length] matrix that shares each pixel between its two nearest cells."""
    positions = (np.arange(length) + 0.5) / length * cells - 0.5
    shares: Pixels = np.maximum(0, 1 - np.abs(np.arange(cells)[:, None] - positions[None])).astype(np.float32)
    return shares
