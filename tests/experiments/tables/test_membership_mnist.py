"""MNIST to MNIST on few digits: every setting and method has a row, and adopting a good release does no harm."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tacit.data.public.datasets import ImageSet
from tacit.experiments.results import ADOPTED, PUBLIC_VIEW, RELEASE_ALONE, TARGET_ONLY, ResultRow
from tacit.experiments.tables import membership_mnist

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def test_each_setting_is_measured_by_every_method(
    shrink: Callable[..., None], digits: Callable[..., ImageSet], checked: Checked
) -> None:
    shrink(
        membership_mnist,
        load_mnist=lambda: digits(8, 600, 400),
        SEEDS=1,
        RECEIVED=250,
        PER_CLASS=5,
        SETTINGS=(("entry", 2.0, 1e-9), ("record", 20.0, 1e-5)),
    )
    rows = checked(membership_mnist.rows())
    methods = [TARGET_ONLY, PUBLIC_VIEW, RELEASE_ALONE, ADOPTED]
    assert [(row.setting, row.method) for row in rows] == [
        *(("entry epsilon 2", method) for method in methods),
        *(("record epsilon 20", method) for method in methods),
    ]
    # What was published is another combination.
    assert {row.paper for row in rows} == {None}
    means = {(row.setting, row.method): row.mean for row in rows}
    for setting in ("entry epsilon 2", "record epsilon 20"):
        assert means[setting, ADOPTED] >= means[setting, TARGET_ONLY] - 0.03
        assert means[setting, RELEASE_ALONE] > 0.5
    # The receiver alone does not depend on the release.
    assert means["entry epsilon 2", TARGET_ONLY] == means["record epsilon 20", TARGET_ONLY]


def test_nobody_is_both_adopted_for_and_evaluated_on(
    shrink: Callable[..., None], digits: Callable[..., ImageSet]
) -> None:
    tables: list[tuple[np.ndarray, np.ndarray]] = []

    def recorded(releases: object, schema: object, *parts: tuple[np.ndarray, np.ndarray], seed: int) -> dict[str, Any]:
        tables.extend(parts)
        return {"entry epsilon 2": {ADOPTED: 0.5}}

    shrink(membership_mnist, load_mnist=lambda: digits(8, 100, 400), measure_releases=recorded, SEEDS=1, RECEIVED=250)
    shrink(membership_mnist, PER_CLASS=5, SETTINGS=(("entry", 2.0, 1e-9),))
    list(membership_mnist.rows())
    (X, y), (X_test, truth) = tables
    assert (len(X), len(X_test)) == (250, 150)
    assert not {row.tobytes() for row in X} & {row.tobytes() for row in X_test}
    assert np.bincount(y[y >= 0]).tolist() == [5] * 10
    assert (truth >= 0).all()


def test_both_units_are_measured() -> None:
    assert {setting[0] for setting in membership_mnist.SETTINGS} == {"entry", "record"}
