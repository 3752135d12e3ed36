"""The membership classifier against scikit-learn's RBF support vector machine, and how it grows, in one run.

BLAS has one thread for both. The machine learns from doubles, which is what it computes in, ours from float32. Needs
``mnist.npz`` in the folder ``TACIT_DATA``. The support vector machine takes most of the time.

Run: ``python bench/membership.py [peer] [rows] [growth] [routing] [memory]``; all five by default.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from tacit.models.affine_hull.classifier import AffineHullClassifier
from tacit.models.membership.autoencoder import MembershipAutoencoder
from tacit.models.membership.classifier import MembershipClassifier

Rows = NDArray[Any]
TABLE = (1_000_000, 100)


def mnist() -> tuple[Rows, Rows, Rows, Rows]:
    """Return rows and labels to learn from, shuffled, then rows and labels to predict."""
    with np.load(Path(os.environ["TACIT_DATA"]) / "mnist.npz") as data:
        X, y, new, truth = (data[name] for name in ("x_train", "y_train", "x_test", "y_test"))
    order = np.random.default_rng(0).permutation(len(X))
    return X[order].reshape(-1, 784) / 255, y[order], new.reshape(-1, 784) / 255, truth


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """Return what ``run`` returns and how many seconds it took."""
    start = time.perf_counter()
    result = run()
    return result, time.perf_counter() - start


def against_peer(n_rows: int = 10_000) -> None:
    """Print accuracy and times beside those of the support vector machine, and the ratios."""
    X, y, new, truth = mnist()
    X32, new32 = X[:n_rows].astype(np.float32), new.astype(np.float32)
    peer, peer_fit = timed(lambda: SVC(C=10).fit(X[:n_rows], y[:n_rows]))
    labels, peer_predict = timed(lambda: peer.predict(new))
    print(f"MNIST, {n_rows} rows          accuracy      fit           predict 10000")
    print(
        f"  SVC(C=10)                 {np.mean(labels == truth):7.2%}  {peer_fit:7.2f} s        {peer_predict:7.2f} s"
    )
    for n_jobs in (1, os.cpu_count()):
        model = MembershipClassifier(random_state=0, n_jobs=n_jobs)
        _, fit = timed(lambda: model.fit(X32, y[:n_rows]))  # noqa: B023 - runs at once
        labels, predict = timed(lambda: model.predict(new32))  # noqa: B023 - runs at once
        accuracy = np.mean(labels == truth)
        print(
            f"  membership, n_jobs={n_jobs}      {accuracy:7.2%}  {fit:7.2f} s {peer_fit / fit:5.1f}x "
            f"{predict:7.2f} s {peer_predict / predict:5.1f}x"
        )


def one_by_one(n_rows: int = 10_000, n_new: int = 2_000) -> None:
    """Print how much faster a batch is than a loop over its rows, and whether the labels are the same."""
    X, y, new, _ = (part.astype(np.float32) if part.ndim > 1 else part for part in mnist())
    model = MembershipClassifier(random_state=0).fit(X[:n_rows], y[:n_rows])
    batch, together = timed(lambda: model.predict(new[:n_new]))
    loop, apart = timed(lambda: np.array([model.predict(row[None])[0] for row in new[:n_new]]))
    same = "identical labels" if np.array_equal(batch, loop) else f"{np.sum(batch != loop)} LABELS DIFFER"
    print(f"{n_new} rows in one batch {together:.3f} s, one by one {apart:.2f} s: {apart / together:.0f}x, {same}")


def growth() -> None:
    """Print accuracy and the cost of a row for more and more rows."""
    X, y, new, truth = (part.astype(np.float32) if part.ndim > 1 else part for part in mnist())
    for n_rows in (10_000, 20_000, 40_000, 60_000):
        model, fit = timed(lambda n=n_rows: MembershipClassifier(random_state=0).fit(X[:n], y[:n]))  # type: ignore[misc]
        accuracy, predict = timed(lambda m=model: m.score(new, truth))  # type: ignore[misc]
        print(
            f"{n_rows} rows   accuracy {accuracy:.2%}   fit {fit:6.2f} s, {1e3 * fit / n_rows:.3f} ms a row   "
            f"predict {predict:.2f} s"
        )


def routing(n_rows: int = 60_000) -> None:
    """Print how much faster routed labels are than those of all parts, in CPU seconds of the same process."""
    X, y, new, truth = (part.astype(np.float32) if part.ndim > 1 else part for part in mnist())
    models: dict[str, MembershipClassifier | AffineHullClassifier] = {
        "membership": MembershipClassifier(random_state=0, n_jobs=1),
        "hull": AffineHullClassifier(random_state=0, n_jobs=1),
    }
    for name, model in models.items():
        model.fit(X[:n_rows], y[:n_rows])
        expected, full = cpu_seconds(partial(full_labels, model, new))
        labels, routed = cpu_seconds(partial(model.predict, new))
        print(
            f"{name}, {n_rows} rows: predict {len(new)} by all parts {full:.2f} CPU-s, routed {routed:.2f} CPU-s, "
            f"{full / routed:.2f}x; same labels {np.mean(labels == expected):.4%}, right {np.mean(labels == truth):.2%}"
        )


def cpu_seconds(run: Callable[[], Any]) -> tuple[Any, float]:
    """Return what ``run`` returns and the CPU seconds that it took, which other work on the machine disturbs least."""
    start = time.process_time()
    result = run()
    return result, time.process_time() - start


def full_labels(model: MembershipClassifier | AffineHullClassifier, rows: Rows) -> Rows:
    """Return the labels by every part: the oracle."""
    if isinstance(model, AffineHullClassifier):
        distances = model.class_distances(rows)
    else:
        distances = model.reconstruction_errors(rows)
    return np.asarray(model.classes_[distances.argmin(axis=1)])


def memory() -> None:
    """Print the peak memory of learning a table of a million rows that stays on disk."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.npy"
        table = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=TABLE)
        rng = np.random.default_rng(0)
        directions = rng.standard_normal((10, TABLE[1]))
        for start in range(0, TABLE[0], 50_000):
            table[start : start + 50_000] = np.tanh(rng.standard_normal((50_000, 10)) @ directions)
        table.flush()
        del table
        print(
            subprocess.run([sys.executable, __file__, "fit", path], check=True, capture_output=True, text=True).stdout
        )


def fit_table(path: str) -> None:
    """Learn a table on disk and print time and peak memory; runs in a process of its own."""
    X = np.load(path, mmap_mode="r")
    model, fit = timed(lambda: MembershipAutoencoder(random_state=0, n_jobs=-1).fit(X))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(
        f"{X.shape[0]} x {X.shape[1]} doubles on disk ({X.nbytes / 1e9:.1f} GB): {len(model.parts_)} parts, "
        f"fit {fit:.0f} s, peak memory {peak / 1e9:.2f} GB"
    )


def main() -> None:
    """Run the parts that are asked for."""
    parts = {"peer": against_peer, "rows": one_by_one, "growth": growth, "routing": routing, "memory": memory}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        if sys.argv[1:2] == ["fit"]:
            fit_table(sys.argv[2])
        else:
            main()
