"""What releases that deserve no trust cost, on a small made-up table."""

from collections.abc import Callable, Iterable

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
