"""What the transfer tables share: one adoption measured, and runs gathered into rows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.adoption.classifier import TransferClassifier
from tacit.adoption.printed import learn_printed
from tacit.adoption.self_training import self_train
from tacit.adoption.source_scores import source_scores
from tacit.arrays import Rows
from tacit.data.schema import Schema
from tacit.experiments.registry import Row
from tacit.kinds.class_moments import ENTRY_FILE
from tacit.releases.file import Release
from tacit.releases.lesson import ReceiverTable

Codes = NDArray[np.integer[Any]]
TARGET_ONLY, SOURCE_ONLY, ADOPTED = "target only", "source only", "adopted"
VIEW_ONLY = "target only, in the release's view"
PRINTED = "combined as printed (eq. 87)"


def measure(
    release: Release, schema: Schema, train: tuple[Rows, Codes], test: tuple[Rows, Codes], *, seed: int
) -> dict[str, float]:
    """Return the test accuracy without the release, with no more of it than its view, of it alone, and with both."""
    model = TransferClassifier([release], schema=schema, random_state=seed, n_jobs=-1).fit(*train)
    X, y = test
    return {
        TARGET_ONLY: float((model.target_only_predict(X) == y).mean()),
        VIEW_ONLY: float((model.view_only_predict(X) == y).mean()),
        SOURCE_ONLY: float((model.sources_[0](X).argmax(axis=1) == y).mean()),
        ADOPTED: float((model.predict(X) == y).mean()),
    }


def measure_each(
    releases: Mapping[str, Release], schema: Schema, train: tuple[Rows, Codes], test: tuple[Rows, Codes], *, seed: int
) -> dict[str, dict[str, float]]:
    """Return what ``measure`` does for each of several releases of pictures of one shape, by their names.

    Receivers without a release, and in the view that all releases bring, are learned once.
    """
    (X, y), (X_test, truth) = train, test
    labelled = np.flatnonzero(y >= 0)
    codes = y[labelled].astype(np.intp)
    first = TransferClassifier([next(iter(releases.values()))], schema=schema, random_state=seed, n_jobs=-1).fit(X, y)
    same = {
        TARGET_ONLY: float((first.target_only_predict(X_test) == truth).mean()),
        VIEW_ONLY: float((first.view_only_predict(X_test) == truth).mean()),
    }
    settings: dict[str, Any] = {"n_classes": len(schema.classes), "random_state": seed, "n_jobs": -1}
    F, F_test = first.basis_(X), first.basis_(X_test)
    found = {}
    for name, release in releases.items():
        table = ReceiverTable(schema, X, labelled, codes)
        source = source_scores(release, table)
        of_rows, of_test = source(X), source(X_test)
        joined = self_train(F, labelled, codes, sources=[of_rows], sources_labelled=[of_rows[labelled]], **settings)
        found[name] = {
            **same,
            SOURCE_ONLY: float((of_test.argmax(axis=1) == truth).mean()),
            ADOPTED: float((joined.scores(F_test, [of_test]).argmax(axis=1) == truth).mean()),
        }
        if release.kind == ENTRY_FILE:
            printed = learn_printed(release, table, random_state=seed, n_jobs=-1)(X_test, len(schema.classes))
            found[name][PRINTED] = float((printed.argmax(axis=1) == truth).mean())
    return found


def gathered(
    setting: str, runs: Sequence[Mapping[str, float]], *, metric: str = "accuracy", paper: float | None = None
) -> Iterator[Row]:
    """Yield a row for each method over the runs; the published figure stands beside the adopted one."""
    for method in runs[0]:
        values = [run[method] for run in runs]
        yield Row(
            method,
            setting,
            metric,
            float(np.mean(values)),
            float(np.std(values)),
            len(values),
            paper if method == ADOPTED else None,
        )
