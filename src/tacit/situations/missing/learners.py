"""Learners of a column with missing cells: from the known cells alone, or from all rows."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import log_softmax
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from tacit import checks
from tacit.arrays import UNLABELLED, FloatArray, IntArray, Rows
from tacit.data.schemas.schema import Schema

LEARNERS = ("sharpened", "logistic", "boosted")
# Added to probabilities before their logarithm is taken.
LEAST_PROBABILITY = 1e-12
# Training steps of the network: more did not help on tables of some thousand rows.
STEPS = 500

LogitFunction = Callable[[Rows], FloatArray]


def learn(name: str, X: Rows, y: IntArray, *, rules: Schema, n_classes: int, seed: int) -> LogitFunction:
    """Return a function from rows to log-probabilities [N, n_classes], before any calibration.

    Parameters
    ----------
    name : "sharpened", "logistic" or "boosted"
        A network that learns from all rows by sharpening its own predictions; or logistic regression or boosted trees
        on the rows whose code is known.
    X, y : arrays
        Rows and their codes; −1 where not known. A code that does not occur gets the least of each row's logits.
    rules : Schema
        Schema of the columns of ``X``.
    n_classes : int
        Number of codes.
    seed : int
        Where random choices start.
    """
    if checks.one_of("learner", name, LEARNERS) == "sharpened":
        fitted = _sharpened(rules, seed).fit(X, y)
        return lambda rows: _by_code(log_softmax(fitted.logits(rows), axis=1), fitted.classes_, n_classes)
    labelled = y != UNLABELLED
    learner = LogisticRegression(max_iter=1000) if name == "logistic" else _boosted(seed)
    learner.fit(X[labelled], y[labelled])
    return lambda rows: _by_code(np.log(learner.predict_proba(rows) + LEAST_PROBABILITY), learner.classes_, n_classes)


def _sharpened(rules: Schema, seed: int) -> Any:
    from tacit.models.semi_supervised.classifier import SharpenedClassifier  # noqa: PLC0415 - the others need no torch
    from tacit.models.semi_supervised.recipe import TrainingSettings  # noqa: PLC0415 - as above

    # Without the label: codes are numbered among those that occur.
    features = replace(rules, columns=rules.features)
    return SharpenedClassifier(
        distillation="sh",  # by softmax: sparsemax makes all sure rows equally certain, and abstaining tells them apart
        schema=features,
        n_steps=STEPS,
        # While a rare category is not yet predicted at all, predictions seem to have settled.
        training=TrainingSettings(early_stopping=False),
        validation_fraction=0.0,  # the temperature comes from rows that are held out in turn
        random_state=seed,
    )


def _boosted(seed: int) -> Any:
    return HistGradientBoostingClassifier(random_state=seed)


def _by_code(logits: FloatArray, codes: IntArray, n_classes: int) -> FloatArray:
    """Return logits in the columns of their codes; a code without examples gets the least logit of each row."""
    all_logits = np.repeat(logits.min(axis=1, keepdims=True), n_classes, axis=1)
    all_logits[:, codes] = logits
    return all_logits.astype(np.float64)
