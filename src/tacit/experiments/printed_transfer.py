"""Transfer as [membership] prints it: noisy rows are handed out, autoencoders learn them, eq. 87 joins them."""

import numpy as np

from tacit.adoption.pictures.printed import learn_from_rows
from tacit.data.public.datasets import ImageSet
from tacit.data.schemas.schema import Schema
from tacit.experiments.transfer_runs import LabelledMatrix
from tacit.kinds.noisy_rows import KIND as NOISY_ROWS
from tacit.kinds.noisy_rows.rows import PrivateRows, private_rows
from tacit.releases.lesson import ReceiverTable

SOURCE_PRINTED, TARGET_PRINTED = "source alone as printed (Alg. 6)", "target alone as printed (eq. 82-83)"
PRINTED = "combined as printed (eq. 87)"
# An epsilon at which rows are noise and nothing else: what is reached with it, the owner's rows did not teach.
NOISE_ONLY = 1e-6


def setting_of(epsilon: float | None) -> str:
    """Return the words for an epsilon of one entry, for no noise at all, and for nothing else."""
    if epsilon == NOISE_ONLY:
        return "nothing but noise"
    return "not private" if epsilon is None else f"entry epsilon {epsilon:g}"


def owner_rows(images: ImageSet, *, epsilon: float | None, delta: float, seed: int) -> PrivateRows:
    """Return the training pictures with noise in every entry, [membership] Alg. 5; without an epsilon as they are."""
    if epsilon is None:
        still = np.zeros(images.X_train.shape[1])
        return PrivateRows(images.X_train, images.y_train.astype(np.intp), still, len(images.schema.classes))
    release = NOISY_ROWS.release(
        images.X_train, images.y_train, images.schema, unit="entry", epsilon=epsilon, delta=delta, random_state=seed
    )
    return private_rows(release)


def measure_printed(
    noisy: PrivateRows, schema: Schema, train: LabelledMatrix, test: LabelledMatrix, *, seed: int
) -> dict[str, float]:
    """Return the test accuracy of the printed source, the printed target and their printed combination."""
    (X, y), (X_test, truth) = train, test
    labelled = np.flatnonzero(y >= 0)
    table = ReceiverTable(schema, X, labelled, y[labelled].astype(np.intp))
    same = {code: code for code in range(noisy.n_classes)}
    model = learn_from_rows(noisy, same, table, random_state=seed, n_jobs=1)
    rows = model.mapped(X_test)
    joined = model(X_test, noisy.n_classes).argmax(axis=1)
    return {
        SOURCE_PRINTED: float((model.source.predict(rows) == truth).mean()),
        TARGET_PRINTED: float((model.target.predict(rows) == truth).mean()),
        PRINTED: float((joined == truth).mean()),
    }
