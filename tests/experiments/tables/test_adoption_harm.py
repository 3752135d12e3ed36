"""What releases that deserve no trust cost, on a small made-up table."""

from collections.abc import Callable, Iterable

import numpy as np

from tacit.experiments.harm_runs import harm_case
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import adoption_harm

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def test_every_set_of_releases_is_measured_and_the_worst_is_shown(
    shrink: Callable[..., None], checked: Checked
) -> None:
    shrink(adoption_harm, TABLES=("made up",), DRAWS=1, LABELS=(0, 20), SETS=(("noise",), ("flipped",)))
    rows = checked(adoption_harm.rows())
    assert [(row.method, row.setting.rsplit(", ")[-1]) for row in rows[:3]] == [
        ("noise", "0 labels"),
        ("noise", "20 labels"),
        ("flipped", "20 labels"),
    ]
    assert len(rows) == 2 * 3 + 2
    assert rows[0].mean == 0  # refused
    assert rows[-1].mean == min(row.mean for row in rows)
    assert rows[-2].runs == rows[-1].runs == 6


def test_runs_whose_other_rows_are_of_one_class_are_not_judged() -> None:
    case = harm_case("breast cancer", 0, rare=True)
    last = int(np.flatnonzero(case.y == 1).max())
    assert case.can_judge(10)
    assert not case.can_judge(last + 1)
    assert not case.can_judge(len(case.y) // 2 + 1)
