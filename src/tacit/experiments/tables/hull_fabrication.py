"""Fabricated digits of MNIST: the accuracy of one classifier that learns from noisy or from invented rows alone."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.pipeline import make_pipeline

from tacit.arrays import Rows
from tacit.data.public.datasets import ImageSet, load_mnist
from tacit.experiments.kept_answers import kept_figures
from tacit.experiments.results import ResultRow, mean_rows
from tacit.kinds.fabricated_rows.entry import WHAT
from tacit.kinds.fabricated_rows.make import fabricate
from tacit.models.affine_hull.classifier import AffineHullClassifier
from tacit.models.entry_noise import entry_step, noisy_rows
from tacit.privacy.account import Account
from tacit.privacy.budget import Budget, Unit

SEEDS = range(3)
EPSILONS = (0.1, 1.0)
ENTRY_DELTA, RECORD_DELTA = 1e-9, 1e-5
# The quadratic discriminant's directions and how far its covariances are drawn to the sphere: of 30, 60 and 100, and of
# 0.03, 0.1 and 0.3, the best mean of both epsilons on 5000 training digits, by rows fabricated from 20000 others.
DIRECTIONS, REGULARISATION = 30, 0.3
OWNED = 60_000
QUICK: dict[str, Any] = {"SEEDS": range(1), "EPSILONS": (1.0,), "OWNED": 4000}

FABRICATED = "fabricated"
# How rows are fabricated from entries: by default from moments; by smoothing noisy rows, as Def. 14 has it.
WAYS: dict[str, dict[str, Any]] = {
    FABRICATED: {},
    "through hulls, sound": {"method": "hull"},
    "through hulls, as printed (leaks)": {"method": "hull", "accounting": "paper"},
}


def rows() -> Iterator[ResultRow]:
    """Yield test accuracies by what the classifier learned from, per entry and per record.

    [hull] prints no accuracy on MNIST, so nothing stands beside these figures.
    """
    data = load_mnist()
    images = replace(data, X_train=data.X_train[:OWNED], y_train=data.y_train[:OWNED])
    for unit, measure in ((Unit.ENTRY, _entry_run), (Unit.RECORD, _record_run)):
        for epsilon in EPSILONS:
            question = [__name__, str(unit), OWNED, epsilon]
            runs = [kept_figures([*question, seed], partial(measure, images, epsilon, seed)) for seed in SEEDS]
            yield from mean_rows(f"{unit} epsilon {epsilon:g}", runs)


def _entry_run(images: ImageSet, epsilon: float, seed: int) -> dict[str, float]:
    figures = _of_noisy_rows(images, epsilon, seed)
    for name, settings in WAYS.items():
        figures |= _of_fabricated_rows(images, name, Budget(epsilon, ENTRY_DELTA, unit=Unit.ENTRY), seed, **settings)
    return figures


def _record_run(images: ImageSet, epsilon: float, seed: int) -> dict[str, float]:
    return _of_fabricated_rows(images, FABRICATED, Budget(epsilon, RECORD_DELTA, unit=Unit.RECORD), seed)


def _of_noisy_rows(images: ImageSet, epsilon: float, seed: int) -> dict[str, float]:
    y, noisy = images.y_train, _noisy(images, epsilon, seed)
    means = np.array([noisy[y == code].mean(axis=0) for code in range(len(images.classes))])
    nearest = (2 * images.X_test @ means.T - (means**2).sum(axis=1)).argmax(axis=1)
    accuracy = float((nearest == images.y_test).mean())
    return {"nearest mean of noisy rows": accuracy} | _accuracies("noisy rows", (noisy, y), images, seed)


def _of_fabricated_rows(images: ImageSet, name: str, budget: Budget, seed: int, **settings: Any) -> dict[str, float]:
    promise: dict[str, Any] = {"unit": budget.unit, "epsilon": budget.epsilon, "delta": budget.delta}
    fabricated = fabricate(
        images.X_train, images.y_train, images.schema, n_jobs=-1, random_state=seed, **promise, **settings
    )
    return _accuracies(name, (fabricated.X, fabricated.y), images, seed)


def _noisy(images: ImageSet, epsilon: float, seed: int) -> NDArray[np.float32]:
    step = entry_step(images.schema, epsilon, ENTRY_DELTA, WHAT)
    account = Account.open([step], budget=Budget(epsilon, ENTRY_DELTA, unit=Unit.ENTRY), random_state=seed)
    return noisy_rows(account, images.X_train, images.schema)[0].astype(np.float32)


def _accuracies(name: str, table: tuple[Rows, NDArray[Any]], images: ImageSet, seed: int) -> dict[str, float]:
    """Return the test accuracy of both classifiers, which learn from all rows of the table."""
    X, y = table[0].astype(np.float32), table[1]
    quadratic = make_pipeline(
        PCA(DIRECTIONS, svd_solver="covariance_eigh"), QuadraticDiscriminantAnalysis(reg_param=REGULARISATION)
    )
    learners = {"quadratic": quadratic, "affine hulls": AffineHullClassifier(random_state=seed, n_jobs=-1)}
    test = images.X_test, images.y_test
    return {f"{name}: {kind}": float(learner.fit(X, y).score(*test)) for kind, learner in learners.items()}
