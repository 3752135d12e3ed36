"""Exact discrete Laplace noise against numpy's doubles and OpenDP's exact floats, in one run.

OpenDP lives in an environment of its own (`make bench` makes it); its time per draw is measured on fewer draws, since
10^7 of them would take a quarter of an hour. Each figure is the best of three runs.
"""

import subprocess
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np

from tacit.privacy import noise
from tacit.privacy.mechanisms import Gaussian, Laplace, Staircase
from tacit.privacy.stream import NoiseStream

DRAWS = 10_000_000
PEER_DRAWS = 50_000
PEERS = Path(".venv-peers/bin/python")


def best(run: Callable[[], object], repeats: int = 3) -> float:
    """Return the shortest of some timings in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def opendp_seconds_per_draw() -> float | None:
    """Return OpenDP's time for one draw, or None where it is not installed."""
    if not PEERS.exists():
        return None
    command = [str(PEERS), str(Path(__file__).with_name("peer_opendp.py")), str(PEER_DRAWS)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Print times and ratios."""
    stream, rng = NoiseStream(), np.random.default_rng()
    scale = Fraction(Laplace.for_epsilon(1.0, sensitivity=1.0).scale) / Fraction(2) ** -14
    ours = best(lambda: noise.discrete_laplace(stream, DRAWS, scale)) / DRAWS
    theirs = best(lambda: rng.laplace(size=DRAWS)) / DRAWS
    print(f"discrete Laplace, {DRAWS:,} draws   {1e9 * ours:10.1f} ns a draw")
    print(f"numpy, doubles (not private)        {1e9 * theirs:10.1f} ns a draw   ours is {ours / theirs:.2f}x slower")
    peer = opendp_seconds_per_draw()
    if peer is None:
        print("OpenDP is not installed: run `make bench`")
    else:
        print(f"OpenDP, exact floats                {1e9 * peer:10.1f} ns a draw   ours is {peer / ours:.0f}x faster")
    values = np.zeros(DRAWS // 10)
    for mechanism in (Laplace(1.0, 1.0), Gaussian(1.0, 1.0), Staircase(1.0, 1.0)):
        seconds = best(lambda one=mechanism: one.draw(values, stream)) / values.size  # type: ignore[misc]
        print(f"mechanism {mechanism.name:<25} {1e9 * seconds:10.1f} ns a value")


if __name__ == "__main__":
    main()
