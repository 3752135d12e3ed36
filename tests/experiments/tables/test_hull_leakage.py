"""What hulls of raw, noisy and fabricated digits tell about who was learned from."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from tacit.audit.attacks.membership_score import membership_score
from tacit.data.public.datasets import ImageSet
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import hull_leakage
from tacit.experiments.tables.hull_leakage import ACCURACY, CHANCE, MOMENTS, NOISY, RAW, SCORE, SMOOTHED
from tacit.models.affine_hull.classifier import AffineHullClassifier

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


@pytest.fixture(autouse=True)
def images(shrink: Callable[..., None], digits: Callable[..., ImageSet]) -> ImageSet:
    images = digits(8, 1200, 200)
    shrink(hull_leakage, load_mnist=lambda: images, SEEDS=2, ROWS=400, TESTED=400, EPSILONS=(1.0, 50.0))
    return images


def test_raw_rows_leak_and_noise_removes_the_leak(checked: Checked) -> None:
    rows = checked(hull_leakage.rows())
    settings = ["no noise", *(f"entry epsilon {e}" for e in (1, 50) for _ in range(3))]
    methods = [RAW, *(NOISY, SMOOTHED, MOMENTS) * 2]
    expected = [
        (setting, method, metric)
        for setting, method in zip(settings, methods, strict=True)
        for metric in (ACCURACY, SCORE, CHANCE)
    ]
    assert [(row.setting, row.method, row.metric) for row in rows] == expected
    means = {(row.setting, row.method, row.metric): row.mean for row in rows}
    raw = {metric: means["no noise", RAW, metric] for metric in (ACCURACY, SCORE, CHANCE)}
    assert raw[ACCURACY] > 0.85
    assert raw[SCORE] > 3 * raw[CHANCE]
    assert means["entry epsilon 1", NOISY, SCORE] < raw[SCORE] / 5
    # With hardly any noise noisy rows are raw ones.
    assert means["entry epsilon 50", NOISY, SCORE] > raw[SCORE] / 3
    assert means["entry epsilon 50", NOISY, ACCURACY] > means["entry epsilon 1", NOISY, ACCURACY]


def test_nobody_is_both_member_and_other(images: ImageSet) -> None:
    members, y, others, labels = hull_leakage._tables(images, 0)
    assert (len(members), len(others)) == (len(y), len(labels)) == (400, 400)
    # The digits that come with scikit-learn hold a few pictures twice: compared by place in the order, not by pixels.
    again = hull_leakage._tables(images, 0)
    assert np.array_equal(members, again[0])
    assert not np.array_equal(members, hull_leakage._tables(images, 1)[0])


def test_the_score_is_that_of_the_distance_to_the_nearest_hull(images: ImageSet) -> None:
    members, y, others, labels = hull_leakage._tables(images, 0)
    figures = hull_leakage.measure(members, members, y, others, labels)
    model = AffineHullClassifier(random_state=0).fit(members, y)
    least = [[min(row) for row in model.class_distances(X).tolist()] for X in (members, others)]
    oracle = membership_score(*(np.array(values) for values in least))
    assert figures[SCORE] == pytest.approx(oracle.value)
    assert figures[ACCURACY] == pytest.approx(model.score(others, labels))
