"""A receiver with few labels adopts a metric, on invented tables."""

from collections.abc import Callable, Iterable
from types import SimpleNamespace

import pytest

from tacit.data.public.datasets import TableSet
from tacit.experiments.results import ADOPTED, TARGET_ONLY, ResultRow
from tacit.experiments.tables import pairs_transfer

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


@pytest.fixture
def bank(invented: Callable[..., TableSet]) -> TableSet:
    return invented("bank", 600, seed=3)


def test_each_table_and_number_of_labels_is_measured_with_and_without_the_metric(
    shrink: Callable[..., None], bank: TableSet, invented: Callable[..., TableSet], checked: Checked
) -> None:
    adult = invented("adult", 600, seed=1)
    shrink(pairs_transfer, load_bank=lambda: bank, load_adult=lambda: adult, LABELS=(20, 200), SEEDS=2, TESTED=80)
    rows = checked(pairs_transfer.rows())
    settings = [f"{name}, {n} labels, pair epsilon 1" for name in ("Bank", "Adult") for n in (20, 200)]
    assert [(row.setting, row.method) for row in rows] == [
        (s, method) for s in settings for method in (TARGET_ONLY, ADOPTED)
    ]
    assert {row.runs for row in rows} == {2}
    means = {(row.setting, row.method): row.mean for row in rows}
    assert means[settings[1], TARGET_ONLY] > means[settings[0], TARGET_ONLY] - 0.05  # more labels
    assert min(means.values()) > 0.5


def test_the_owner_has_none_of_the_receivers_rows(shrink: Callable[..., None], bank: TableSet) -> None:
    sizes: list[int] = []

    def recorded(X: object, y: list[int], *_: object, **settings: object) -> None:
        sizes.append(len(y))
        assert settings["unit"] == "pair"
        raise StopIteration

    shrink(pairs_transfer, PAIR_METRIC=SimpleNamespace(release=recorded))
    with pytest.raises(StopIteration):
        pairs_transfer.run(bank, 50, seed=0)
    assert sizes == [round(0.8 * 600) - 50]
