"""What the transfer tables share: a release of pictures, and what adopting a release does for a receiver."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from tacit.adoption.pictures.classifier import TransferClassifier
from tacit.adoption.pictures.pooled_scores import pool_weights, pooled
from tacit.adoption.pictures.self_training import self_train
from tacit.adoption.pictures.source_scores import SourceScores, sources_of
from tacit.arrays import FloatArray, Rows
from tacit.data.public.datasets import ImageSet
from tacit.data.public.splits import few_labels
from tacit.data.schemas.schema import Schema
from tacit.experiments.results import ADOPTED, PUBLIC_VIEW, RELEASE_ALONE, TARGET_ONLY
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.models.class_moments.frames import ImageFrame
from tacit.releases.file import Release
from tacit.releases.lesson import ReceiverTable

# Rows [N, p] and their class codes [N], -1 where unlabelled.
LabelledMatrix = tuple[Rows, NDArray[np.integer[Any]]]


def release_images(images: ImageSet, *, unit: str, epsilon: float, delta: float, seed: int) -> Release:
    """Return a release of the class moments of the training pictures."""
    return CLASS_MOMENTS.release(
        images.X_train, images.y_train, images.schema, unit=unit, epsilon=epsilon, delta=delta, random_state=seed
    )


def receiver(images: ImageSet, count: int, per_class: int, seed: int) -> tuple[LabelledMatrix, LabelledMatrix]:
    """Return ``count`` of the test pictures, ``per_class`` of each class labelled, and the others to test on."""
    order = check_random_state(seed).permutation(len(images.y_test))
    received, held_out = order[:count], order[count:]
    y = few_labels(images.y_test[received], per_class=per_class, random_state=seed)
    return (images.X_test[received], y), (images.X_test[held_out], images.y_test[held_out])


def training_receiver(images: ImageSet, count: int, per_class: int, seed: int) -> LabelledMatrix:
    """Return ``count`` of the training pictures, ``per_class`` of each class labelled."""
    received = check_random_state(seed).permutation(len(images.y_train))[:count]
    return images.X_train[received], few_labels(images.y_train[received], per_class=per_class, random_state=seed)


def measure(
    release: Release, schema: Schema, train: LabelledMatrix, test: LabelledMatrix, *, seed: int
) -> dict[str, float]:
    """Return the test accuracy without the release, with no more of it than its view, of it alone, and with both."""
    model = TransferClassifier([release], schema=schema, evidence=False, random_state=seed, n_jobs=-1).fit(*train)
    X, y = test
    return {
        TARGET_ONLY: float((model.target_only_predict(X) == y).mean()),
        PUBLIC_VIEW: float((model.view_only_predict(X) == y).mean()),
        RELEASE_ALONE: float((model.sources_[0](X).argmax(axis=1) == y).mean()),
        ADOPTED: float((model.predict(X) == y).mean()),
    }


def measure_releases(
    releases: Mapping[str, Release], schema: Schema, train: LabelledMatrix, test: LabelledMatrix, *, seed: int
) -> dict[str, dict[str, float]]:
    """Return what ``measure`` does for each of several releases of one owner's pictures, by their names.

    Receivers without a release, and in the view that releases bring, are learned once; a release whose view is
    another, since its noise chose another frame, is measured by itself.
    """
    (X, y), (X_test, truth) = train, test
    labelled = np.flatnonzero(y >= 0)
    codes = y[labelled].astype(np.intp)
    first = TransferClassifier(
        [next(iter(releases.values()))], schema=schema, evidence=False, random_state=seed, n_jobs=-1
    ).fit(X, y)
    without_release = {
        TARGET_ONLY: float((first.target_only_predict(X_test) == truth).mean()),
        PUBLIC_VIEW: float((first.view_only_predict(X_test) == truth).mean()),
    }
    table = ReceiverTable(schema, X, labelled, codes)

    def measured(release: Release) -> dict[str, float]:
        taught = sources_of([release], table)
        if _view_of(taught[0][0]) != _view_of(first.sources_[0]):
            return measure(release, schema, train, test, seed=seed)
        return {**without_release, **_with_release(taught, first, table, test, seed)}

    return {name: measured(release) for name, release in releases.items()}


def _view_of(source: SourceScores) -> tuple[float, bool, str] | None:
    """Return what tells the frames of one owner's pictures apart; None where no frame is brought."""
    frame = getattr(source.scores, "frame", None)
    return (frame.scale, frame.centred, frame.note) if isinstance(frame, ImageFrame) else None


def _with_release(
    taught: tuple[list[SourceScores], list[FloatArray], list[FloatArray]],
    first: TransferClassifier,
    table: ReceiverTable,
    test: LabelledMatrix,
    seed: int,
) -> dict[str, float]:
    """Return the accuracies of a release by itself and adopted, in the view in which ``first`` was learned."""
    X_test, truth = test
    (source,), scores, labelled_scores = taught
    settings: dict[str, Any] = {"n_classes": len(table.schema.classes), "random_state": seed, "n_jobs": -1}
    F, F_test, test_scores = first.axes_(table.X), first.axes_(X_test), source(X_test)
    joined = self_train(F, table.labelled, table.codes, sources=scores, sources_labelled=labelled_scores, **settings)
    weights = pool_weights(first.in_view_.labelled_scores, joined.labelled_scores, table.codes)
    adopted = pooled(weights, first.in_view_.scores(F_test, []), joined.scores(F_test, [test_scores]))
    return {
        RELEASE_ALONE: float((test_scores.argmax(axis=1) == truth).mean()),
        ADOPTED: float((adopted.argmax(axis=1) == truth).mean()),
    }
