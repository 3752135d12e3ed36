"""A receiver's network guided by a release, on few digits and few steps."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pytest
import torch

from tacit.adoption.pictures import network
from tacit.data.public.datasets import ImageSet
from tacit.experiments.results import ADOPTED, PUBLIC_VIEW, RELEASE_ALONE, TARGET_ONLY, ResultRow
from tacit.experiments.tables import sharpening_transfer

ALONE = (TARGET_ONLY, PUBLIC_VIEW, RELEASE_ALONE)
Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


@pytest.fixture(autouse=True)
def small(shrink: Callable[..., None], digits: Callable[..., ImageSet]) -> Iterator[None]:
    threads = torch.get_num_threads()
    shrink(sharpening_transfer, load_mnist=lambda: digits(8, 900, 300))
    shrink(sharpening_transfer, SEEDS=range(1), PER_CLASS=(3, 2), EPSILONS=(20.0,), JOBS=1, RECEIVED=150)
    shrink(sharpening_transfer, default_learner=lambda: network.default_learner().set_params(n_steps=5))
    sharpening_transfer._digits.cache_clear()
    yield
    sharpening_transfer._digits.cache_clear()
    torch.set_num_threads(threads)


def test_network_release_and_both_are_measured_for_each_number_of_labels(checked: Checked) -> None:
    rows = checked(sharpening_transfer.rows())
    assert [(row.setting, row.method) for row in rows] == [
        (f"{labels} labels, record epsilon 20", method) for labels in (30, 20) for method in (*ALONE, ADOPTED)
    ]
    means = {(row.setting, row.method): row.mean for row in rows}
    for labels in (30, 20):
        accuracies = {method: means[f"{labels} labels, record epsilon 20", method] for method in (*ALONE, ADOPTED)}
        # After so few steps the network knows little by itself; a release of many digits knows more.
        assert accuracies[RELEASE_ALONE] > 0.8
        assert accuracies[ADOPTED] > accuracies[PUBLIC_VIEW] - 0.05
    # A run by itself repeats the rows that its seed gave.
    again = sharpening_transfer.run(2, 0)["record epsilon 20"]
    assert again == {method: means["20 labels, record epsilon 20", method] for method in again}


def test_digits_that_are_tested_were_not_learned_from(shrink: Callable[..., None]) -> None:
    tables: list[np.ndarray] = []
    schemas: list[object] = []

    class Recorded:
        def set_params(self, **settings: object) -> "Recorded":
            schemas.append(settings["schema"])
            return self

        def fit(self, X: np.ndarray, y: np.ndarray) -> "Recorded":
            tables.append(X)
            assert np.bincount(y[y >= 0]).tolist() == [2] * 10
            return self

        def score(self, X: np.ndarray, y: np.ndarray) -> float:
            tables.append(X)
            return 0.5

    shrink(sharpening_transfer, default_learner=Recorded, EPSILONS=())
    assert sharpening_transfer.run(2, 0) == {}
    # Alone without what an image schema says, then with it.
    assert [schema is None for schema in schemas] == [True, False]
    for table, held_out in (tables[:2], tables[2:]):
        learned, tested = ({row.tobytes() for row in X} for X in (table, held_out))
        assert not learned & tested
    assert [len(X) for X in tables] == [150] * 4
