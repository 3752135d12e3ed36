"""Self-training of a membership classifier over a growing subspace, joined by lent opinions.

[membership] eq. 82-83 label the unlabelled rows anew while the subspace dimension grows. Two changes make it sound:
every score that is weighed against labels is out of fold, and rows are relabelled by models that did not learn
them (each half by the other), since a model reconstructs its own training rows whatever their labels.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from tacit.checks import FloatArray
from tacit.models.membership_classifier import MembershipClassifier
from tacit.scenarios.transfer.weighting import (
    Codes,
    centred,
    combine,
    fitted_weights,
    gated_weights,
    negative_log_likelihood,
)

Rows = NDArray[np.floating[Any]]
RandomState = Any  # numpy's generator of splits and landmarks, made by scikit-learn

# Subspace dimensions of the rounds: [membership] section 5 ends at 20; two more rounds there still help.
DIMENSIONS = (5, 10, 15, 20, 20, 20)
FOLDS = 5


@dataclass(frozen=True)
class SelfTrained:
    """What self-training learned.

    Attributes
    ----------
    first, last : MembershipClassifier
        Learned from the labelled rows alone, and from all rows with their final labels.
    scales : array [2]
        The spread of the scores of the two, by which they are divided.
    weights : array
        Of the last model, the first model, and each lent opinion.
    labelled_scores : array [L, C]
        Combined scores of the labelled rows by models that did not learn them.
    """

    first: MembershipClassifier
    last: MembershipClassifier
    scales: FloatArray
    weights: FloatArray
    labelled_scores: FloatArray

    def scores(self, F: Rows, lent: Sequence[FloatArray]) -> FloatArray:
        """Return the combined class scores of rows ``F``, given the lent opinions on them."""
        n_classes = self.labelled_scores.shape[1]
        own = [
            class_scores(model, F, n_classes) / scale
            for model, scale in zip((self.last, self.first), self.scales, strict=True)
        ]
        return combine(self.weights, [*own, *lent])


def class_scores(model: MembershipClassifier, F: Rows, n_classes: int) -> FloatArray:
    """Return minus the reconstruction errors, centred; a class that the model never saw fits as badly as the worst."""
    if not len(F):
        return np.zeros((0, n_classes))
    errors = model.reconstruction_errors(F).astype(np.float64)
    full = np.repeat(errors.max(axis=1, keepdims=True), n_classes, axis=1)
    full[:, model.classes_] = errors
    return centred(-full)


def stratified_folds(codes: Codes, n_folds: int, random: RandomState) -> NDArray[np.intp]:
    """Return a fold for each row, each class spread evenly over the folds from a random one on."""
    folds = np.empty(len(codes), dtype=np.intp)
    for code in np.unique(codes):
        mine = random.permutation(np.flatnonzero(codes == code))
        folds[mine] = (np.arange(len(mine)) + random.randint(n_folds)) % n_folds
    return folds


def self_train(
    F: Rows,
    labelled: NDArray[np.intp],
    codes: Codes,
    *,
    n_classes: int,
    lent: Sequence[FloatArray] = (),
    lent_labelled: Sequence[FloatArray] = (),
    random_state: int | None = None,
    n_jobs: int | None = None,
) -> SelfTrained:
    """Return the classifier of rows ``F`` [N, n] of which ``labelled`` have ``codes``.

    ``lent`` are opinions on all rows; ``lent_labelled`` on the labelled ones, out of fold where an opinion used them.
    """
    random = check_random_state(random_state)
    learner = _Learner(F, n_jobs, random)
    unlabelled = np.setdiff1d(np.arange(len(F)), labelled)
    rows = np.concatenate([labelled, unlabelled])
    first, first_scale, first_labelled = learner.first_round(labelled, codes, n_classes)
    first_unlabelled = class_scores(first, F[unlabelled], n_classes) / first_scale
    # A release that does not pass here is out for good; one that does is weighed anew in each round.
    weights = gated_weights([first_labelled], lent_labelled, codes)
    kept = np.flatnonzero(weights[1:]).tolist()
    lent_labelled = [lent_labelled[k] for k in kept]
    lent_unlabelled = [lent[k][unlabelled] for k in kept]
    guesses = combine(weights[[0, *(1 + k for k in kept)]], [first_unlabelled, *lent_unlabelled]).argmax(axis=1)
    for n_components in DIMENSIONS:
        halves = np.concatenate([stratified_folds(codes, 2, random), random.randint(2, size=len(unlabelled))])
        labels = np.concatenate([codes, guesses])
        scores = learner.across(rows, labels, halves, n_classes, n_components=n_components, max_landmarks=0.5)
        scale = _spread(scores)
        mine, others = scores[: len(labelled)] / scale, scores[len(labelled) :] / scale
        weights = fitted_weights([mine, first_labelled, *lent_labelled], codes)
        guesses = combine(weights, [others, first_unlabelled, *lent_unlabelled]).argmax(axis=1)
    last = learner.learn(rows, np.concatenate([codes, guesses]), n_components=DIMENSIONS[-1], max_landmarks=0.5)
    seen = combine(weights, [mine, first_labelled, *lent_labelled])
    all_weights = np.zeros(2 + len(lent))
    all_weights[[0, 1, *(2 + k for k in kept)]] = weights
    return SelfTrained(first, last, np.array([scale, first_scale]), all_weights, seen)


def label_loss(
    F: Rows, labelled: NDArray[np.intp], codes: Codes, *, n_classes: int, random_state: int | None = None
) -> float:
    """Return how badly rows ``F`` tell the labels by the first round alone: minus the log-likelihood, out of fold."""
    learner = _Learner(F, None, check_random_state(random_state))
    _, _, scores = learner.first_round(labelled, codes, n_classes)
    return negative_log_likelihood(fitted_weights([scores], codes), [scores], codes)


class _Learner:
    """Learns membership classifiers on rows of one table."""

    def __init__(self, F: Rows, n_jobs: int | None, random: RandomState) -> None:
        self._F = F
        self._n_jobs = n_jobs
        self._random = random

    def learn(
        self, rows: NDArray[np.intp], labels: Codes, *, n_components: int, max_landmarks: float
    ) -> MembershipClassifier:
        """Return the classifier of some rows; [membership] Alg. 4."""
        model = MembershipClassifier(
            n_components=n_components,
            max_landmarks=max_landmarks,
            random_state=self._random.randint(2**31 - 1),
            n_jobs=self._n_jobs,
        )
        with warnings.catch_warnings():
            # scikit-learn takes few labels of many classes for a regression; here they are the usual case.
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            fitted: MembershipClassifier = model.fit(self._F[rows], labels)
        return fitted

    def first_round(
        self, labelled: NDArray[np.intp], codes: Codes, n_classes: int
    ) -> tuple[MembershipClassifier, float, FloatArray]:
        """Return the classifier of the labelled rows alone, the spread of its scores, and their scores out of fold."""
        fewest = int(np.unique(codes, return_counts=True)[1].min())
        shape: dict[str, Any] = {"n_components": max(1, min(DIMENSIONS[-1], fewest - 1)), "max_landmarks": 1.0}
        folds = stratified_folds(codes, max(2, min(FOLDS, fewest)), self._random)
        out_of_fold = self.across(labelled, codes, folds, n_classes, **shape)
        model = self.learn(labelled, codes, **shape)
        scale = _spread(class_scores(model, self._F, n_classes))
        return model, scale, out_of_fold / scale

    def across(
        self,
        rows: NDArray[np.intp],
        labels: Codes,
        folds: NDArray[np.intp],
        n_classes: int,
        *,
        n_components: int,
        max_landmarks: float,
    ) -> FloatArray:
        """Return class scores of ``rows`` [N, C], each fold by a model of the other folds."""
        scores = np.zeros((len(rows), n_classes))
        for fold in np.unique(folds):
            mine = folds == fold
            model = self.learn(rows[~mine], labels[~mine], n_components=n_components, max_landmarks=max_landmarks)
            scores[mine] = class_scores(model, self._F[rows[mine]], n_classes)
        return scores


def _spread(scores: FloatArray) -> float:
    return float(scores.std()) or 1.0
