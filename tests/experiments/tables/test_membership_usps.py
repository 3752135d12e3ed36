"""Pictures of one size adopted for pictures of another, with and without declared shapes."""

from collections.abc import Callable, Iterable

from tacit.data.public.datasets import ImageSet
from tacit.experiments.printed_transfer import PRINTED, SOURCE_PRINTED, TARGET_PRINTED
from tacit.experiments.results import ADOPTED, RELEASE_ALONE, TARGET_ONLY, ResultRow
from tacit.experiments.tables import membership_usps

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def test_declared_shapes_make_a_release_readable_and_undeclared_ones_do_no_harm(
    shrink: Callable[..., None], digits: Callable[..., ImageSet], checked: Checked
) -> None:
    shrink(
        membership_usps,
        load_mnist=lambda: digits(24, 600, 50),
        load_usps=lambda: digits(16, 250, 150),
        SEEDS=1,
        PER_CLASS=4,
        EPSILONS=(5.0,),
        PUBLISHED={5.0: 0.9, None: 0.95},
    )
    rows = checked(membership_usps.rows())
    declared, undeclared = ({row.method: row for row in rows[place : place + 4]} for place in (0, 4))
    assert declared[ADOPTED].setting == "entry epsilon 5, image shapes declared"
    assert undeclared[ADOPTED].setting == "entry epsilon 5, nothing declared"
    assert declared[RELEASE_ALONE].mean > undeclared[RELEASE_ALONE].mean + 0.2
    for by_method in (declared, undeclared):
        assert by_method[ADOPTED].mean >= by_method[TARGET_ONLY].mean - 0.05
    # Published figures are of the published combination, which knows nothing of shapes.
    printed = {(row.setting, row.method): row.paper for row in rows[8:]}
    assert printed == {
        (setting, method): figure if method == PRINTED else None
        for setting, figure in (("entry epsilon 5, nothing declared", 0.9), ("not private, nothing declared", 0.95))
        for method in (SOURCE_PRINTED, TARGET_PRINTED, PRINTED)
    }
    assert {row.paper for row in rows[:8]} == {None}
