"""Private hospitals and countries, on invented rows."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from tacit.data.public.datasets import TableSet
from tacit.experiments.linear_runs import DIRECT, SIMPLE, SOURCE
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import pptl_centres

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]
METHODS = [DIRECT, SOURCE, SIMPLE, *(f"PPTL-FS({f}), {a}" for f in "RW" for a in ("stack", "average"))]


@pytest.fixture(autouse=True)
def small(shrink: Callable[..., None], invented: Callable[..., TableSet]) -> None:
    sizes = {"cleveland": 400, "hungarian": 90, "va": 60}
    centres = {name: invented("heart", n, seed=n) for name, n in sizes.items()}
    born = np.random.default_rng(0).permutation(["United-States"] * 300 + ["Mexico"] * 60 + [" Cuba "] * 50)
    adult = invented("adult", 410, seed=1, native_country=born.tolist())
    shrink(pptl_centres, load_heart_centres=lambda: centres, load_adult=lambda: adult)
    shrink(pptl_centres, RUNS=6, COUNTRIES=("Mexico", "Cuba"), EPSILON=4.0)


def test_every_target_is_measured_and_every_family_ranked(checked: Checked) -> None:
    rows = checked(pptl_centres.rows())
    settings = list(dict.fromkeys(row.setting for row in rows))
    assert settings == [
        "heart: hungarian, 90 rows",
        "heart: va, 60 rows",
        "heart: all 2 targets",
        "Adult: Mexico, 60 rows",
        "Adult: Cuba, 50 rows",
        "Adult: all 2 targets",
    ]
    for setting in settings:
        mine = [row for row in rows if row.setting == setting]
        ranked = "all" in setting
        shown = [row for row in mine if row.metric == ("averaged rank" if ranked else "ROC AUC")]
        assert [row.method for row in shown] == METHODS
        assert {row.runs for row in shown} == {1 if ranked else 6}
        # Seven methods share the ranks 1 to 7, and some are best or as good.
        assert not ranked or sum(row.mean for row in shown) == pytest.approx(28)
        assert not ranked or sum(row.mean for row in mine if "t-test" in row.metric) >= 1
    areas = {row.method: row.mean for row in rows if row.setting == settings[0]}
    assert areas[SIMPLE] > areas[DIRECT] - 0.1
    assert areas[SOURCE] > 0.6


def test_the_country_that_tells_tables_apart_is_no_feature() -> None:
    family = pptl_centres._countries()
    assert not [name for name in family.source.names if name.startswith("native-country")]
    assert len(family.source.y) == 300
    assert {name: len(table.y) for name, table in family.targets.items()} == {"Mexico": 60, "Cuba": 50}


def test_the_groups_of_columns_cover_each_column_once_and_spend_all_of_epsilon() -> None:
    for family in (pptl_centres._hearts(), pptl_centres._countries()):
        split = family.splits["PPTL-FS(W)"]
        places = sorted(place for group in split.positions for place in group)
        assert places == list(range(len(family.schema.encoded_names)))
        assert sum(split.shares) == pytest.approx(1.0)


def test_a_fifth_of_each_class_is_held_out() -> None:
    family = pptl_centres._hearts()
    target = family.targets["hungarian"]
    task = pptl_centres._task(family.source, target, family.schema, seed=0)
    for code in (0, 1):
        of_class = int((target.y == code).sum())
        assert int((task.test[1] == code).sum()) == of_class // 5
        assert int((task.target[1] == code).sum()) == of_class - of_class // 5
