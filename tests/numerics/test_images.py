import math

import numpy as np
import pytest

from tacit.numerics.images import CELLS, ORIENTATIONS, centre, grey, oriented_gradients, place, resample


@pytest.fixture
def images() -> np.ndarray:
    return np.random.default_rng(0).random((5, 12 * 10), dtype=np.float32)


def test_resampling_to_the_same_size_changes_nothing(images: np.ndarray) -> None:
    assert resample(images, (12, 10), (12, 10)) is images


def test_resampling_keeps_a_constant_image_constant() -> None:
    flat = np.full((1, 12 * 10), 0.3, np.float32)
    for size in ((6, 5), (24, 20), (7, 13)):
        assert np.allclose(resample(flat, (12, 10), size), 0.3)


def test_halving_an_image_is_a_smooth_average(images: np.ndarray) -> None:
    small = resample(images, (12, 10), (6, 5))
    assert small.shape == (5, 30)
    assert np.allclose(small.mean(axis=1), images.mean(axis=1), atol=0.05)


@pytest.mark.parametrize("scale", [0.3, 0.8, 1.0, 1.4])
def test_a_placed_image_fills_the_frame(images: np.ndarray, scale: float) -> None:
    placed = place(images, (12, 10), (28, 28), scale).reshape(5, 28, 28)
    inner = min(28, round(28 * scale))
    margin = (28 - inner) // 2
    assert np.all(placed[:, :margin] == 0)
    assert placed[:, margin : margin + inner, margin : margin + inner].min() > 0


def test_centring_moves_the_mass_to_the_middle() -> None:
    image = np.zeros((1, 9, 9), np.float32)
    image[0, 1, 7] = 1.0
    centred = centre(image.reshape(1, -1), (9, 9)).reshape(9, 9)
    assert centred[4, 4] == 1.0
    assert centred.sum() == 1.0


def test_grey_averages_channels() -> None:
    colour = np.arange(12, dtype=np.float32).reshape(1, 12)
    assert grey(colour, (2, 2, 3)).tolist() == [[1.0, 4.0, 7.0, 10.0]]
    assert grey(colour, (3, 4)).shape == (1, 12)


def slow_gradients(image: np.ndarray) -> np.ndarray:
    """The histogram, one pixel at a time."""
    h, w = image.shape
    padded = np.pad(image, 1)
    cells = np.zeros((ORIENTATIONS, *CELLS))
    for i in range(h):
        for j in range(w):
            across = padded[i + 1, j + 2] - padded[i + 1, j]
            along = padded[i + 2, j + 1] - padded[i, j + 1]
            magnitude = math.hypot(across, along)
            turn = (math.atan2(along, across) % (2 * math.pi)) / (2 * math.pi) * ORIENTATIONS
            low = int(turn) % ORIENTATIONS
            y, x = (i + 0.5) / h * CELLS[0] - 0.5, (j + 0.5) / w * CELLS[1] - 0.5
            for a in range(CELLS[0]):
                for b in range(CELLS[1]):
                    share = max(0.0, 1 - abs(a - y)) * max(0.0, 1 - abs(b - x))
                    cells[low, a, b] += magnitude * share * (1 - (turn - int(turn)))
                    cells[(low + 1) % ORIENTATIONS, a, b] += magnitude * share * (turn - int(turn))
    features = np.sqrt(cells.ravel())
    unit: np.ndarray = features / np.linalg.norm(features)
    return unit


def test_gradients_equal_a_loop_over_pixels(images: np.ndarray) -> None:
    fast = oriented_gradients(images, (12, 10))
    for row, image in zip(fast, images, strict=True):
        assert np.allclose(row, slow_gradients(image.reshape(12, 10)), atol=1e-4)


def test_a_blank_image_has_no_gradients_and_others_have_unit_length(images: np.ndarray) -> None:
    assert np.all(oriented_gradients(np.zeros((1, 120), np.float32), (12, 10)) == 0)
    assert np.allclose(np.linalg.norm(oriented_gradients(images, (12, 10)), axis=1), 1.0, atol=1e-5)
