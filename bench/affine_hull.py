"""The affine hull classifier against scikit-learn's RBF support vector machine, and how it grows, in one run.

BLAS has one thread for both. The machine learns from doubles, which is what it computes in, ours from float32. Needs
``mnist.npz`` in the folder ``TACIT_DATA``. The support vector machine takes most of the time.

Run: ``python bench/affine_hull.py [peer] [forms] [growth]``; all three by default.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from tacit.models.affine_hull.classifier import AffineHullClassifier
from tacit.models.affine_hull.storage import classifier_from_model, classifier_to_model
from tacit.releases.file import read_model, write_model

Rows = NDArray[Any]


def mnist() -> tuple[Rows, Rows, Rows, Rows]:
    """Return rows and labels to learn from, shuffled, then rows and labels to predict."""
    with np.load(Path(os.environ["TACIT_DATA"]) / "mnist.npz") as data:
        X, y, new, truth = (data[name] for name in ("x_train", "y_train", "x_test", "y_test"))
    order = np.random.default_rng(0).permutation(len(X))
    scaled, scaled_new = (rows.reshape(-1, 784).astype(np.float32) / 255 for rows in (X[order], new))
    return scaled, y[order], scaled_new, truth


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """Return what ``run`` returns and how many seconds it took."""
    start = time.perf_counter()
    result = run()
    return result, time.perf_counter() - start


def against_peer(n_rows: int = 10_000) -> None:
    """Print accuracy and times beside those of the support vector machine, and the ratios."""
    X, y, new, truth = mnist()
    X, y = X[:n_rows], y[:n_rows]
    doubles, new_doubles = X.astype(np.float64), new.astype(np.float64)
    peer, peer_fit = timed(lambda: SVC(C=10).fit(doubles, y))
    labels, peer_predict = timed(lambda: peer.predict(new_doubles))
    print(f"MNIST, {n_rows} rows          accuracy      fit           predict 10000")
    print(
        f"  SVC(C=10)                 {np.mean(labels == truth):7.2%}  {peer_fit:7.2f} s        {peer_predict:7.2f} s"
    )
    for n_jobs in (1, os.cpu_count()):
        model = AffineHullClassifier(random_state=0, n_jobs=n_jobs)
        _, fit = timed(lambda: model.fit(X, y))  # noqa: B023 - runs at once
        labels, predict = timed(lambda: model.predict(new))  # noqa: B023 - runs at once
        print(
            f"  affine hull, n_jobs={n_jobs}     {np.mean(labels == truth):7.2%}  {fit:7.2f} s {peer_fit / fit:5.1f}x "
            f"{predict:7.2f} s {peer_predict / predict:5.1f}x"
        )


def forms(n_rows: int = 10_000) -> None:
    """Print what depth, overlap and rank are worth."""
    X, y, new, truth = mnist()
    settings: tuple[dict[str, Any], ...] = (
        {},
        {"n_layers": 5},
        {"overlap": 1, "part_size": 1000},
        {"rank": None},
        {"rank": 40},
    )
    for each in settings:
        model = AffineHullClassifier(random_state=0, **each)
        _, fit = timed(lambda: model.fit(X[:n_rows], y[:n_rows]))  # noqa: B023 - runs at once
        accuracy, predict = timed(lambda: model.score(new, truth))  # noqa: B023 - runs at once
        print(f"{each or 'default'!s:35} accuracy {accuracy:.2%}   fit {fit:6.2f} s   predict {predict:6.2f} s")


def growth() -> None:
    """Print accuracy, the cost of a row and the size of the file for more and more rows."""
    X, y, new, truth = mnist()
    for n_rows in (10_000, 20_000, 60_000):
        model, fit = timed(lambda n=n_rows: AffineHullClassifier(random_state=0).fit(X[:n], y[:n]))  # type: ignore[misc]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "hull.tacit"
            write_model(classifier_to_model(model), path)
            size, back = path.stat().st_size, classifier_from_model(read_model(path))
        accuracy, predict = timed(lambda m=back: m.score(new, truth))  # type: ignore[misc]
        print(
            f"{n_rows} rows   accuracy from the file {accuracy:.2%}   fit {fit:6.2f} s, {1e3 * fit / n_rows:.3f} ms a "
            f"row   predict {predict:.2f} s   file {size / 1e6:.0f} MB"
        )


def main() -> None:
    """Run the parts that are asked for."""
    parts = {"peer": against_peer, "forms": forms, "growth": growth}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        main()
