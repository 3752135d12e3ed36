"""Small pictures released, larger ones adopted, by the number of labels."""

from collections.abc import Callable, Iterable

from tacit.data.public.datasets import ImageSet
from tacit.experiments.printed_transfer import PRINTED, TARGET_PRINTED
from tacit.experiments.results import ADOPTED, TARGET_ONLY, ResultRow
from tacit.experiments.tables import membership_labels

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def test_more_labels_help_the_receiver_and_each_has_its_published_figure(
    shrink: Callable[..., None], digits: Callable[..., ImageSet], checked: Checked
) -> None:
    shrink(
        membership_labels,
        load_usps=lambda: digits(8, 500, 50),
        load_mnist=lambda: digits(16, 600, 150),
        SEEDS=1,
        RECEIVED=250,
        PRINTED_RECEIVED=300,
        EPSILON=5.0,
        PUBLISHED={2: 0.9, 10: 0.95},
    )
    rows = checked(membership_labels.rows())
    assert [row.setting for row in rows] == [
        *(["entry epsilon 5, 20 labels, 250 rows"] * 4 + ["entry epsilon 5, 20 labels, 300 rows"] * 3),
        *(["entry epsilon 5, 100 labels, 250 rows"] * 4 + ["entry epsilon 5, 100 labels, 300 rows"] * 3),
    ]
    few, many = ({row.method: row for row in rows[place : place + 7]} for place in (0, 7))
    assert few[TARGET_ONLY].mean < many[TARGET_ONLY].mean
    assert few[TARGET_PRINTED].mean < many[TARGET_PRINTED].mean
    # With two labels a class the release tells more than the labels do.
    assert few[ADOPTED].mean > few[TARGET_ONLY].mean
    assert (few[PRINTED].paper, many[PRINTED].paper, many[ADOPTED].paper) == (0.9, 0.95, None)


def test_the_published_figures_rise_with_the_labels() -> None:
    assert list(membership_labels.PUBLISHED.values()) == sorted(membership_labels.PUBLISHED.values())
