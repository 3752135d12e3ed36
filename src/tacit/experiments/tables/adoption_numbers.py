"""Numbers adopted from other owners' tables with 0 to 200 known values, beside learners of the same values."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from tacit.adoption.tables.target_transfer import TargetTransfer
from tacit.arrays import FloatArray, Rows
from tacit.data.public.datasets import TableSet, load_diamonds
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.experiments.kept_answers import kept_figures
from tacit.experiments.number_tables import delays_after_departure, hours_of_adult, pharmacy_visits
from tacit.experiments.owner_situations import OwnerSituation, situation_rows
from tacit.experiments.results import ADOPTED, RELEASE_ALONE, TARGET_ONLY, Figures, ResultRow
from tacit.experiments.table_runs import random_owner
from tacit.kinds.additive import KIND as ADDITIVE

SEEDS = 8
VALUES = (0, 20, 50, 200)
EPSILON, DELTA = 1.0, 1e-6
# Of the receiver's rows at most so many are used, and of those half are held out.
MOST_ROWS = 12_000
# Of the table's rows at most so many are the owners': more than any of these tables has.
MOST_OWNED = 400_000
QUICK: dict[str, Any] = {"SEEDS": 1, "VALUES": (0, 20), "MOST_ROWS": 2000, "MOST_OWNED": 4000}
R_SQUARED, ERROR = "R squared", "absolute error"
OPEN = "linear model of the owners' open rows"


def rows() -> Iterator[ResultRow]:
    """Yield R squared and absolute error of each way to learn, for every table and number of known values."""
    for situations in (_diamonds, _delays, _pharmacy_visits, _hours):
        yield from situation_rows(situations, SEEDS, _kept_run)


def _kept_run(situation: OwnerSituation, seed: int) -> Iterator[tuple[str, Figures]]:
    """Yield the figures of one draw, kept from an interrupted run if there was one."""

    def measure() -> list[tuple[str, list[tuple[str, str, float]]]]:
        return [(setting, [(*key, figure) for key, figure in each.items()]) for setting, each in _run(situation, seed)]

    question = ["adoption-numbers", situation.name, seed, VALUES, EPSILON, DELTA, MOST_ROWS, MOST_OWNED]
    for setting, kept in kept_figures(question, measure):
        yield setting, {(method, metric): figure for method, metric, figure in kept}


def _run(situation: OwnerSituation, seed: int) -> Iterator[tuple[str, Figures]]:
    """Yield the figures for each number of known values; the same values for every method."""
    releases = [
        ADDITIVE.release(each.X, each.outcomes, situation.schema, epsilon=EPSILON, delta=DELTA, random_state=seed)
        for each in situation.owners
    ]
    (X, y), (test, truth) = situation.receiver_halves(seed, MOST_ROWS)
    ceiling = make_pipeline(StandardScaler(), Ridge(1.0)).fit(
        np.concatenate([each.X for each in situation.owners]),
        np.concatenate([each.outcomes for each in situation.owners]),
    )
    for n_values in VALUES:
        known = np.where(np.arange(len(y)) < n_values, y, np.nan)
        model = TargetTransfer(releases, schema=situation.schema, evidence=False, random_state=seed)
        try:
            model.fit(X, known)
        except InputError:
            continue  # without values, releases that show no more than noise are refused
        predictions = {
            **own_predictions(X[:n_values], y[:n_values], test),
            RELEASE_ALONE: model.releases_predict(test),
            TARGET_ONLY: model.alone_predict(test) if n_values else _middle(situation.schema, len(test)),
            ADOPTED: model.predict(test),
            OPEN: ceiling.predict(test),
        }
        yield f"{situation.name}, {n_values} values", figures(predictions, truth)


def _middle(schema: Schema, n_rows: int) -> FloatArray:
    """Return what is known without values and releases: the middle of the target's public bounds, for each row."""
    return np.full(n_rows, np.mean(schema.target.bounds if schema.target is not None else 0.0))


def own_predictions(X: Rows, y: FloatArray, test: Rows) -> dict[str, FloatArray]:
    """Return predictions from the known values alone: their mean, and a linear model; nothing of none."""
    if not len(y):
        return {}
    linear = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-2, 4, 13))).fit(X, y)
    return {"mean of the values": np.full(len(test), y.mean()), "linear model of the values": linear.predict(test)}


def figures(predictions: dict[str, FloatArray], truth: FloatArray) -> Figures:
    """Return R squared and absolute error of each method's predictions [N]."""
    measured: Figures = {}
    for method, predicted in predictions.items():
        measured[method, R_SQUARED] = float(r2_score(truth, predicted))
        measured[method, ERROR] = float(mean_absolute_error(truth, predicted))
    return measured


def _split(name: str, data: TableSet, owners: list[Any], seed: int) -> list[OwnerSituation]:
    """Return one situation, of whose owners' rows at most MOST_OWNED are kept."""
    chosen = check_random_state(seed).permutation(data.table.height)[:MOST_OWNED]
    kept = np.isin(np.arange(data.table.height), chosen)
    rows = data.encode(labels="required")
    receiver = rows.where(~np.any(owners, axis=0))
    return [OwnerSituation(name, data.schema, tuple(rows.where(each & kept) for each in owners), receiver)]


def _diamonds(seed: int) -> list[OwnerSituation]:
    data = load_diamonds()
    return _split("diamonds' price", data, [random_owner(data.table.height, seed)], seed)


def _hours(seed: int) -> list[OwnerSituation]:
    data = hours_of_adult()
    return _split("Adult's hours", data, [random_owner(data.table.height, seed)], seed)


def _delays(seed: int) -> list[OwnerSituation]:
    """Return two airports that release, and a third that adopts."""
    data = delays_after_departure()
    origins = data.table["origin"].to_numpy()
    return _split("flights' delay at arrival", data, [origins == name for name in ("EWR", "JFK")], seed)


def _pharmacy_visits(seed: int) -> list[OwnerSituation]:
    """Return communes that fall into two owners and a receiver."""
    data = pharmacy_visits()
    communes = data.table["commune"].to_numpy()
    parts = np.array_split(check_random_state(seed).permutation(np.unique(communes)), 3)
    return _split("vietnam_health's pharmacy visits", data, [np.isin(communes, part) for part in parts[:2]], seed)
