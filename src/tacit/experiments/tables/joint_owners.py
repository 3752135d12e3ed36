"""Small owners: one joint release of their rows beside separate releases, and beside all rows in one hand."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.utils import check_random_state

from tacit.adoption.tables.averaged_transfer import AveragedTransfer
from tacit.data.public.datasets import TableSet, load_doctor_visits, load_flights, load_heart_centres
from tacit.data.public.downloads import HEART_CENTRES
from tacit.data.rows.encoding import Encoded
from tacit.data.rows.stream import ArrayRows
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.experiments.owner_situations import OwnerSituation, situation_rows
from tacit.experiments.results import Figures, ResultRow
from tacit.kinds.additive import KIND as ADDITIVE
from tacit.privacy.budget import Budget
from tacit.privacy.joint_account import joint_plan
from tacit.releases.file import Release
from tacit.situations.joint.party import JointSpend
from tacit.situations.joint.release_worker import Query, ReleaseWorker

# Draws, and draws with many owners, each of which makes every step of the release: half a minute a draw.
DRAWS, MANY_DRAWS = 10, 3
LABELS = (0, 50)
EPSILON, DELTA = 1.0, 1e-6
# Every party knows its own share of the noise: a coalition of one.
COLLUDING = 1
REGIONS = ("midwest", "noreast", "other", "west")
# Rows of one airport's departures, dealt out to many owners.
MANY_OWNERS, ROWS_EACH = 50, 400
# Of the receiver's rows at most so many are used, and half of those are held out.
MOST_ROWS = 4000
QUICK: dict[str, Any] = {"DRAWS": 1, "MANY_DRAWS": 1, "LABELS": (0,), "MANY_OWNERS": 5, "REGIONS": ("west",)}
AUC = "ROC AUC"


def rows() -> Iterator[ResultRow]:
    """Yield the area of what is adopted from joint, separate and pooled releases, for each number of labels."""
    for situations, draws in ((_heart_centres, DRAWS), (_doctor_visits, DRAWS), (_flights, MANY_DRAWS)):
        yield from situation_rows(situations, draws, _run)


def _run(situation: OwnerSituation, seed: int) -> Iterator[tuple[str, Figures]]:
    """Yield the figures for each number of labels; the same labels and held-out rows for every method."""
    pooled = _pooled(situation.owners)
    offers = {
        "joint": [joint_release(situation.owners, situation.schema, seed)],
        "separate": [_released(each, situation.schema, seed + 1000 * n) for n, each in enumerate(situation.owners)],
        "pooled, one noise": [_released(pooled, situation.schema, seed)],
    }
    (X, y), (test, truth) = situation.receiver_halves(seed, MOST_ROWS)
    ceiling = LogisticRegression(max_iter=500).fit(pooled.X, pooled.y).predict_proba(test)
    for n_labels in LABELS:
        if 2 * n_labels > len(y):
            continue
        labels = np.where(np.arange(len(y)) < n_labels, y, -1)
        figures: Figures = {("logistic regression on the owners' open rows", AUC): _area(truth, ceiling)}
        for name, releases in offers.items():
            model = AveragedTransfer(releases, schema=situation.schema, evidence=False, random_state=seed)
            try:
                model.fit(X, labels)
            except InputError:
                # Without labels, releases that show no more than noise are refused: as good as a coin.
                figures[name, AUC] = 0.5
                continue
            figures[name, AUC] = _area(truth, model.predict_proba(test))
            if n_labels and name == "joint":
                figures["labels alone", AUC] = _area(truth, model.alone_proba(test))
        yield f"{situation.name}, {n_labels} labels", figures


def joint_release(owners: Sequence[Encoded], schema: Schema, seed: int) -> Release:
    """Return one release of all owners' rows, each with its share of the noise.

    Shares are added up as they are: masks change no total, which tests show bit for bit, and cost time.
    """
    most = max(len(each.y) for each in owners)
    plan = joint_plan(
        lambda epsilon: ADDITIVE.plan(schema, unit="record", epsilon=epsilon, delta=DELTA),
        Budget(EPSILON, DELTA, unit="record"),
        parties=len(owners),
        honest=len(owners) - COLLUDING,
        rows=most,
    )

    def worker(place: int, own: Encoded) -> ReleaseWorker:
        rows, noise = ArrayRows(own.X, own.y), 100_000 * (seed + 1) + place
        return ReleaseWorker(
            lambda exchange: ADDITIVE.make_from_rows(
                plan, rows, JointSpend(exchange=exchange, seed=seed, random_state=noise)
            )
        )

    workers = [worker(place, own) for place, own in enumerate(owners)]
    try:
        while True:
            current = [each.current() for each in workers]
            queries = [each for each in current if isinstance(each, Query)]
            if not queries:
                (first, *_) = [each for each in current if isinstance(each, Release)]
                return first
            total = np.sum([each.cells for each in queries], axis=0)
            for each in workers:
                each.answer(total)
    finally:
        for each in workers:
            each.close()


def _released(own: Encoded, schema: Schema, seed: int) -> Release:
    return ADDITIVE.release(own.X, own.y, schema, unit="record", epsilon=EPSILON, delta=DELTA, random_state=seed)


def _pooled(owners: Sequence[Encoded]) -> Encoded:
    X, y = (np.concatenate([getattr(each, name) for each in owners]) for name in ("X", "y"))
    return replace(owners[0], X=X, y=y, persons=None)


def _area(truth: Any, probabilities: Any) -> float:
    return float(roc_auc_score(truth, probabilities[:, 1]))


def _heart_centres(_seed: int) -> list[OwnerSituation]:
    """Return every hospital as it adopts what the three others release."""
    centres = load_heart_centres()
    encoded = {name: data.encode(labels="optional") for name, data in centres.items()}
    schema = next(iter(centres.values())).schema
    return [
        OwnerSituation(
            f"heart: {name}", schema, tuple(encoded[each] for each in HEART_CENTRES if each != name), encoded[name]
        )
        for name in HEART_CENTRES
    ]


def _doctor_visits(_seed: int) -> list[OwnerSituation]:
    """Return every region as it adopts what the three others release."""
    data = load_doctor_visits()
    places, encoded = data.table["region"].to_numpy(), data.encode(labels="required")
    return [
        OwnerSituation(
            f"doctor_visits: {name}",
            data.schema,
            tuple(encoded.where(places == each) for each in sorted(set(places) - {name})),
            encoded.where(places == name),
        )
        for name in REGIONS
    ]


def _flights(seed: int) -> list[OwnerSituation]:
    """Return departures of two airports dealt out to many small owners, and the third airport."""
    data: TableSet = load_flights("late")
    encoded, places = data.encode(labels="required"), data.table["origin"].to_numpy()
    theirs = check_random_state(seed).permutation(np.flatnonzero(places != "LGA"))
    parts = np.array_split(theirs[: MANY_OWNERS * ROWS_EACH], MANY_OWNERS)
    owners = tuple(encoded.where(np.isin(np.arange(len(places)), part)) for part in parts)
    return [OwnerSituation(f"flights: {MANY_OWNERS} owners", data.schema, owners, encoded.where(places == "LGA"))]
