import numpy as np

from tacit.experiments.small_digits import averaged_pixels


def test_small_pictures_are_means_of_four_by_four_pixels() -> None:
    images = np.random.default_rng(0).random((3, 784)).astype(np.float32)
    cells = averaged_pixels(images)
    assert cells.shape == (3, 49)
    for row in range(7):
        for column in range(7):
            block = images[1].reshape(28, 28)[4 * row : 4 * row + 4, 4 * column : 4 * column + 4]
            assert np.isclose(cells[1, 7 * row + column], block.mean())


def test_an_even_picture_stays_even() -> None:
    np.testing.assert_allclose(averaged_pixels(np.full((2, 784), 0.25, dtype=np.float32)), 0.25)
