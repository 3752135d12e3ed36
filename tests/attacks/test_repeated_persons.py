"""A person with several rows loses no more than epsilon where a person is promised it, and is told of it where not."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.audit.game import Game, Sampler
from tacit.data.schemas.columns import Ignored, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.models.class_moments.features import count_weight
from tacit.models.class_moments.nearest_mean import PrivateNearestMean
from tacit.models.per_person import promised_plan
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.privacy.stream import NoiseStream
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.terms import DeskTerms

EPSILON, DELTA, VISITS, BOUND = 1.0, 1e-3, 12, 3
SCHEMA = Schema((Ignored("patient"), Numeric("age", (0, 100)), Label("ill", ("no", "yes"))))


def visits(frequent: int) -> pl.DataFrame:
    """Return one row of each of 60 patients and ``frequent`` rows of one more."""
    names = [f"P{i}" for i in range(60)] + ["frequent"] * frequent
    ages = [*(float(i % 90) for i in range(60)), *[100.0] * frequent]
    return pl.DataFrame({"patient": names, "age": ages, "ill": ["no", "yes"] * 30 + ["yes"] * frequent})


def presence_game(rows: int, read: int) -> Game:
    """Return the game whether the frequent patient was there: noise is for ``rows`` visits, ``read`` are read.

    The statistic is the released sum and count of their class along what their rows add to them.
    """
    model = PrivateNearestMean(EPSILON, bounds=(0, 100), delta=DELTA, rows_per_person=rows)
    _, plan = promised_plan(model, lambda each: each.record_plan(1))
    mechanism, stream = plan.steps[0].mechanism, NoiseStream(5)
    weight = count_weight(1.0)
    added = np.array([1.0, weight])  # the row itself, and the count as the query weighs it

    def sampler(visits: int) -> Sampler:
        truth = np.array([30.0, 30.0 * weight]) + visits * added
        return lambda count: mechanism.draw(np.broadcast_to(truth, (count, 2)), stream) @ added

    return Game("presence", EPSILON, DELTA, sampler(0), sampler(read))


def test_a_promise_per_record_does_not_cover_a_patient_with_twelve_visits() -> None:
    """What an attacker of a release per record sees: the promise of epsilon 1 is broken for that person."""
    assert presence_game(1, VISITS).play(4000).lower_bound > 2 * EPSILON


def test_a_promise_per_person_does() -> None:
    game = presence_game(BOUND, BOUND).play(20_000)
    assert game.passed
    assert game.lower_bound > 0.3 * EPSILON
    assert not presence_game(BOUND, VISITS).play(4000).passed


@pytest.mark.parametrize("method", ["moments", "linear"])
def test_who_releases_such_a_table_per_record_reads_what_the_patient_loses(method: str) -> None:
    with pytest.warns(UserWarning, match=r"'patient' repeats like an identifier: 12 rows.*person loses epsilon"):
        tacit.release(visits(VISITS), SCHEMA, epsilon=EPSILON, method=method, audit=False)


def test_a_ledger_per_person_takes_no_release_that_bounds_nothing(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(5, 1e-3, unit="person"))
    with pytest.raises(tacit.errors.InputError, match="rows_per_person must be given"):
        PrivateNearestMean(EPSILON, bounds=(0, 100), delta=DELTA, ledger=ledger).fit([[1.0], [2.0]], [0, 1])
    assert not ledger.lines()


def test_scores_of_a_desk_move_no_further_than_their_noise_is_made_for() -> None:
    settings: dict[str, Any] = {"metric": "accuracy", "decimals": 3, "queries": 10, "n_rows": 60, "epsilon": 1.0}
    record = DeskTerms(Architecture("linear", 1, 1), **settings)
    person = DeskTerms(Architecture("linear", 1, 1), **settings, rows_per_person=BOUND)
    assert record.mechanism is not None
    assert person.mechanism is not None
    # Three predictions of one patient turn from wrong to right.
    assert record.mechanism.sensitivity < BOUND / 60
    assert person.mechanism.sensitivity >= BOUND / 60
    assert np.isclose(person.noise, BOUND * record.noise, rtol=1e-3)
