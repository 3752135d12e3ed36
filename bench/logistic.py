"""Private logistic regression against diffprivlib's on the same rows, and how it grows, in one run.

BLAS has one thread for both, and times are processor times, which other programs disturb less. diffprivlib lives in an
environment of its own (`make bench` makes it). Its solver stops early as shipped; the proof of objective perturbation
needs the minimiser, so it is also timed solved to a gradient like ours. MNIST digits 0 and 8 need ``mnist.npz`` in the
folder ``TACIT_DATA``.

Run: ``python bench/logistic.py [peer] [growth] [memory]``; all three by default.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from tacit.checks import FloatArray
from tacit.evaluation.tables.peers import ask_peer
from tacit.models.linear_problems import unit_rows
from tacit.models.private_logistic import PrivateLogisticRegression

REPEATS = 30


def fit_seconds(X: FloatArray, y: FloatArray, repeats: int) -> float:
    """Return the best time of a fit."""
    times = []
    for _ in range(repeats):
        model = PrivateLogisticRegression(1.0)
        start = time.process_time()
        model.fit(X, y)
        times.append(time.process_time() - start)
    return min(times)


def made_up(n: int, d: int) -> tuple[FloatArray, FloatArray]:
    """Return rows of length 1 whose classes a plane tells apart but for noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    y = (X[:, 0] + rng.standard_normal(n) > 0).astype(float)
    return unit_rows(X), y


def digits() -> tuple[FloatArray, FloatArray]:
    """Return digits 0 and 8 in 100 principal directions, rows of length 1."""
    from tacit.evaluation.tables.pptl_mnist import public_view

    images, labels, _ = public_view()
    mine = labels != 9
    return unit_rows(images[mine]), (labels[mine] == 8).astype(float)


def against_peer() -> None:
    """Print times of both on the same rows, and the ratios."""
    X, y = digits()
    for n in (800, 1600, len(X)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.npz"
            np.savez(path, X=X[:n], y=y[:n])
            theirs = ask_peer("peer_diffprivlib.py", "time", str(path), str(REPEATS))
        ours = fit_seconds(X[:n], y[:n], REPEATS)
        print(f"{n} x {X.shape[1]} digits   tacit {1e3 * ours:8.2f} ms")
        if theirs is None:
            print("  diffprivlib is not installed: run `make bench`")
            continue
        for name, seconds in theirs.items():
            print(f"  diffprivlib, {name:<8} {1e3 * seconds:8.2f} ms   ours is {seconds / ours:.1f}x faster")


def growth() -> None:
    """Print the cost of a row for more and more rows."""
    for n in (125_000, 250_000, 500_000, 1_000_000):
        X, y = made_up(n, 50)
        seconds = fit_seconds(X, y, 3)
        print(f"{n} x 50 rows   fit {seconds:6.2f} s, {1e6 * seconds / n:.2f} us a row")


def memory() -> None:
    """Print the peak memory of a fit on a million rows, in a process of its own."""
    print(subprocess.run([sys.executable, __file__, "fit"], check=True, capture_output=True, text=True).stdout, end="")


def fit_table() -> None:
    """Fit a million rows of 50 doubles and print time and peak memory."""
    X = np.empty((1_000_000, 50))
    y = np.empty(1_000_000)
    for start in range(0, len(X), 100_000):
        X[start : start + 100_000], y[start : start + 100_000] = made_up(100_000, 50)
    seconds = fit_seconds(X, y, 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"1000000 x 50 doubles ({X.nbytes / 1e9:.1f} GB): fit {seconds:.1f} s, peak memory {peak / 1e9:.2f} GB")


def main() -> None:
    """Run the parts that are asked for."""
    parts = {"peer": against_peer, "growth": growth, "memory": memory}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        if sys.argv[1:] == ["fit"]:
            fit_table()
        else:
            main()
