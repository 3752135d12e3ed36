"""Digits of two pairs, in directions that come from public digits alone."""

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.decomposition import PCA

from tacit.data.public.datasets import ImageSet
from tacit.experiments import linear_digits
from tacit.experiments.linear_digits import public_view, transfer_task


@pytest.fixture
def images(shrink: Callable[..., None], digits: Callable[..., ImageSet]) -> ImageSet:
    images = digits(8, 1300, 400)
    shrink(linear_digits, load_mnist=lambda: images, DIRECTIONS=20, SOURCE_ROWS=160, TARGET_ROWS=100)
    return images


def test_directions_and_importances_come_from_the_test_digits_alone(images: ImageSet) -> None:
    rows, labels, variances = public_view((0, 8))
    assert set(labels.tolist()) == {0, 8}
    assert rows.shape == (len(labels), 20)
    assert variances == pytest.approx(PCA(20).fit(images.X_test.astype(np.float64)).explained_variance_, rel=1e-6)
    # The private rows keep their inner products within the public directions.
    private = images.X_train[np.isin(images.y_train, (0, 8))] - images.X_test.astype(np.float64).mean(axis=0)
    axes = PCA(20).fit(images.X_test.astype(np.float64)).components_
    np.testing.assert_allclose(np.abs(rows), np.abs(private @ axes.T), atol=1e-5)


def test_nobody_is_both_learned_from_and_tested_on(images: ImageSet) -> None:
    rows, labels, _ = public_view()
    task = transfer_task(rows, labels, seed=0)
    tables = [{row.tobytes() for row in part[0]} for part in (task.source, task.target, task.test)]
    assert [len(table) for table in tables] == [128, 80, 20]
    assert not tables[0] & tables[1]
    assert not tables[1] & tables[2]
    assert set(task.source[1].tolist()) == set(task.test[1].tolist()) == {0, 1}
