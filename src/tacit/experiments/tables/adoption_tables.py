"""Tables of other owners adopted with 0 to 200 labels, beside learners of the same labels and an open ceiling."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import check_random_state

from tacit.adoption.tables.averaged_transfer import AveragedTransfer
from tacit.arrays import Codes, FloatArray, Rows
from tacit.data.public.datasets import (
    TableSet,
    load_adult,
    load_bank,
    load_doctor_visits,
    load_flights,
    load_heart_centres,
    load_vietnam_health,
)
from tacit.data.public.downloads import HEART_CENTRES
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.experiments.owner_situations import OwnerSituation, situation_rows
from tacit.experiments.results import ADOPTED, RELEASE_ALONE, TARGET_ONLY, Figures, ResultRow
from tacit.experiments.table_runs import random_owner
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.registry import default_kind
from tacit.releases.file import Release
from tacit.releases.kind import ReleaseKind

DRAWS = 8
LABELS = (0, 20, 50, 200)
EPSILON, DELTA = 1.0, 1e-6
# Of the receiver's rows at most so many are used, and of those at least half are held out.
MOST_ROWS = 12_000
# In these situations class sums are released too, and adopted by themselves.
WITH_CLASS_SUMS = ("adult",)
QUICK: dict[str, Any] = {"DRAWS": 1, "LABELS": (0, 20), "MOST_ROWS": 2000}
AUC, ACCURACY, LOSS = "ROC AUC", "accuracy", "log-loss"


def rows() -> Iterator[ResultRow]:
    """Yield area, accuracy and log-loss of each way to learn, for every situation and number of labels."""
    for situations in (_adult, _bank, _flights, _vietnam_health, _doctor_visits, _heart_centres):
        yield from situation_rows(situations, DRAWS, _run)


def _run(situation: OwnerSituation, seed: int) -> Iterator[tuple[str, Figures]]:
    """Yield the figures for each number of labels; the same labels for every method."""
    releases = released(situation, default_kind(situation.schema), seed)
    sums = released(situation, CLASS_MOMENTS, seed) if situation.name in WITH_CLASS_SUMS else []
    (X, y), (test, truth) = situation.receiver_halves(seed, MOST_ROWS)
    ceiling = HistGradientBoostingClassifier(random_state=0).fit(
        np.concatenate([each.X for each in situation.owners]), np.concatenate([each.y for each in situation.owners])
    )
    for n_labels in LABELS:
        if 2 * n_labels > len(y):
            continue
        labels = np.where(np.arange(len(y)) < n_labels, y, -1)
        adopted = [_adopted(each, situation.schema, X, labels, seed) for each in (releases, sums) if each]
        if adopted[0] is None:
            continue  # without labels of two classes, releases that show no more than noise are refused
        predictions = {
            "majority": np.tile(_shares(y[: max(n_labels, 1)]), (len(test), 1)),
            **own_predictions(X[:n_labels], y[:n_labels], test),
            RELEASE_ALONE: adopted[0].releases_proba(test),
            TARGET_ONLY: adopted[0].alone_proba(test),
            ADOPTED: adopted[0].predict_proba(test),
            "boosting on the owners' open rows": ceiling.predict_proba(test),
        }
        for model in adopted[1:]:
            if model is not None:
                predictions["class sums alone"] = model.releases_proba(test)
                predictions["adopted, class sums"] = model.predict_proba(test)
        yield f"{situation.name}, {n_labels} labels", _figures(predictions, truth)


def released(situation: OwnerSituation, kind: ReleaseKind, seed: int) -> list[Release]:
    """Return what each owner hands out."""
    settings: dict[str, Any] = {"unit": "record", "epsilon": EPSILON, "delta": DELTA, "random_state": seed}
    return [kind.release(each.X, each.y, situation.schema, **settings) for each in situation.owners]


def _adopted(releases: list[Release], schema: Schema, X: Rows, labels: Codes, seed: int) -> AveragedTransfer | None:
    """Return the receiver's model; None if the releases are refused."""
    try:
        return AveragedTransfer(releases, schema=schema, evidence=False, random_state=seed).fit(X, labels)
    except InputError:
        return None


def own_predictions(X: Rows, y: Codes, test: Rows) -> dict[str, FloatArray]:
    """Return class probabilities by usual learners of the labels; of one class only, their shares; nothing of none."""
    if not len(y):
        return {}
    learners: dict[str, ClassifierMixin] = {
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
        "support vectors": make_pipeline(StandardScaler(), SVC()),
        "boosting": HistGradientBoostingClassifier(min_samples_leaf=5, random_state=0),
    }
    if len(np.unique(y)) < 2:
        return dict.fromkeys(learners, np.tile(_shares(y), (len(test), 1)))
    return {name: _probabilities(learner.fit(X, y), test) for name, learner in learners.items()}


def _probabilities(model: ClassifierMixin, test: Rows) -> FloatArray:
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(test))
    second = 1 / (1 + np.exp(-model.decision_function(test)))
    return np.stack([1 - second, second], axis=1)


def _shares(y: Codes) -> FloatArray:
    counts = np.bincount(y, minlength=2) + 0.5
    return np.asarray(counts / counts.sum())


def _figures(predictions: dict[str, FloatArray], truth: Codes) -> Figures:
    figures: Figures = {}
    for method, probabilities in predictions.items():
        figures[method, AUC] = float(roc_auc_score(truth, probabilities[:, 1]))
        figures[method, ACCURACY] = float((probabilities.argmax(axis=1) == truth).mean())
        true = probabilities[np.arange(len(truth)), truth]
        figures[method, LOSS] = float(-np.log(np.maximum(true, 1e-6)).mean())
    return figures


def _adult(seed: int) -> list[OwnerSituation]:
    data = load_adult()
    return [OwnerSituation.split("adult", data, [random_owner(data.table.height, seed)])]


def _bank(seed: int) -> list[OwnerSituation]:
    data = load_bank()
    return [OwnerSituation.split("bank", data, [random_owner(data.table.height, seed)])]


def _by_column(name: str, load: Callable[[], TableSet], column: str, receiver: str) -> list[OwnerSituation]:
    data = load()
    places = data.table[column].to_numpy()
    owners = [places == each for each in sorted(set(places) - {receiver})]
    return [OwnerSituation.split(f"{name}: {receiver}", data, owners)]


def _flights(_seed: int) -> list[OwnerSituation]:
    """Return two airports that release, and a third that adopts."""
    return _by_column("flights", lambda: load_flights("late"), "origin", "LGA")


def _vietnam_health(seed: int) -> list[OwnerSituation]:
    """Return communes that fall into two owners and a receiver."""
    data = load_vietnam_health()
    communes = data.table["commune"].to_numpy()
    parts = np.array_split(check_random_state(seed).permutation(np.unique(communes)), 3)
    return [OwnerSituation.split("vietnam_health", data, [np.isin(communes, part) for part in parts[:2]])]


def _doctor_visits(_seed: int) -> list[OwnerSituation]:
    """Return three regions that release, and the fourth that adopts, in all directions."""
    regions = ("midwest", "noreast", "other", "west")
    return [each for name in regions for each in _by_column("doctor_visits", load_doctor_visits, "region", name)]


def _heart_centres(_seed: int) -> list[OwnerSituation]:
    """Return every hospital as it adopts from every other one."""
    centres = {name: data.encode(labels="optional") for name, data in load_heart_centres().items()}
    schema = next(iter(load_heart_centres().values())).schema
    return [
        OwnerSituation(f"heart: {owner} to {receiver}", schema, (centres[owner],), centres[receiver])
        for owner in HEART_CENTRES
        for receiver in HEART_CENTRES
        if owner != receiver
    ]
