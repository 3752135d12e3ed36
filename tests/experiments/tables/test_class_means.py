"""Nearest class mean from noisy sums: as good as without noise at a large epsilon, a guess at a tiny one."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from tacit.data.public.datasets import ImageSet
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import class_means

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def test_accuracy_rises_with_epsilon_to_that_of_exact_means(
    shrink: Callable[..., None], digits: Callable[..., ImageSet], checked: Checked
) -> None:
    images = digits(28)
    shrink(class_means, load_mnist=lambda: images, EPSILONS=(0.01, 5.0, 100.0), SEEDS=3)
    rows = checked(class_means.rows())
    assert [row.setting for row in rows] == ["record epsilon 0.01", "record epsilon 5", "record epsilon 100"]
    assert {(row.method, row.metric, row.runs, row.paper) for row in rows} == {("nearest mean", "accuracy", 3, None)}
    means = np.array([images.X_train[images.y_train == code].mean(axis=0) for code in range(10)])
    nearest = np.array([((means - row) ** 2).sum(axis=1).argmin() for row in images.X_test])
    exact = float((nearest == images.y_test).mean())
    assert rows[0].mean < 0.3 < rows[1].mean < rows[2].mean + 0.05
    assert rows[2].mean == pytest.approx(exact, abs=0.02)


def test_each_seed_draws_other_noise_and_repeats_it(
    shrink: Callable[..., None], digits: Callable[..., ImageSet]
) -> None:
    shrink(class_means, load_mnist=lambda: digits(28, 300, 100), EPSILONS=(1.0,), SEEDS=2)
    (first,), (again,) = (list(class_means.rows()) for _ in range(2))
    assert first == again
    assert first.std > 0
