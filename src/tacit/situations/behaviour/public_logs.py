"""The public logs: pupils in Glasgow over three waves with their friends, and the days of Fitbit wearers."""

from datetime import date

import numpy as np
import polars as pl

from tacit.arrays import IntArray
from tacit.data.public.datasets import load_fitbit, load_glasgow
from tacit.situations.behaviour.tuples import UNKNOWN, BehaviourLog

MOST_DAYS = 0  # the first class of the schema's label


def glasgow_log() -> BehaviourLog:
    """Return the Glasgow study: the outcome is whether a pupil plays sports on most days, friends are those named."""
    study = load_glasgow()
    encoded = study.encode()
    outcome = np.where(encoded.y == UNKNOWN, UNKNOWN, encoded.y == MOST_DAYS).astype(np.int64)
    named = study.friendships.select("wave", "from", "to").to_numpy().astype(np.int64)
    # How often pupils play now is known too; the schema keeps it out of the features as the label.
    now = np.where(outcome == UNKNOWN, 0.5, outcome)
    return BehaviourLog(
        np.column_stack([encoded.X, now]), _integers(study.table["id"]), _integers(study.table["wave"]), outcome, named
    )


def fitbit_log() -> BehaviourLog:
    """Return the Fitbit days: the outcome is whether a wearer takes more steps than the day before; no friends."""
    log = load_fitbit()
    _, place = np.unique(log.table["Id"].to_numpy(), return_inverse=True)
    days = np.array([date.fromisoformat(day).toordinal() for day in log.table["ActivityDate"]], dtype=np.int64)
    steps = log.table["TotalSteps"].cast(pl.Float64).to_numpy()
    person = place.astype(np.int64)
    follows = np.zeros(len(days), dtype=bool)  # rows are sorted by wearer and day
    follows[1:] = (np.diff(person) == 0) & (np.diff(days) == 1)
    more = np.append(False, steps[1:] > steps[:-1])
    outcome = np.where(follows, more, UNKNOWN).astype(np.int64)
    return BehaviourLog(
        np.asarray(log.encode().X, dtype=np.float64), person, days, outcome, np.empty((0, 3), dtype=np.int64)
    )


def _integers(column: pl.Series) -> IntArray:
    return column.cast(pl.Int64).to_numpy().astype(np.int64)
