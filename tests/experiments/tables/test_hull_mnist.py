"""Affine hulls beside peers that learn the same rows."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest
from sklearn.utils import check_random_state

from tacit.data.public.datasets import ImageSet
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import hull_mnist

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def nearest_neighbour_accuracy(images: ImageSet, n_rows: int, seed: int) -> float:
    chosen = check_random_state(seed).permutation(len(images.y_train))[:n_rows]
    right = 0
    for row, label in zip(images.X_test, images.y_test, strict=True):
        distances = ((images.X_train[chosen] - row) ** 2).sum(axis=1)
        right += int(images.y_train[chosen][distances.argmin()] == label)
    return right / len(images.y_test)


def test_every_method_learns_the_rows_that_the_seed_draws(
    shrink: Callable[..., None], digits: Callable[..., ImageSet], checked: Checked
) -> None:
    images = digits(16, 400, 150)
    shrink(hull_mnist, load_mnist=lambda: images, SMALL=200, LARGE=300)
    rows = checked(hull_mnist.rows())
    small = [row for row in rows if row.setting == "200 rows"]
    large = [row for row in rows if row.setting == "300 rows"]
    assert list(dict.fromkeys(row.method for row in small)) == [*hull_mnist.HULLS, *hull_mnist.PEERS]
    assert list(dict.fromkeys(row.method for row in large)) == list(hull_mnist.HULLS)
    assert ({row.runs for row in small}, {row.runs for row in large}) == ({2}, {1})
    accuracy = {row.method: row.mean for row in small if row.metric == "accuracy"}
    oracle = np.mean([nearest_neighbour_accuracy(images, 200, seed) for seed in range(2)])
    assert accuracy["nearest neighbour"] == pytest.approx(oracle, abs=0.005)
    assert accuracy["affine hull"] > 0.8


def test_time_is_measured_and_only_hulls_state_what_they_keep(
    shrink: Callable[..., None], digits: Callable[..., ImageSet]
) -> None:
    shrink(hull_mnist, load_mnist=lambda: digits(8, 200, 50), SEEDS=range(1), SMALL=100, LARGE=150)
    rows = list(hull_mnist.rows())
    assert {row.metric for row in rows} == {"accuracy", "fit, CPU-s", "predict 10000, CPU-s", "model, MB"}
    assert all(row.mean > 0 for row in rows)
    sizes = {(row.method, row.setting): row.mean for row in rows if row.metric == "model, MB"}
    assert {method for method, _ in sizes} == {name for name in hull_mnist.HULLS | hull_mnist.PEERS if "hull" in name}
    # A hull keeps its rows: half as many again are half as much again.
    assert sizes["affine hull", "150 rows"] > 1.3 * sizes["affine hull", "100 rows"]
