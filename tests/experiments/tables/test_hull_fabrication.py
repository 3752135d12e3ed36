"""One classifier learns from noisy rows and from fabricated ones."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from tacit.data.public.datasets import ImageSet
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import hull_fabrication

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]
SOURCES = ("noisy rows", "fabricated", "through hulls, sound", "through hulls, as printed (leaks)")


@pytest.fixture
def small(shrink: Callable[..., None], digits: Callable[..., ImageSet]) -> ImageSet:
    images = digits(8, 1300, 150)
    shrink(hull_fabrication, load_mnist=lambda: images, SEEDS=range(1), DIRECTIONS=10)
    return images


def test_each_kind_of_rows_is_learned_from_by_both_classifiers(
    shrink: Callable[..., None], small: ImageSet, checked: Checked
) -> None:
    shrink(hull_fabrication, EPSILONS=(1.0,))
    rows = checked(hull_fabrication.rows())
    entry = [row.method for row in rows if row.setting == "entry epsilon 1"]
    both = [f"{name}: {learner}" for name in SOURCES for learner in ("quadratic", "affine hulls")]
    assert entry == ["nearest mean of noisy rows", *both]
    record = [row for row in rows if row.setting == "record epsilon 1"]
    assert [row.method for row in record] == both[2:4]
    # The paper prints no accuracy on MNIST.
    assert {row.paper for row in rows} == {None}


def test_little_noise_leaves_what_the_rows_teach(shrink: Callable[..., None], small: ImageSet) -> None:
    shrink(hull_fabrication, EPSILONS=(50.0,))
    means = {(row.method, row.setting): row.mean for row in hull_fabrication.rows()}
    per_class = np.array([small.X_train[small.y_train == code].mean(axis=0) for code in range(10)])
    distances = ((small.X_test[:, None] - per_class) ** 2).sum(axis=2)
    exact = float((distances.argmin(axis=1) == small.y_test).mean())
    assert means["nearest mean of noisy rows", "entry epsilon 50"] == pytest.approx(exact, abs=0.03)
    assert means["fabricated: quadratic", "entry epsilon 50"] > 0.8
    assert means["fabricated: quadratic", "record epsilon 50"] > 0.6
