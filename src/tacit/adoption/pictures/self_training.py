"""Self-training of a membership classifier over a growing subspace, joined by the scores of releases.

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

from tacit.adoption.pictures.drifting_means import DriftedMeans, drift_means
from tacit.adoption.pictures.weighting import centred, combine, fitted_weights, gated_weights, negative_log_likelihood
from tacit.arrays import Codes, FloatArray, Rows
from tacit.models.membership.classifier import MembershipClassifier

RandomState = Any  # numpy's generator of splits and landmarks, made by scikit-learn

# Subspace dimensions of the rounds: [membership] section 5 ends at 20; two more rounds there still help.
DIMENSIONS = (5, 10, 15, 20, 20, 20)
FOLDS = 5
# Rounds feed on guesses that saw every label; with fewer labels in a class, the labels can no longer tell a good
# round from one that repeats its own mistakes.
LABELS_FOR_ROUNDS = 5


@dataclass(frozen=True)
class SelfTrained:
    """What self-training learned."""

    last: MembershipClassifier
    """Learned from all rows with their final labels; the first one again where labels are too few for rounds."""
    first: MembershipClassifier
    """Learned from the labelled rows alone."""
    means: DriftedMeans
    """The classes' means, drawn towards the unlabelled rows."""
    scales: FloatArray
    """[3]: the spread of the scores of the three, by which they are divided."""
    weights: FloatArray
    """Of the three, and of each release."""
    labelled_scores: FloatArray
    """[L, C]: combined scores of the labelled rows by models that did not learn them."""

    def scores(self, F: Rows, sources: Sequence[FloatArray]) -> FloatArray:
        """Return the combined class scores of rows ``F``, given the scores of releases on them."""
        n_classes = self.labelled_scores.shape[1]
        own = [class_scores(self.last, F, n_classes), class_scores(self.first, F, n_classes), self.means(F)]
        scaled = [scores / scale for scores, scale in zip(own, self.scales, strict=True)]
        return combine(self.weights, [*scaled, *sources])


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
        shuffled = random.permutation(np.flatnonzero(codes == code))
        folds[shuffled] = (np.arange(len(shuffled)) + random.randint(n_folds)) % n_folds
    return folds


def self_train(
    F: Rows,
    labelled: NDArray[np.intp],
    codes: Codes,
    *,
    n_classes: int,
    sources: Sequence[FloatArray] = (),
    sources_labelled: Sequence[FloatArray] = (),
    random_state: int | None = None,
    n_jobs: int | None = None,
) -> SelfTrained:
    """Return the classifier of rows ``F`` [N, n] of which ``labelled`` have ``codes``.

    ``sources`` are the releases' scores of all rows; ``sources_labelled`` of the labelled ones, out of fold where their
    labels were used.
    """
    random = check_random_state(random_state)
    learner = _Learner(F, n_jobs, random)
    start = learner.start(labelled, codes, n_classes)
    # What does not pass here, the means or a release, is out for good; what does is weighed anew in each round.
    labelled_scores = [*start.labelled, *sources_labelled]
    gated = gated_weights(labelled_scores[:1], labelled_scores[1:], codes)
    kept = [0, *(1 + np.flatnonzero(gated[1:])).tolist()]
    unlabelled = np.setdiff1d(np.arange(len(F)), labelled)
    others = [*start.scores(F[unlabelled]), *(scores[unlabelled] for scores in sources)]
    labelled_scores, others, weights = [labelled_scores[k] for k in kept], [others[k] for k in kept], gated[kept]
    if start.fewest < LABELS_FOR_ROUNDS:
        last, scale, seen = start.first, start.scales[0], combine(weights, labelled_scores)
        weights = np.append(0.0, weights)
    else:
        table = _Table(np.concatenate([labelled, unlabelled]), codes, n_classes)
        last, scale, seen, weights = learner.rounds(table, labelled_scores, others, weights)
    all_weights = np.zeros(1 + len(gated))
    all_weights[[0, *(1 + k for k in kept)]] = weights
    return SelfTrained(last, start.first, start.means, np.array([scale, *start.scales]), all_weights, seen)


def label_loss(
    F: Rows, labelled: NDArray[np.intp], codes: Codes, *, n_classes: int, random_state: int | None = None
) -> float:
    """Return how badly rows ``F`` tell the labels before any round: minus the log-likelihood, out of fold."""
    own = _Learner(F, None, check_random_state(random_state)).start(labelled, codes, n_classes).labelled
    return negative_log_likelihood(gated_weights(own[:1], own[1:], codes), own, codes)


@dataclass(frozen=True)
class _Start:
    """What the labelled rows tell before any round, with the scores of their own rows out of fold."""

    first: MembershipClassifier
    means: DriftedMeans
    scales: tuple[float, float]
    labelled: list[FloatArray]
    fewest: int

    def scores(self, F: Rows) -> list[FloatArray]:
        """Return the scores of other rows."""
        return [
            class_scores(self.first, F, len(self.means.means)) / self.scales[0],
            self.means(F) / self.scales[1],
        ]


@dataclass(frozen=True)
class _Table:
    """Which rows take part, labelled ones first, and what is known of them."""

    rows: NDArray[np.intp]
    codes: Codes
    n_classes: int


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

    def start(self, labelled: NDArray[np.intp], codes: Codes, n_classes: int) -> _Start:
        """Return what the labelled rows tell: their autoencoders, and their means among all rows."""
        F, fewest = self._F, int(np.unique(codes, return_counts=True)[1].min())
        shape: dict[str, Any] = {"n_components": max(1, min(DIMENSIONS[-1], fewest - 1)), "max_landmarks": 1.0}
        folds = stratified_folds(codes, max(2, min(FOLDS, fewest)), self._random)
        by_autoencoders = self.across(labelled, codes, folds, n_classes, **shape)
        by_means = np.zeros_like(by_autoencoders)
        for fold in np.unique(folds):
            in_fold = folds == fold
            by_means[in_fold] = drift_means(F, labelled[~in_fold], codes[~in_fold], n_classes)(F[labelled[in_fold]])
        first, means = self.learn(labelled, codes, **shape), drift_means(F, labelled, codes, n_classes)
        scales = _spread(class_scores(first, F, n_classes)), _spread(means(F))
        return _Start(first, means, scales, [by_autoencoders / scales[0], by_means / scales[1]], fewest)

    def rounds(
        self, table: _Table, labelled_scores: list[FloatArray], others: list[FloatArray], weights: FloatArray
    ) -> tuple[MembershipClassifier, float, FloatArray, FloatArray]:
        """Return the last classifier, the spread of its scores, the labelled rows' combined scores and the weights.

        ``labelled_scores`` and ``others`` are scores of labelled and on other rows that stay the same in every round.
        """
        n_labelled, others_now = len(table.codes), others
        for n_components in DIMENSIONS:
            guesses = combine(weights, others_now).argmax(axis=1)
            halves = stratified_folds(table.codes, 2, self._random), self._random.randint(2, size=len(guesses))
            labels = np.concatenate([table.codes, guesses])
            scores = self.across(
                table.rows,
                labels,
                np.concatenate(halves),
                table.n_classes,
                n_components=n_components,
                max_landmarks=0.5,
            )
            scale = _spread(scores)
            votes = [scores[:n_labelled] / scale, *labelled_scores]
            others_now = [scores[n_labelled:] / scale, *others]
            weights = fitted_weights(votes, table.codes)
        labels = np.concatenate([table.codes, combine(weights, others_now).argmax(axis=1)])
        last = self.learn(table.rows, labels, n_components=DIMENSIONS[-1], max_landmarks=0.5)
        return last, scale, combine(weights, votes), weights

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
            in_fold = folds == fold
            model = self.learn(rows[~in_fold], labels[~in_fold], n_components=n_components, max_landmarks=max_landmarks)
            scores[in_fold] = class_scores(model, self._F[rows[in_fold]], n_classes)
        return scores


def _spread(scores: FloatArray) -> float:
    return float(scores.std()) or 1.0
