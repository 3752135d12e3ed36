"""The printed transfer of digits: each epsilon has its rows, and the published figure stands beside its own alone."""

from collections.abc import Callable, Iterable

from tacit.data.public.datasets import ImageSet
from tacit.experiments.printed_transfer import PRINTED, SOURCE_PRINTED, TARGET_PRINTED
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import membership_printed

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def test_each_epsilon_is_measured_by_source_target_and_both(
    shrink: Callable[..., None], digits: Callable[..., ImageSet], checked: Checked
) -> None:
    shrink(membership_printed, load_mnist=lambda: digits(8, 400, 300), OWNED=300, RECEIVED=200, PER_CLASS=4)
    shrink(membership_printed, EPSILONS=(0.1, None))
    rows = checked(membership_printed.rows())
    methods = (SOURCE_PRINTED, TARGET_PRINTED, PRINTED)
    assert [(row.setting, row.method) for row in rows] == [
        (setting, method) for setting in ("entry epsilon 0.1", "not private") for method in methods
    ]
    published = {(row.setting, row.method): row.paper for row in rows if row.paper is not None}
    assert published == {("entry epsilon 0.1", PRINTED): 0.951}
    means = {(row.setting, row.method): row.mean for row in rows}
    # The target is the same whatever the owner hands out.
    assert means["entry epsilon 0.1", TARGET_PRINTED] == means["not private", TARGET_PRINTED]
    assert means["not private", SOURCE_PRINTED] > means["entry epsilon 0.1", SOURCE_PRINTED] + 0.3
