from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import parametrize_with_checks

from tacit.models.affine_hull.hull import AffineHull
from tacit.numerics.kernels import Floats

POINTS = np.array([[0, 0], [1, 0], [0, 2], [1, 1], [0.5, 0.25]])
NEW = np.array([[0.5, 0.5], [2, -1], [0, 0], [-5, 7]])


def rows(digit: int, dtype: Any = np.float64) -> Floats:
    X, y = load_digits(return_X_y=True)
    return np.asarray(X[y == digit] / 16, dtype=dtype)


@parametrize_with_checks([AffineHull(), AffineHull(n_layers=2, part_size=20, rank=3, random_state=0)])
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)


def test_images_and_distances_of_an_independent_implementation_come_out() -> None:
    plain, deep = (AffineHull(n_components=2, n_layers=n_layers).fit(POINTS) for n_layers in (1, 2))
    images = [
        [0.534761943924, 0.49739803322],
        [1.136080558133, 0.104258818979],
        [0.20451109584, 0.191276502419],
        [-0.19756012184, 2.478320946878],
    ]
    assert np.allclose(plain.transform(NEW), images, atol=1e-8)
    distances = [0.034859187835, 1.402050049509, 0.280020514783, 6.596136008512]
    assert np.allclose(deep.distances(NEW), distances, atol=1e-8)
    assert plain.distances(POINTS).sum() == pytest.approx(1.550507969737, abs=1e-8)


def test_distances_are_those_of_the_rows_from_their_images() -> None:
    hull = AffineHull(part_size=50, n_layers=2, random_state=0).fit(rows(0))
    for digit in (0, 1):
        gaps = np.linalg.norm(rows(digit) - hull.transform(rows(digit)), axis=1)
        assert np.allclose(hull.distances(rows(digit)), gaps, atol=1e-7)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_its_own_digit_is_nearer_than_another(dtype: Any) -> None:
    hull = AffineHull().fit(rows(0, dtype))
    near, far = hull.distances(rows(0)), hull.distances(rows(1))
    assert near.dtype == dtype
    assert near.max() < far.mean()


def test_images_lie_in_the_affine_hull() -> None:
    Y = rows(0)[:10]
    images = AffineHull().fit(Y).transform(rows(1))
    _, _, V = np.linalg.svd(Y - Y.mean(axis=0))
    assert np.allclose((images - Y.mean(axis=0)) @ V[9:].T, 0, atol=1e-10)


def test_a_row_alone_has_the_image_that_it_has_in_a_batch() -> None:
    hull = AffineHull(part_size=50, random_state=0).fit(rows(0))
    batch = hull.transform(rows(1))
    assert np.allclose([hull.transform(row[None])[0] for row in rows(1)[:20]], batch[:20], atol=1e-9)


def test_one_row_is_the_image_of_everything() -> None:
    hull = AffineHull(n_layers=3).fit(POINTS[3:4])
    assert np.allclose(hull.transform(NEW), POINTS[3])
    assert np.allclose(hull.distances(NEW), np.linalg.norm(NEW - POINTS[3], axis=1))


def test_a_seed_repeats_the_fit_whatever_the_number_of_jobs() -> None:
    first, second = (AffineHull(part_size=40, random_state=3, n_jobs=jobs).fit(rows(2)) for jobs in (None, 2))
    assert np.allclose(first.distances(rows(3)), second.distances(rows(3)), atol=1e-9)
