"""Small owners: one joint release of their rows beside separate releases, and beside all rows in one hand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.utils import check_random_state

from tacit.adoption.tables.averaged_transfer import AveragedTransfer
from tacit.arrays import Codes, FloatArray, Rows
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
from tacit.privacy.mechanisms.joint import GridCells, JointGaussian
from tacit.privacy.stream import NoiseStream
from tacit.releases.file import Release
from tacit.situations.joint.party import JointSpend

SEEDS = 10
LABELS = (0, 50)
EPSILON, DELTA = 1.0, 1e-6
# Every party knows its own share of the noise: a coalition of one.
COLLUDING = 1
REGIONS = ("midwest", "noreast", "other", "west")
# Rows of one airport's departures, dealt out to many owners.
MANY_OWNERS, ROWS_EACH = 50, 400
# Of the receiver's rows at most so many are used, and half of those are held out.
MOST_ROWS = 4000
QUICK: dict[str, Any] = {"SEEDS": 1, "LABELS": (0,), "MANY_OWNERS": 5, "REGIONS": ("west",)}
AUC, DIFFERENCE, ERROR = "ROC AUC", "difference of ROC AUC", "its standard error over the rows held out"
OPEN = "logistic regression on the owners' open rows"
OPEN_EACH = "logistic regressions of each owner's open rows, averaged"


def rows() -> Iterator[ResultRow]:
    """Yield the area of what is adopted from joint, separate and pooled releases, for each number of labels.

    Differences are those of each draw, with the same labels and the same rows to be judged on: their spread is that of
    the comparison, which is far less than that of either area.
    """
    for situations in (heart_centres, doctor_visits, _flights):
        yield from situation_rows(situations, SEEDS, compared_offers)


def compared_offers(situation: OwnerSituation, seed: int) -> Iterator[tuple[str, Figures]]:
    """Yield the figures for each number of labels; the same labels and held-out rows for every method."""
    pooled = _pooled(situation.owners)
    offers = {
        "joint": [joint_release(situation.owners, situation.schema, seed)],
        "separate": [_released(each, situation.schema, seed + 1000 * n) for n, each in enumerate(situation.owners)],
        "pooled, one noise": [_released(pooled, situation.schema, seed)],
    }
    (X, y), (test, truth) = situation.receiver_halves(seed, MOST_ROWS)
    ceilings = {OPEN: _open_scores([pooled], test), OPEN_EACH: _open_scores(situation.owners, test)}
    for n_labels in LABELS:
        if 2 * n_labels > len(y):
            continue
        labels = np.where(np.arange(len(y)) < n_labels, y, -1)
        figures: Figures = {(name, AUC): _area(truth, scores) for name, scores in ceilings.items()}
        scores = {}
        for name, releases in offers.items():
            model = AveragedTransfer(releases, schema=situation.schema, evidence=False, random_state=seed)
            try:
                scores[name] = model.fit(X, labels).predict_proba(test)[:, 1]
            except InputError:
                # Without labels, releases that show no more than noise are refused: as good as a coin.
                scores[name] = np.full(len(truth), 0.5)
                continue
            if n_labels and name == "joint":
                figures["labels alone", AUC] = _area(truth, model.alone_proba(test)[:, 1])
        figures |= _comparison(truth, scores)
        yield f"{situation.name}, {n_labels} labels", figures


def joint_release(owners: Sequence[Encoded], schema: Schema, seed: int) -> Release:
    """Return one release of all owners' rows, with a share of the noise from each of them.

    In one hand: masks change no total, and totals over parties are those of one table, as tests show bit for bit.
    """
    together = _pooled(owners)
    plan = joint_plan(
        lambda epsilon: ADDITIVE.plan(schema, unit="record", epsilon=epsilon, delta=DELTA),
        Budget(EPSILON, DELTA, unit="record"),
        parties=len(owners),
        honest=len(owners) - COLLUDING,
        rows=len(together.y),
    )
    # Noise of its own, not that of the pooled release beside it.
    stream = NoiseStream(100_000 + seed)

    def exchange(mechanism: JointGaussian, first: GridCells) -> GridCells:
        others = mechanism.share(np.zeros((len(owners) - 1, *first.shape), np.int64), stream)
        total: GridCells = first + others.sum(axis=0)
        return total

    spend = JointSpend(exchange=exchange, seed=seed, random_state=200_000 + seed)
    return ADDITIVE.make_from_rows(plan, ArrayRows(together.X, together.y), spend)


def _released(own: Encoded, schema: Schema, seed: int) -> Release:
    return ADDITIVE.release(own.X, own.y, schema, unit="record", epsilon=EPSILON, delta=DELTA, random_state=seed)


def _pooled(owners: Sequence[Encoded]) -> Encoded:
    X, y = (np.concatenate([getattr(each, name) for each in owners]) for name in ("X", "y"))
    return replace(owners[0], X=X, y=y, persons=None)


def _open_scores(owners: Sequence[Encoded], rows: Rows) -> FloatArray:
    """Return log-odds without any privacy: the mean over a logistic regression of each owner's rows."""
    models = [LogisticRegression(max_iter=500).fit(each.X, each.y) for each in owners]
    scores: FloatArray = np.mean([model.decision_function(rows) for model in models], axis=0)
    return scores


def _comparison(truth: Codes, scores: Mapping[str, FloatArray]) -> Figures:
    """Return the area of each offer, and by how much the joint one is above each other, with its standard error."""
    figures: Figures = {(name, AUC): _area(truth, each) for name, each in scores.items()}
    for name in [name for name in scores if name != "joint"]:
        figures[f"joint less {name}", DIFFERENCE] = figures["joint", AUC] - figures[name, AUC]
        figures[f"joint less {name}", ERROR] = difference_error(truth, scores["joint"], scores[name])
    return figures


def difference_error(truth: Codes, first: FloatArray, second: FloatArray) -> float:
    """Return the standard error of the difference of two areas on the same rows, as if these were drawn anew [delong].

    With w(i, j) = 1 where positive i lies above negative j, and 1/2 where they tie, for each of the two scores: the
    variance is var_i(mean_j d)/n_positive + var_j(mean_i d)/n_negative, d the difference of both w.
    """

    def above(scores: FloatArray) -> FloatArray:
        margins = scores[truth == 1][:, None] - scores[truth == 0]
        placed: FloatArray = (np.sign(margins) + 1) / 2
        return placed

    differences = above(first) - above(second)
    variances = [differences.mean(axis=1 - axis).var(ddof=1) / size for axis, size in enumerate(differences.shape)]
    return float(np.sqrt(sum(variances)))


def _area(truth: Codes, scores: FloatArray) -> float:
    return float(roc_auc_score(truth, scores))


def heart_centres(_seed: int) -> list[OwnerSituation]:
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


def doctor_visits(_seed: int) -> list[OwnerSituation]:
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
