"""Runs metric-learn's solvers on pairs in an NPZ file; needs the peers' environment.

``peer_metric_learn.py fit FILE`` prints the transformations that ITML and diagonal MMC learn, as JSON.
``peer_metric_learn.py time FILE`` prints the seconds of one core that one pass of ITML takes.
"""

import json
import sys
import time
import warnings

import numpy as np
from metric_learn import ITML, MMC


def fit(path: str) -> dict[str, list[list[float]]]:
    """Return the transformation [d, p] of each solver."""
    solvers = {"ITML": ITML(random_state=0), "MMC": MMC(diagonal=True, random_state=0)}
    with np.load(path) as data:
        pairs, signs = data["pairs"], data["signs"]
    return {name: solver.fit(pairs, signs).components_.tolist() for name, solver in solvers.items()}


def one_pass(path: str) -> float:
    """Return the time of one pass over the pairs."""
    with np.load(path) as data:
        pairs, signs = data["pairs"], data["signs"]
    solver = ITML(max_iter=1, random_state=0)
    start = time.process_time()
    # Bounds are given: without them it would compute the distances of all people to each other.
    solver.fit(pairs, signs, bounds=[0.5, 2.0])
    return time.process_time() - start


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # one pass does not converge, which is not the question
    print(json.dumps(fit(sys.argv[2]) if sys.argv[1] == "fit" else one_pass(sys.argv[2])))
