"""Several owners at once: the multi-task form of [membership] section 4.2, for which the paper prints no table.

Each owner hands out a release of its own digits; the receiver adopts one of them, or all together.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from tacit.adoption.pictures.classifier import TransferClassifier
from tacit.arrays import FloatArray
from tacit.data.public.datasets import ImageSet, load_mnist
from tacit.data.public.splits import few_labels
from tacit.experiments.results import (
    ADOPTED,
    PUBLIC_VIEW,
    RELEASE_ALONE,
    TARGET_ONLY,
    ResultRow,
    mean_rows,
)
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.releases.file import Release

SEEDS = 3
OWNERS, OWNED = 3, 5_000
RECEIVED, PER_CLASS, TESTED = 2_000, 5, 2_000
EPSILONS, DELTA = (0.1, 0.5), 1e-5
ONE, ALL = "one owner", f"{OWNERS} owners together"
QUICK: dict[str, Any] = {"SEEDS": 1, "OWNED": 1000, "RECEIVED": 400, "EPSILONS": (0.5,)}


def rows() -> Iterator[ResultRow]:
    """Yield accuracies on digits that nobody learned from: of one owner's release, and of all owners' together."""
    images = load_mnist()
    for epsilon in EPSILONS:
        runs = [_run(images, epsilon, seed) for seed in range(SEEDS)]
        for owners in (ONE, ALL):
            yield from mean_rows(f"record epsilon {epsilon:g}, {owners}", [run[owners] for run in runs])


def _run(images: ImageSet, epsilon: float, seed: int) -> dict[str, dict[str, float]]:
    random = check_random_state(seed)
    order = random.permutation(len(images.y_train))
    releases = [
        _release(images, part, epsilon, 100 * seed + place)
        for place, part in enumerate(np.split(order[: OWNERS * OWNED], OWNERS))
    ]
    received, tested = np.split(random.permutation(len(images.y_test))[: RECEIVED + TESTED], [RECEIVED])
    y = few_labels(images.y_test[received], per_class=PER_CLASS, random_state=seed)
    test = images.X_test[tested], images.y_test[tested]
    return {
        owners: measure(chosen, images, (images.X_test[received], y), test, seed)
        for owners, chosen in ((ONE, releases[:1]), (ALL, releases))
    }


def _release(images: ImageSet, part: Any, epsilon: float, seed: int) -> Release:
    return CLASS_MOMENTS.release(
        images.X_train[part],
        images.y_train[part],
        images.schema,
        unit="record",
        epsilon=epsilon,
        delta=DELTA,
        random_state=seed,
    )


def measure(
    releases: list[Release], images: ImageSet, train: tuple[Any, Any], test: tuple[Any, Any], seed: int
) -> dict[str, float]:
    """Return accuracies without releases, in their public view, of one release alone (mean), and with all of them."""
    model = TransferClassifier(releases, schema=images.schema, evidence=False, random_state=seed).fit(*train)
    X, truth = test
    return {
        TARGET_ONLY: float((model.target_only_predict(X) == truth).mean()),
        PUBLIC_VIEW: float((model.view_only_predict(X) == truth).mean()),
        RELEASE_ALONE: mean_accuracy(model.sources_, X, truth),
        ADOPTED: float((model.predict(X) == truth).mean()),
    }


def mean_accuracy(sources: Sequence[Callable[[Any], FloatArray]], X: Any, truth: Any) -> float:
    """Return the accuracy of class scores, over all sources: the best of them is known to the tested rows alone."""
    return float(np.mean([(source(X).argmax(axis=1) == truth).mean() for source in sources]))
