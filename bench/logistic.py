"""Private logistic regression against diffprivlib's on the same rows, and how it grows, in one run.

Both solve the same objective, with the same epsilon and regularisation and without intercept, to the same gradient: the
proof of objective perturbation needs the minimiser. diffprivlib as it is shipped stops early; it is timed too. Fits
alternate, and medians of processor time are compared, which other programs disturb less, at one BLAS thread and at as
many as BLAS takes. diffprivlib lives in an environment of its own (`make bench` makes it). MNIST digits 0 and 8 need
``mnist.npz`` in the folder ``TACIT_DATA``.

Run: ``python bench/logistic.py [peer] [growth] [memory]``; all three by default.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from tacit.arrays import FloatArray
from tacit.experiments.peers import ask_peer, peer_command
from tacit.models.linear.logistic import PrivateLogisticRegression
from tacit.models.two_class_problems import n_problems, unit_rows

WARM_UP, REPEATS = 3, 20
SIZES = ((800, 100), (2000, 100), (10_000, 100), (2000, 20), (100_000, 50))
TEN_CLASSES = ((2000, 100), (20_000, 100))
PEER = "peer_diffprivlib.py"
# Of the sum of all losses, whose mean the peer looks at; and the peer's own default.
TOLERANCE, SHIPPED = 5e-7, 1e-4
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
Times = tuple[float, float]


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


def digits(classes: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    """Return some digits in 100 public principal directions, rows of length 1, and the places of their classes."""
    from tacit.experiments.linear_digits import public_view

    images, labels, _ = public_view(classes)
    return unit_rows(images), np.searchsorted(classes, labels).astype(float)


def tables(
    two: Sequence[tuple[int, int]], ten: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, FloatArray, FloatArray]]:
    """Yield the rows to be timed on: digits of two and of ten classes, or made up where there are not enough."""
    for classes, sizes in (((0, 8), two), (tuple(range(10)), ten)):
        X, y = digits(classes)
        for n, d in sizes:
            if n <= len(X):
                yield f"{n} x {d}, {len(classes)} digits", unit_rows(X[:n, :d]), y[:n]
            else:
                yield f"{n} x {d}, made up", *made_up(n, d)


def against_peer(two: Sequence[tuple[int, int]], ten: Sequence[tuple[int, int]]) -> None:
    """Print times of both on the same rows, and the ratios."""
    command = peer_command(PEER)
    if command is None or not ask_peer(PEER, "here"):
        print("diffprivlib is not installed: run `make bench`")
        return
    for name, X, y in tables(two, ten):
        n = len(X)
        least = 2.0 * n_problems(len(np.unique(y))) / n
        # Regularisation as we ship it, then as little as our accounting asks for at epsilon 1, and the peer's own.
        for strength, tolerance in ((1.0, TOLERANCE / n), (least, TOLERANCE / n), (1.0 / n, SHIPPED)):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "rows.npz"
                np.savez(path, X=X, y=y)
                asked = [*command, "serve", str(path), str(1 / (strength * n)), str(tolerance)]
                ours, theirs = alternate(X, y, strength, asked)
            how = "as shipped" if tolerance == SHIPPED else "both solved"
            print(
                f"{name:<22} lambda {strength:<8.2g} {how:<11}  tacit {1e3 * ours[0]:8.2f} ms, diffprivlib "
                f"{1e3 * theirs[0]:8.2f} ms, {theirs[0] / ours[0]:.1f}x; by the clock {theirs[1] / ours[1]:.1f}x",
                flush=True,
            )


def alternate(X: FloatArray, y: FloatArray, strength: float, command: list[str]) -> tuple[Times, Times]:
    """Return the median processor and clock times of our fits and of the peer's, one after the other."""
    both: tuple[list[Times], list[Times]] = ([], [])
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as peer:
        assert peer.stdin is not None
        assert peer.stdout is not None
        for _ in range(WARM_UP + REPEATS):
            both[0].append(fit_time(X, y, strength))
            print("fit", file=peer.stdin, flush=True)
            processor, clock = peer.stdout.readline().split()
            both[1].append((float(processor), float(clock)))
        peer.stdin.close()
    (ours, theirs) = (np.median(times[WARM_UP:], axis=0) for times in both)
    return (ours[0], ours[1]), (theirs[0], theirs[1])


def fit_time(X: FloatArray, y: FloatArray, strength: float) -> Times:
    """Return processor and clock time of one fit."""
    model = PrivateLogisticRegression(1.0, regularization=strength)
    start = time.process_time(), time.perf_counter()
    model.fit(X, y)
    return time.process_time() - start[0], time.perf_counter() - start[1]


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


def peer() -> None:
    """Time both with one BLAS thread, then, on the rows of the paper's table, with as many as BLAS takes by itself."""
    alone = {name: value for name, value in os.environ.items() if name not in THREADS}
    one = dict.fromkeys(THREADS, "1")
    for name, part, settings in (("one BLAS thread", "all", one), ("as many threads as BLAS takes", "small", {})):
        print(f"{name}:", flush=True)
        subprocess.run([sys.executable, __file__, "timed", part], check=True, env=alone | settings)


def main() -> None:
    """Run the parts that are asked for."""
    parts = {"peer": peer, "growth": growth, "memory": memory}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    if sys.argv[1:2] == ["timed"]:
        against_peer(*((SIZES, TEN_CLASSES) if sys.argv[2] == "all" else (SIZES[1:2], TEN_CLASSES[:1])))
    else:
        with threadpool_limits(limits=1):
            fit_table() if sys.argv[1:] == ["fit"] else main()
