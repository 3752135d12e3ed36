"""Small pictures released, larger ones adopted, by the number of labels."""

from collections.abc import Callable, Iterable

from tacit.data.public.datasets import ImageSet
from tacit.experiments.results import ADOPTED, TARGET_ONLY, ResultRow
from tacit.experiments.tables import membership_labels

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def test_more_labels_help_the_receiver(
    shrink: Callable[..., None], digits: Callable[..., ImageSet], checked: Checked
) -> None:
    shrink(
        membership_labels,
        load_usps=lambda: digits(8, 500, 50),
        load_mnist=lambda: digits(16, 600, 150),
        SEEDS=1,
        RECEIVED=250,
        EPSILON=5.0,
        PER_CLASS=(2, 10),
    )
    rows = checked(membership_labels.rows())
    assert [row.setting for row in rows] == [
        *["entry epsilon 5, 20 labels, 250 rows"] * 4,
        *["entry epsilon 5, 100 labels, 250 rows"] * 4,
    ]
    few, many = ({row.method: row for row in rows[place : place + 4]} for place in (0, 4))
    assert few[TARGET_ONLY].mean < many[TARGET_ONLY].mean
    # With two labels a class the release tells more than the labels do.
    assert few[ADOPTED].mean > few[TARGET_ONLY].mean
    # The printed figures are of the printed combination.
    assert {row.paper for row in rows} == {None}
