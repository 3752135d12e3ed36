"""Parties that answer with distances decide like one hand that holds all rows of a class."""

from collections.abc import Callable, Iterable

import pytest

from tacit.data.public.datasets import ImageSet
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import hull_federated
from tacit.experiments.tables.hull_federated import CLEAN, NOISY

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


@pytest.fixture
def means(
    shrink: Callable[..., None], digits: Callable[..., ImageSet], checked: Checked
) -> dict[tuple[str, str], float]:
    shrink(hull_federated, load_mnist=lambda: digits(8, 900, 200), SEEDS=1, ROWS=600)
    rows = checked(hull_federated.rows())
    assert {(row.metric, row.runs) for row in rows} == {("accuracy", 1)}
    return {(row.setting, row.method): row.mean for row in rows}


def test_parties_lose_nothing_where_each_class_has_one_owner(means: dict[tuple[str, str], float]) -> None:
    assert len([key for key in means if key[0] == CLEAN]) == 6
    together = means[CLEAN, "all rows in one hand"]
    # The nearest hull of a class is the same whoever holds the class.
    assert means[CLEAN, "10 parties with one class each"] == together
    assert means[CLEAN, "5 parties with two classes each"] == together
    assert means[CLEAN, "5 parties, rows dealt out"] > means[CLEAN, "one of the 5 parties alone"]
    assert together > 0.8

    noisy = {method: mean for (setting, method), mean in means.items() if setting == NOISY}
    assert len(noisy) == 6
    # Many noisy hulls are worse than one; filtering before asking repairs most of it.
    assert noisy["5 parties, noisy rows as they are"] < noisy["noisy rows in one hand, as they are"]
    assert noisy["5 parties, shared filter"] > noisy["5 parties, noisy rows as they are"]
