"""The printed combination by the number of labels, and the figures that it is held to."""

from collections.abc import Callable, Iterable

from tacit.data.public.datasets import ImageSet
from tacit.experiments.printed_transfer import PRINTED, SOURCE_PRINTED, TARGET_PRINTED
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import membership_printed_labels

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def test_more_labels_help_the_printed_target_and_each_has_its_published_figure(
    shrink: Callable[..., None], digits: Callable[..., ImageSet], checked: Checked
) -> None:
    shrink(
        membership_printed_labels,
        load_usps=lambda: digits(8, 500, 50),
        load_mnist=lambda: digits(16, 600, 150),
        RECEIVED=300,
        EPSILON=5.0,
        PUBLISHED={2: 0.9, 10: 0.95},
    )
    rows = checked(membership_printed_labels.rows())
    few, many = ({row.method: row for row in rows[place : place + 3]} for place in (0, 3))
    assert list(few) == [SOURCE_PRINTED, TARGET_PRINTED, PRINTED]
    assert few[PRINTED].setting == "entry epsilon 5, 20 labels, 300 rows"
    assert few[TARGET_PRINTED].mean < many[TARGET_PRINTED].mean
    assert (few[PRINTED].paper, many[PRINTED].paper, many[TARGET_PRINTED].paper) == (0.9, 0.95, None)


def test_the_published_figures_rise_with_the_labels() -> None:
    published = list(membership_printed_labels.PUBLISHED.values())
    assert published == sorted(published)
    assert len(published) == 5
