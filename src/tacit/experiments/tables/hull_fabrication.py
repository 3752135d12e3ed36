"""Fabricated digits of MNIST: the accuracy of one classifier that learns from noisy or from invented rows alone."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.pipeline import make_pipeline

from tacit.arrays import Rows
from tacit.data.public.datasets import ImageSet, load_mnist
from tacit.experiments.results import ResultRow
from tacit.kinds.fabricated_rows.entry import WHAT
from tacit.kinds.fabricated_rows.make import fabricate
from tacit.models.affine_hull.classifier import AffineHullClassifier
from tacit.models.entry_noise import entry_step, noisy_rows
from tacit.privacy.account import Account
from tacit.privacy.budget import Budget, Unit

SEED = 0
EPSILONS = (0.1, 1.0)
ENTRY_DELTA, RECORD_DELTA = 1e-9, 1e-5
# The quadratic discriminant's directions and how far its covariances are drawn to the sphere.
DIRECTIONS, REGULARISATION = 60, 0.1
OWNED = 60_000
# The affine hull classifier learns from the first so many rows: all of them would take most of the time.
HULL_ROWS = 10_000
QUICK: dict[str, Any] = {"EPSILONS": (1.0,), "OWNED": 4000, "HULL_ROWS": 2000}


def rows() -> Iterator[ResultRow]:
    """Yield test accuracies by what the classifier learned from, per entry and per record.

    [hull] prints no accuracy on MNIST, so nothing stands beside these figures.
    """
    data = load_mnist()
    images = replace(data, X_train=data.X_train[:OWNED], y_train=data.y_train[:OWNED])
    for epsilon in EPSILONS:
        yield from _noisy_rows(images, epsilon)
        yield from _fabricated_rows(images, "fabricated", Unit.ENTRY, epsilon)
        yield from _fabricated_rows(images, "through hulls, sound", Unit.ENTRY, epsilon, method="hull")
        printed: dict[str, Any] = {"method": "hull", "accounting": "paper"}
        yield from _fabricated_rows(images, "through hulls, as printed (leaks)", Unit.ENTRY, epsilon, **printed)
    for epsilon in EPSILONS:
        yield from _fabricated_rows(images, "fabricated", Unit.RECORD, epsilon)


def _noisy_rows(images: ImageSet, epsilon: float) -> Iterator[ResultRow]:
    y, setting = images.y_train, f"entry epsilon {epsilon:g}"
    noisy = _noisy(images, epsilon)
    means = np.array([noisy[y == code].mean(axis=0) for code in range(len(images.classes))])
    nearest = (2 * images.X_test @ means.T - (means**2).sum(axis=1)).argmax(axis=1)
    yield ResultRow("nearest mean of noisy rows", setting, "accuracy", float((nearest == images.y_test).mean()))
    yield from _measure("noisy rows", setting, (noisy, y), images)


def _fabricated_rows(images: ImageSet, name: str, unit: Unit, epsilon: float, **settings: Any) -> Iterator[ResultRow]:
    fabricated = fabricate(
        images.X_train,
        images.y_train,
        images.schema,
        unit=unit,
        epsilon=epsilon,
        delta=ENTRY_DELTA if unit is Unit.ENTRY else RECORD_DELTA,
        n_jobs=-1,
        random_state=SEED,
        **settings,
    )
    yield from _measure(name, f"{unit} epsilon {epsilon:g}", (fabricated.X, fabricated.y), images)


def _noisy(images: ImageSet, epsilon: float) -> NDArray[np.float32]:
    step = entry_step(images.schema, epsilon, ENTRY_DELTA, WHAT)
    account = Account.open([step], budget=Budget(epsilon, ENTRY_DELTA, unit=Unit.ENTRY), random_state=SEED)
    return noisy_rows(account, images.X_train, images.schema)[0].astype(np.float32)


def _measure(name: str, setting: str, table: tuple[Rows, NDArray[Any]], images: ImageSet) -> Iterator[ResultRow]:
    """Yield the test accuracy of both classifiers."""
    X, y = table[0].astype(np.float32), table[1]
    quadratic = make_pipeline(
        PCA(DIRECTIONS, svd_solver="covariance_eigh"), QuadraticDiscriminantAnalysis(reg_param=REGULARISATION)
    )
    score = float(quadratic.fit(X, y).score(images.X_test, images.y_test))
    yield ResultRow(f"{name}: quadratic", setting, "accuracy", score)
    hulls = AffineHullClassifier(random_state=SEED, n_jobs=-1).fit(X[:HULL_ROWS], y[:HULL_ROWS])
    score = float(hulls.score(images.X_test, images.y_test))
    yield ResultRow(f"{name}: affine hulls, {HULL_ROWS} rows", setting, "accuracy", score)
