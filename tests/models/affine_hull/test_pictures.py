"""What the pictures of [hull] show, as claims: images are drawn to the rows, and deeper ones keep less of them."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits

from tacit.models.affine_hull.classifier import AffineHullClassifier
from tacit.models.affine_hull.hull import AffineHull
from tacit.models.affine_hull.layers import coordinates, layer_images, learn_deep, shifted


def ring(count: int, seed: int = 0) -> np.ndarray:
    angles = np.random.default_rng(seed).uniform(0, 2 * np.pi, count)
    return np.column_stack([np.cos(angles), np.sin(angles)])


def spiral(count: int, seed: int = 0) -> np.ndarray:
    turns = np.sort(np.random.default_rng(seed).uniform(0, 4 * np.pi, count))
    return np.column_stack([np.cos(turns), np.sin(turns), turns / 6])


@pytest.mark.parametrize("rows", [ring(150), spiral(200)], ids=["figure 4", "figure 2"])
def test_images_of_points_far_and_wide_are_drawn_to_the_rows_and_near_ones_stay(rows: np.ndarray) -> None:
    hull, random = AffineHull(n_components=rows.shape[1]).fit(rows), np.random.default_rng(1)
    for spread, largest in ((1.0, 0.7), (0.05, 1.2)):
        around = rows + random.normal(0, spread, rows.shape)
        before, after = (cdist(points, rows).min(axis=1).mean() for points in (around, hull.transform(around)))
        assert after < largest * before


def test_a_classifier_in_the_plane_gives_each_point_to_the_shape_that_it_lies_on() -> None:
    # Figure 8: three classes; rings about one middle and a blob in it, which no straight line divides.
    def classes(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        noise = np.random.default_rng(seed).normal(0, 0.08, (3 * count, 2))
        rows = np.concatenate([3 * ring(count, seed), 1.5 * ring(count, seed + 1), np.zeros((count, 2))]) + noise
        return rows, np.repeat([0, 1, 2], count)

    model = AffineHullClassifier(n_components=2).fit(*classes(150, 0))
    X, truth = classes(100, 7)
    assert model.score(X, truth) > 0.9
    # The ring around is farther away, though its hull reaches inward.
    inner = model.class_distances(X[truth == 1]).mean(axis=0)
    assert inner[1] < inner[0]


def test_deeper_layers_of_a_digit_keep_less_of_it() -> None:
    # Figure 6, on small digits: each further layer, of fewer directions, is more alike for all rows.
    X, y = load_digits(return_X_y=True)
    rows = X[y == 8] / 16
    model = learn_deep(rows, n_components=12, n_layers=8, rank=None)
    Z, _ = coordinates(model, shifted(rows, rows.mean(axis=0)))
    spreads = [float(images.std(axis=0).mean()) for images in layer_images(model, Z)]
    assert len(spreads) == 8
    assert spreads[-1] < 0.8 * spreads[0]
    assert spreads == sorted(spreads, reverse=True)
