"""Private linear transfer by the number of groups, on few digits."""

from collections.abc import Callable, Iterable

from tacit.data.public.datasets import ImageSet
from tacit.experiments import linear_digits
from tacit.experiments.linear_runs import DIRECT
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import pptl_groups

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def test_each_number_of_groups_is_measured_beside_learning_alone(
    shrink: Callable[..., None], digits: Callable[..., ImageSet], checked: Checked
) -> None:
    images = digits(8, 1300, 400)
    shrink(linear_digits, load_mnist=lambda: images, DIRECTIONS=20, SOURCE_ROWS=160, TARGET_ROWS=100)
    shrink(pptl_groups, RUNS=2, GROUPS=(1, 4), EPSILON=8.0)
    rows = checked(pptl_groups.rows())
    assert list(dict.fromkeys(row.setting for row in rows)) == ["K = 1, epsilon 8", "K = 4, epsilon 8"]
    areas = {(row.setting, row.method): row.mean for row in rows}
    # How features are grouped is nothing to those who do not group them.
    assert areas["K = 1, epsilon 8", DIRECT] == areas["K = 4, epsilon 8", DIRECT]
    assert areas["K = 1, epsilon 8", "PPTL-FS(W), average"] > 0.9
    # One group is one group, however it is chosen.
    one = [areas["K = 1, epsilon 8", f"PPTL-FS({kind}), average"] for kind in "RW"]
    assert abs(one[0] - one[1]) < 0.05
