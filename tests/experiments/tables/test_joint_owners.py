"""Small owners together, apart and in one hand: on invented rows."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tacit.data.public.datasets import TableSet
from tacit.data.public.downloads import HEART_CENTRES
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import joint_owners
from tacit.privacy.mechanisms import JointGaussian, from_settings

OFFERS = {"joint", "separate", "pooled, one noise"}


def placed(data: TableSet, column: str, names: tuple[str, ...]) -> TableSet:
    """Return the table with a column that says where each row is from."""
    places = pl.Series(column, np.array(names)[np.arange(data.table.height) % len(names)])
    return TableSet(data.name, data.table.with_columns(places), replace(data.schema, extra_columns="ignore"))


@pytest.fixture(autouse=True)
def small(shrink: Callable[..., None], invented: Callable[..., TableSet]) -> None:
    bank = invented("bank", 900)
    hearts = {name: invented("heart", 130, seed=place) for place, name in enumerate(HEART_CENTRES)}
    shrink(
        joint_owners,
        SEEDS=1,
        LABELS=(0, 20),
        MANY_OWNERS=4,
        ROWS_EACH=60,
        REGIONS=("west",),
        HEART_CENTRES=("cleveland", "hungarian", "va"),
        load_flights=lambda _: placed(bank, "origin", ("EWR", "JFK", "LGA")),
        load_doctor_visits=lambda: placed(bank, "region", ("midwest", "noreast", "west")),
        load_heart_centres=lambda: hearts,
    )


def test_every_situation_shows_the_three_offers_side_by_side(
    checked: Callable[[Iterable[ResultRow]], list[ResultRow]],
) -> None:
    rows = checked(joint_owners.rows())
    for name in ("heart: va", "doctor_visits: west", "flights: 4 owners"):
        areas = {row.method for row in rows if row.setting == f"{name}, 20 labels" and row.metric == "ROC AUC"}
        assert areas == OFFERS | {"labels alone", joint_owners.OPEN, joint_owners.OPEN_EACH}
    assert all(0 <= row.mean <= 1 for row in rows if row.metric == "ROC AUC")


def test_differences_are_those_of_the_areas_beside_them(
    checked: Callable[[Iterable[ResultRow]], list[ResultRow]],
) -> None:
    rows = checked(joint_owners.rows())
    areas = {(row.setting, row.method): row.mean for row in rows if row.metric == "ROC AUC"}
    differences = [row for row in rows if row.metric == "difference of ROC AUC"]
    assert {row.method for row in differences} == {"joint less separate", "joint less pooled, one noise"}
    for row in differences:
        other = row.method.removeprefix("joint less ")
        assert row.mean == pytest.approx(areas[row.setting, "joint"] - areas[row.setting, other])


def test_the_error_of_a_difference_is_its_spread_over_rows_drawn_anew() -> None:
    random = np.random.default_rng(0)

    def sample(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        truth = np.repeat([0, 1], [count, 3 * count])
        shared = truth + random.normal(size=len(truth))
        return truth, shared + 0.5 * random.normal(size=len(truth)), shared + random.normal(size=len(truth))

    drawn = [sample(30) for _ in range(400)]
    differences = [joint_owners._area(t, a) - joint_owners._area(t, b) for t, a, b in drawn]
    errors = [joint_owners.difference_error(*each) for each in drawn]
    assert np.mean(errors) == pytest.approx(np.std(differences), rel=0.1)
    truth, scores, _ = drawn[0]
    assert joint_owners.difference_error(truth, scores, 2 * scores) == 0


def test_no_row_is_both_learned_from_and_judged_and_owners_share_none() -> None:
    (situation,) = joint_owners._flights(0)
    assert len(situation.owners) == 4
    assert all(len(owner.y) == 60 for owner in situation.owners)
    assert len(situation.receiver.y) == 300
    stacked = np.vstack([owner.X for owner in situation.owners])
    assert len(stacked) == 240


def test_the_joint_release_has_the_noise_that_its_card_states() -> None:
    (situation,) = joint_owners._flights(0)
    release = joint_owners.joint_release(situation.owners, situation.schema, 0)
    for part in release.card.parts:
        mechanism = from_settings(part.mechanism)
        assert isinstance(mechanism, JointGaussian)
        assert (mechanism.parties, mechanism.honest) == (4, 3)
    assert release.card.epsilon == joint_owners.EPSILON
    again = joint_owners.joint_release(situation.owners, situation.schema, 0)
    assert np.array_equal(release.arrays["values"], again.arrays["values"])
