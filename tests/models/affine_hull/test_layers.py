from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from tacit.errors import InputError
from tacit.models.affine_hull.layers import (
    DeepHull,
    coordinates,
    encodings,
    layer_images,
    learn_deep,
    narrowed,
    nearest_images,
    shifted,
)
from tacit.numerics.kernels import Floats


def rows(digit: int = 3, dtype: Any = np.float64) -> Floats:
    X, y = load_digits(return_X_y=True)
    return np.asarray(X[y == digit] / 16, dtype=dtype)


def images(model: DeepHull, Y: Floats) -> list[Floats]:
    Z, _ = coordinates(model, shifted(Y, model.mean))
    return [model.mean + image @ model.directions for image in layer_images(model, Z)]


def test_layers_are_single_machines_one_after_the_other() -> None:
    """[hull] eq. 51: the machine along n - 1 directions maps what the one along n made of the row."""
    Y, T = rows(), rows(5)[:20]
    deep = images(learn_deep(Y, n_components=6, n_layers=3, rank=None), T)
    chain = T
    for depth, image in enumerate(deep):
        (chain,) = images(learn_deep(Y, n_components=6 - depth, n_layers=1, rank=None), chain)
        assert np.allclose(image, chain, atol=1e-9)


def test_a_row_has_the_image_of_the_nearest_layer() -> None:
    Y, T = rows(), rows(5)
    model = learn_deep(Y, n_components=6, n_layers=4, rank=None)
    found, squares = nearest_images(model, shifted(T, Y[0]))
    all_images = np.array(images(model, T))
    by_layer = ((T - all_images) ** 2).sum(axis=2)
    assert len(set(by_layer.argmin(axis=0).tolist())) > 1
    assert np.allclose(squares, by_layer.min(axis=0))
    best = all_images[by_layer.argmin(axis=0), np.arange(len(T))]
    assert np.allclose(model.mean + found @ model.directions, best)


def test_distances_do_not_depend_on_the_origin() -> None:
    Y, T = rows(), rows(5)
    model = learn_deep(Y, n_components=6, n_layers=1, rank=30)
    near, far = (nearest_images(model, shifted(T, origin))[1] for origin in (model.mean, model.mean + 1))
    assert np.allclose(near, far)


def test_what_lies_outside_the_directions_counts_in_the_distance() -> None:
    Y, T = rows(), rows(5)
    model = learn_deep(Y, n_components=6, n_layers=1, rank=8)
    assert model.directions.shape == (8, 64)
    (image,) = images(model, T)
    assert np.allclose(nearest_images(model, shifted(T, model.mean))[1], ((T - image) ** 2).sum(axis=1))


def test_of_projected_rows_the_machine_is_the_same_as_of_rows_projected_before() -> None:
    Y, T = rows(), rows(5)[:30]
    model = learn_deep(Y, n_components=6, n_layers=2, rank=20)
    flat = model.mean + (Y - model.mean) @ model.directions.T @ model.directions
    before = learn_deep(flat, n_components=6, n_layers=2, rank=None)
    assert len(before.directions) == 20
    for one, other in zip(images(model, T), images(before, T), strict=True):
        assert np.allclose(one, other, atol=1e-7)


def test_whitening_gives_every_direction_the_same_spread() -> None:
    model = learn_deep(rows(), n_components=6, n_layers=2, rank=None)
    for layer, n in zip(model.layers, (6, 5), strict=True):
        assert np.allclose(np.cov(layer.encodings, rowvar=False), np.eye(n) / n, atol=1e-8)


def test_fewer_columns_of_one_encoding_are_the_encoding_along_fewer() -> None:
    Z, scales = np.random.default_rng(0).normal(size=(7, 5)), np.arange(1.0, 5.0)
    assert np.allclose(narrowed(encodings(Z, scales), 2), encodings(Z, scales[:2]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_there_are_no_more_directions_and_layers_than_the_rows_span(dtype: Any) -> None:
    Y = rows(dtype=dtype)[:4]
    model = learn_deep(Y, n_components=20, n_layers=9, rank=None)
    assert model.directions.shape == (3, 64)
    assert [layer.encodings.shape[1] for layer in model.layers] == [3, 2, 1]
    assert model.layers[0].coefficients.dtype == dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_repeated_rows_and_constant_columns_are_no_harm(dtype: Any) -> None:
    Y = np.repeat(rows(dtype=dtype)[:5], 30, axis=0)
    Y[:, :10] = 0.25
    model = learn_deep(Y, n_components=20, n_layers=2, rank=None)
    assert len(model.directions) == 4
    for image in images(model, rows(5, dtype)):
        assert np.isfinite(image).all()
        assert np.allclose(image[:, :10], 0.25, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_whose_squares_overflow_are_refused_to_learn_from_and_far_from_all_others(dtype: Any) -> None:
    Y = rows(dtype=dtype)
    largest = np.full((1, 64), np.finfo(dtype).max, dtype)
    with pytest.raises(InputError, match="scale the features"):
        learn_deep(np.concatenate([Y, largest]), n_components=6, n_layers=1, rank=None)
    model = learn_deep(Y, n_components=6, n_layers=1, rank=None)
    for far in (largest, -largest):
        images, squares = nearest_images(model, shifted(far, model.mean))
        assert np.isfinite(images).all()
        assert np.isfinite(squares).all()
        assert squares[0] > 1e15
