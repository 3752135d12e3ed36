"""Adult: a last layer tuned from scores on other people, on invented people."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pytest

from tacit.data.public.datasets import TableSet
from tacit.experiments.feedback_runs import BEST, PPS, RANDOM, START, SUPERVISED
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import feedback_adult
from tacit.experiments.tables.feedback_adult import ABROAD, OLDER
from tacit.situations.feedback.goals import ConstrainedScores, WeightedScores

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]
METRICS = ("support accuracy", "holdout accuracy")


@pytest.fixture(autouse=True)
def adult(shrink: Callable[..., None], invented: Callable[..., TableSet]) -> Iterator[TableSet]:
    rng = np.random.default_rng(0)
    born = rng.choice(["United-States", "Mexico", "?"], 600, p=[0.5, 0.4, 0.1]).tolist()
    table = invented("adult", 600, seed=1, native_country=born)
    shrink(feedback_adult, load_adult=lambda: table, SEEDS=2, FAIR_RUNS=2, QUERIES=60)
    shrink(feedback_adult, SOURCE_ROWS=150, TARGET_ROWS=120, BATCHES=(10, 30), SUPPORT_ROWS=(20,), DECIMALS=(1,))
    for cached in (feedback_adult.people, feedback_adult.trained_last_layer):
        cached.cache_clear()
    yield table
    for cached in (feedback_adult.people, feedback_adult.trained_last_layer):
        cached.cache_clear()


def test_every_part_of_the_table_has_its_rows(checked: Checked) -> None:
    rows = checked(feedback_adult.rows())
    settings = list(dict.fromkeys(row.setting for row in rows))
    assert settings == [
        f"{ABROAD}, 60 queries",
        f"{OLDER}, 60 queries",
        f"{OLDER}, batch 10",
        f"{OLDER}, batch 30",
        f"{OLDER}, 20 support rows",
        f"{OLDER}, 1 decimals of the fraction",
        f"fair tuning, {ABROAD}, 60 queries",
    ]
    assert {row.runs for row in rows} == {2}
    for setting in settings[:2]:
        methods = {row.method for row in rows if row.setting == setting}
        assert methods >= {START, RANDOM, PPS, BEST, SUPERVISED}
    means = {(row.setting, row.method, row.metric): row.mean for row in rows}
    # What learning from the support rows themselves gives is more than what scores alone give.
    assert means[settings[1], SUPERVISED, METRICS[0]] >= means[settings[1], PPS, METRICS[0]]
    assert means[settings[1], PPS, METRICS[0]] > means[settings[1], START, METRICS[0]]
    fair = [row for row in rows if row.setting == settings[-1]]
    assert {row.metric for row in fair} == {"holdout accuracy", "holdout gap", "runs with both improved"}
    assert {row.method for row in fair} == {START, "PPS, weighted scores", "PPS, constrained scores"}


def test_source_and_target_are_told_apart_by_country_or_age(adult: TableSet) -> None:
    people = feedback_adult.people()
    born, age = adult.table["native-country"].to_numpy(), adult.table["age"].cast(int).to_numpy()
    np.testing.assert_array_equal(people.source[ABROAD], born == "United-States")
    np.testing.assert_array_equal(people.target[ABROAD], born == "Mexico")  # unknown countries are left out
    np.testing.assert_array_equal(people.source[OLDER], age < 40)
    np.testing.assert_array_equal(people.target[OLDER], age >= 40)
    assert people.X.shape[1] < adult.encode().X.shape[1]  # the country itself is no feature
    np.testing.assert_array_equal(people.male, adult.table["sex"].to_numpy() == "Male")


def test_rows_that_answer_never_test() -> None:
    layer = feedback_adult.trained_last_layer(OLDER, 0)
    for n_support in (20, 10_000):
        support, holdout = layer.parts(n_support)
        assert support.stop <= holdout.start == len(layer.y) // 2
    assert layer.start.shape == (layer.features.shape[1] + 1,)
    assert (layer.features >= 0).all()  # rectified units


def test_the_floor_is_two_standard_errors_above_the_start() -> None:
    assert feedback_adult._goal("weighted", 0.8, 100) == WeightedScores((feedback_adult.RHO, -1.0))
    goal = feedback_adult._goal("constrained", 0.8, 100)
    assert isinstance(goal, ConstrainedScores)
    # The standard error of 0.8 on 100 rows is sqrt(0.8 x 0.2 / 100).
    assert goal.floor == pytest.approx(0.8 + 2 * 0.04)
