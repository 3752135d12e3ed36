"""MNIST by affine hulls of raw, noisy and fabricated rows: accuracy, and what the distances tell about membership.

[hull] claims that fabricated rows are about as useful as raw ones and leak less; its own figures are of other data and
are not in the text that is known here.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray, IntArray, Rows
from tacit.audit.attacks.membership_score import membership_score
from tacit.data.public.datasets import ImageSet, load_mnist
from tacit.experiments.results import Figures, ResultRow, metric_rows
from tacit.kinds.fabricated_rows.entry import WHAT
from tacit.kinds.fabricated_rows.make import fabricate
from tacit.models.affine_hull.classifier import AffineHullClassifier
from tacit.models.entry_noise import entry_step, noisy_rows
from tacit.privacy.account import Account
from tacit.privacy.budget import Budget, Unit

SEEDS = 3
ROWS, TESTED = 4_000, 4_000
EPSILONS = (0.5, 1.0, 4.0)
DELTA = 1e-9
RAW, NOISY, SMOOTHED, MOMENTS = "raw rows", "noisy rows", "fabricated through hulls, sound", "fabricated from moments"
ACCURACY, SCORE, CHANCE = "accuracy", "membership score (eq. 69)", "membership score by chance, 95 %"
QUICK: dict[str, Any] = {"SEEDS": 1, "ROWS": 1000, "TESTED": 1000, "EPSILONS": (1.0,)}


def rows() -> Iterator[ResultRow]:
    """Yield accuracy and membership score of the distance to the nearest hull, by what the hulls were learned from."""
    images = load_mnist()
    tables = [_tables(images, seed) for seed in range(SEEDS)]
    raw = [measure(members, members, y, others, labels) for members, y, others, labels in tables]
    yield from metric_rows("no noise", [_named(RAW, figures) for figures in raw])
    for epsilon in EPSILONS:
        for method in (NOISY, SMOOTHED, MOMENTS):
            runs = [_private(images, table, method, epsilon, seed) for seed, table in enumerate(tables)]
            yield from metric_rows(f"entry epsilon {epsilon:g}", runs)


# Members' rows and labels, then others' rows and labels.
MemberTables = tuple[Rows, IntArray, Rows, IntArray]


def _tables(images: ImageSet, seed: int) -> MemberTables:
    """Return rows to learn from and others of the same kind, none of them both."""
    order = check_random_state(seed).permutation(len(images.y_train))
    members, others = order[:ROWS], order[ROWS : ROWS + TESTED]
    return images.X_train[members], images.y_train[members], images.X_train[others], images.y_train[others]


def measure(learned: Rows, members: Rows, y: IntArray, others: Rows, labels: IntArray) -> dict[str, float]:
    """Return the accuracy of hulls of ``learned`` on the others, and what distances tell members and others apart.

    The value of a row is its distance from the nearest hull, min over classes of Gamma: [hull] eq. 65 to 69 at a
    distance o of 0, members against rows that were not learned from.
    """
    model = AffineHullClassifier(random_state=0).fit(learned, y)
    distances = [nearest(model, X) for X in (members, others)]
    score = membership_score(*distances)
    accuracy = float((model.predict(others) == labels).mean())
    return {ACCURACY: accuracy, SCORE: score.value, CHANCE: score.floor}


def nearest(model: AffineHullClassifier, X: Rows) -> FloatArray:
    """Return the distance of each row from the nearest of all hulls [N]."""
    return np.asarray(model.class_distances(X).min(axis=1), dtype=np.float64)


def _private(images: ImageSet, table: MemberTables, method: str, epsilon: float, seed: int) -> Figures:
    members, y, others, labels = table
    promise = {"epsilon": epsilon, "delta": DELTA, "random_state": seed}
    learned, codes = (_noisy if method == NOISY else _fabricated)(images, members, y, method, promise)
    # Fabricated rows come in an order of their own, with labels of their own.
    return _named(method, measure(learned, members, codes, others, labels))


def _noisy(images: ImageSet, X: Rows, y: IntArray, _method: str, promise: dict[str, Any]) -> tuple[Rows, IntArray]:
    epsilon, seed = promise["epsilon"], promise["random_state"]
    step = entry_step(images.schema, epsilon, DELTA, WHAT)
    account = Account.open([step], budget=Budget(epsilon, DELTA, unit=Unit.ENTRY), random_state=seed)
    return noisy_rows(account, X, images.schema)[0].astype(np.float32), y


def _fabricated(images: ImageSet, X: Rows, y: IntArray, method: str, promise: dict[str, Any]) -> tuple[Rows, IntArray]:
    way = "hull" if method == SMOOTHED else "moments"
    invented = fabricate(X, y, images.schema, unit="entry", method=way, **promise)
    return invented.X.astype(np.float32), invented.y


def _named(method: str, figures: dict[str, float]) -> Figures:
    return {(method, metric): value for metric, value in figures.items()}
