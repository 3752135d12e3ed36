"""Digits 0 and 8 for a source, 0 and 9 for a target, in principal directions of public digits; [pptl] section 4.1."""

from collections.abc import Sequence

import numpy as np
from sklearn.utils import check_random_state

from tacit.arrays import Codes, FloatArray, IntArray
from tacit.data.public.datasets import load_mnist
from tacit.experiments.linear_runs import LinearRows, LinearTask

SOURCE_ROWS, TARGET_ROWS = 2000, 1000
DIRECTIONS = 100
RANDOM, WEIGHTED = "PPTL-FS(R)", "PPTL-FS(W)"


def public_view(classes: Sequence[int] = (0, 8, 9)) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return private digits of ``classes`` in public directions, their labels, and the directions' public variances."""
    images = load_mnist()
    public = images.X_test.astype(np.float64)
    centre = public.mean(axis=0)
    variances, directions = np.linalg.eigh(np.cov(public.T))
    best = directions[:, : -DIRECTIONS - 1 : -1]
    wanted = np.isin(images.y_train, classes)
    return (images.X_train[wanted] - centre) @ best, images.y_train[wanted], variances[: -DIRECTIONS - 1 : -1]


def transfer_task(images: FloatArray, labels: IntArray, seed: int) -> LinearTask:
    """Return rows of 0 and 8, of which four fifths are learned from, and other rows of 0 and 9, a fifth to test on."""
    generator = check_random_state(seed)
    source = generator.permutation(np.flatnonzero(np.isin(labels, (0, 8))))[:SOURCE_ROWS]
    others = np.setdiff1d(np.flatnonzero(np.isin(labels, (0, 9))), source)
    target = generator.permutation(others)[:TARGET_ROWS]

    def table(places: Codes) -> LinearRows:
        return images[places], (labels[places] > 0).astype(np.int64)

    cut = 4 * TARGET_ROWS // 5
    return LinearTask(table(source[: 4 * SOURCE_ROWS // 5]), table(target[:cut]), table(target[cut:]))
