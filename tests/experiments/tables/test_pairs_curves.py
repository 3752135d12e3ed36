"""Curves of the printed descent of pairs: every mechanism and setting has its figure."""

from collections.abc import Callable, Iterable

import pytest

from tacit.data.public.datasets import TableSet
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import pairs_curves

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


@pytest.fixture
def table(shrink: Callable[..., None], invented: Callable[..., TableSet], checked: Checked) -> list[ResultRow]:
    shrink(pairs_curves, load_bank=lambda: invented("bank", 150), SEEDS=2, MECHANISM_EPSILONS=(1.0,), PEOPLE=60)
    shrink(pairs_curves, CLIPS=(0.5,), BATCH_SIZES=(10, 50), DIMENSIONS=(4, 1000))
    return checked(pairs_curves.rows())


def test_each_figure_has_its_rows(table: list[ResultRow]) -> None:
    by_setting = {setting: [row for row in table if row.setting == setting] for setting in {r.setting for r in table}}
    strips = {(row.method, row.metric) for row in by_setting["strips, epsilon 2 as stated"]}
    assert {method for method, _ in strips} == {"no noise", "Lap", "Lap-S"}
    assert ("no noise", "stated sensitivity of a row, mean") not in strips
    assert ("Lap-S", "stated sensitivity of a row, mean") in strips
    mechanisms = [row.method for row in by_setting["Bank, one pass, epsilon 1 as stated"]]
    assert mechanisms == ["start", "no noise", "Lap", "Lap-S", "SCDF", "Duchi"]
    settings = [(row.method, row.metric) for row in by_setting["Bank, three passes, epsilon 4 as stated"]]
    # A dimension that the table does not have is left out.
    assert settings == [
        ("Lap-S, h = 0.5", pairs_curves.OBJECTIVE),
        ("Lap-S, batches of 10", pairs_curves.OBJECTIVE),
        ("Lap-S, batches of 50", pairs_curves.OBJECTIVE),
        ("Lap-S, d' = 4", pairs_curves.ACCURACY),
    ]
    assert {row.runs for row in table} == {2}


def test_the_objective_starts_alike_and_ends_lower_without_noise(table: list[ResultRow]) -> None:
    strips = {(row.method, row.metric): row.mean for row in table if row.setting.startswith("strips")}
    start = f"{pairs_curves.OBJECTIVE}, step 0"
    assert strips["no noise", start] == strips["Lap", start] == strips["Lap-S", start]
    last = max((key for key in strips if key[0] == "no noise"), key=lambda key: int(key[1].rsplit(" ", 1)[1]))
    assert strips[last] < strips["no noise", start]
