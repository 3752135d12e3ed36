"""Self-training: folds, scores of classes that were never seen, gates, and rounds where labels allow."""

from typing import Any

import numpy as np
import pytest
from sklearn.utils import check_random_state

from tacit.adoption.pictures.self_training import (
    DIMENSIONS,
    LABELS_FOR_ROUNDS,
    class_scores,
    label_loss,
    self_train,
    stratified_folds,
)
from tacit.models.membership.classifier import MembershipClassifier


def blobs(n: int = 90, *, spread: float = 0.25, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    codes = np.arange(n) % 3
    return np.eye(3, 8)[codes] + spread * draw.normal(size=(n, 8)), codes


def first_of_each(codes: np.ndarray, count: int) -> np.ndarray:
    return np.sort(np.concatenate([np.flatnonzero(codes == code)[:count] for code in np.unique(codes)]))


@pytest.mark.parametrize("n_folds", [2, 3, 5])
def test_every_class_is_spread_evenly_over_the_folds(n_folds: int) -> None:
    codes = np.repeat([0, 1, 2], [10, 5, 1])
    folds = stratified_folds(codes, n_folds, check_random_state(0))
    for code in range(3):
        counts = np.bincount(folds[codes == code], minlength=n_folds)
        assert counts.max() - counts.min() <= 1
    assert folds.tolist() == stratified_folds(codes, n_folds, check_random_state(0)).tolist()


def test_a_class_that_the_model_never_saw_fits_as_badly_as_the_worst() -> None:
    F, codes = blobs()
    model = MembershipClassifier(n_components=2, random_state=0).fit(F[codes < 2], codes[codes < 2])
    scores = class_scores(model, F, 3)
    assert scores.shape == (90, 3)
    assert scores.sum(axis=1) == pytest.approx(0, abs=1e-9)
    assert scores[:, 2] == pytest.approx(scores[:, :2].min(axis=1))
    assert class_scores(model, F[:0], 3).shape == (0, 3)


def test_with_few_labels_the_first_classifier_stays() -> None:
    F, codes = blobs()
    labelled = first_of_each(codes, LABELS_FOR_ROUNDS - 1)
    trained = self_train(F, labelled, codes[labelled], n_classes=3, random_state=0)
    assert trained.last is trained.first
    assert trained.weights[0] == 0
    assert trained.labelled_scores.shape == (len(labelled), 3)
    assert (trained.scores(F, []).argmax(axis=1) == codes).mean() > 0.8


def test_with_enough_labels_rounds_learn_from_the_other_rows() -> None:
    F, codes = blobs(spread=0.5)
    labelled = first_of_each(codes, LABELS_FOR_ROUNDS)
    trained = self_train(F, labelled, codes[labelled], n_classes=3, random_state=0)
    assert trained.last is not trained.first
    assert len(trained.scales) == 3
    assert trained.last.n_components == DIMENSIONS[-1]
    rest = np.setdiff1d(np.arange(90), labelled)
    assert (trained.scores(F, []).argmax(axis=1) == codes)[rest].mean() > 0.7


def test_a_release_without_meaning_weighs_nothing_and_one_that_knows_weighs_something() -> None:
    F, codes = blobs(spread=0.8)
    labelled = first_of_each(codes, 4)
    draw = np.random.default_rng(1)
    noise, truth = draw.normal(size=(90, 3)), 2 * np.eye(3)[codes] - 2 / 3
    common: dict[str, Any] = {"n_classes": 3, "random_state": 0}
    useless, useful = (
        self_train(F, labelled, codes[labelled], sources=[each], sources_labelled=[each[labelled]], **common)
        for each in (noise, truth)
    )
    alone = self_train(F, labelled, codes[labelled], **common)
    assert useless.weights[-1] == 0
    assert useless.scores(F, [noise]) == pytest.approx(alone.scores(F, []))
    assert useful.weights[-1] > 0
    assert (useful.scores(F, [truth]).argmax(axis=1) == codes).mean() > 0.95


def test_the_scores_of_labelled_rows_are_out_of_fold() -> None:
    """Of random labels the shown scores know nothing, though the classifier has learned them all."""
    draw = np.random.default_rng(4)
    F, labels = draw.normal(size=(60, 5)), draw.permutation(np.repeat([0, 1], 30))
    places = np.arange(60)
    trained = self_train(F, places, labels, n_classes=2, random_state=0)
    shown = (trained.labelled_scores.argmax(axis=1) == labels).mean()
    assert shown < 0.7


def test_the_loss_of_labels_is_smaller_where_rows_tell_them() -> None:
    F, codes = blobs()
    labelled = first_of_each(codes, 4)
    shuffled = F[np.random.default_rng(0).permutation(90)]
    good = label_loss(F, labelled, codes[labelled], n_classes=3, random_state=0)
    bad = label_loss(shuffled, labelled, codes[labelled], n_classes=3, random_state=0)
    assert good < bad
    assert bad <= len(labelled) * np.log(3) + 1e-6


def test_a_seed_repeats_a_run() -> None:
    F, codes = blobs()
    labelled = first_of_each(codes, 3)
    runs = [self_train(F, labelled, codes[labelled], n_classes=3, random_state=7) for _ in range(2)]
    assert runs[0].scores(F, []).tobytes() == runs[1].scores(F, []).tobytes()
