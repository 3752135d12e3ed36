"""What the transfer tables share: one adoption measured, and runs gathered into rows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.data.schema import Schema
from tacit.evaluation.reproduce import Row
from tacit.release.file import Release
from tacit.scenarios.transfer.classifier import TransferClassifier

Rows = NDArray[np.floating[Any]]
Codes = NDArray[np.integer[Any]]
TARGET_ONLY, SOURCE_ONLY, ADOPTED = "target only", "source only", "adopted"


def measure(
    release: Release, schema: Schema, train: tuple[Rows, Codes], test: tuple[Rows, Codes], *, seed: int
) -> dict[str, float]:
    """Return the test accuracy without the release, of the release alone, and of both together."""
    model = TransferClassifier([release], schema=schema, random_state=seed, n_jobs=-1).fit(*train)
    X, y = test
    return {
        TARGET_ONLY: float((model.target_only_predict(X) == y).mean()),
        SOURCE_ONLY: float((model.opinions_[0](X).argmax(axis=1) == y).mean()),
        ADOPTED: float((model.predict(X) == y).mean()),
    }


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
