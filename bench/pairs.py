"""One training step of the pair metric against one pass of metric-learn's ITML, and κ of a million pairs.

Both see every pair once and learn a full matrix: ITML projects onto one pair after the other, ours sums all clipped
gradients and adds noise. ITML has no privacy. It lives in an environment of its own (`make bench` makes it). The
diagonal solver learns from one pass and is done.

Run: ``python bench/pairs.py``.
"""

import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from tacit.arrays import FloatArray
from tacit.models.pair_metric.metric import PairMetric
from tacit.models.pair_metric.solvers import DescentSettings
from tacit.numerics.contrastive import clipped_gradient_sum
from tacit.numerics.pair_graph import kappa_bounds
from tacit.privacy.mechanisms import Laplace
from tacit.privacy.stream import NoiseStream

PAIRS, FEATURES = 100_000, 100
EDGES = 1_000_000
REPEATS = 2
PEERS = Path(".venv-peers/bin/python")


def best_seconds(action: Callable[[], object]) -> float:
    """Return the shortest of a few runs, in seconds of one core, so that a busy machine changes no ratio."""
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        action()
        seconds.append(time.process_time() - start)
    return min(seconds)


def peer_seconds(pairs: np.ndarray, signs: np.ndarray) -> float | None:
    """Return the time of ITML's pass, or None without its environment."""
    if not PEERS.exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.npz"
        np.savez(path, pairs=pairs, signs=signs)
        script = Path(__file__).with_name("peer_metric_learn.py")
        command = [str(PEERS), str(script), str(path)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    return float(done.stdout) if done.returncode == 0 else None


def training_step(differences: FloatArray, dissimilar: np.ndarray) -> None:
    """Take one step of the private descent: sum the clipped gradients of all pairs, add noise, move."""
    W = np.eye(FEATURES)
    total = clipped_gradient_sum(W, differences, dissimilar, margin=1.0, clip=0.5, norm=1)
    noise = Laplace.for_epsilon(1.0, sensitivity=1.0, coordinates=W.size)
    W -= noise.draw(total, NoiseStream(0)) / len(differences)


def main() -> None:
    """Print seconds and ratios."""
    rng = np.random.default_rng(0)
    pairs, signs = rng.random((PAIRS, 2, FEATURES)), rng.choice([-1, 1], PAIRS)
    differences, dissimilar = (pairs[:, 0] - pairs[:, 1]) / np.sqrt(FEATURES), signs < 0
    one_pass = DescentSettings(passes=1)
    descent = PairMetric(1.0, bounds=(0, 1), solver=one_pass, mechanism="laplace", kappa=1, random_state=0)
    diagonal = PairMetric(1.0, bounds=(0, 1), kappa=1, random_state=0)
    ours = {
        "descent, one step": lambda: training_step(differences, dissimilar),
        "descent, whole fit of one pass": lambda: descent.fit(pairs, signs),
        "diagonal, whole fit": lambda: diagonal.fit(pairs, signs),
    }
    peer = peer_seconds(pairs, signs)
    print(f"{PAIRS} pairs of {FEATURES} features, seconds of one core")
    print(f"  {'metric-learn ITML, one pass':<34} {'not at hand' if peer is None else f'{peer:6.2f} s'}")
    for name, run in ours.items():
        seconds = best_seconds(run)
        ratio = "" if peer is None else f"{peer / seconds:6.1f}x"
        print(f"  {name:<34} {seconds:6.2f} s  {ratio}")
    edges = rng.integers(0, EDGES // 2, (EDGES, 2))
    edges = edges[edges[:, 0] != edges[:, 1]]
    print(f"bounds on κ of {EDGES} random pairs     {best_seconds(lambda: kappa_bounds(edges)):6.2f} s")


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        main()
