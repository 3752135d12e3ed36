"""Times one pass of metric-learn's ITML over pairs and prints seconds of one core; runs in the peers' environment."""

import sys
import time
import warnings

import numpy as np
from metric_learn import ITML


def main(path: str) -> None:
    """Print the time of one pass over the pairs saved at ``path``."""
    with np.load(path) as data:
        pairs, signs = data["pairs"], data["signs"]
    solver = ITML(max_iter=1, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one pass does not converge, which is not the question
        start = time.process_time()
        # Bounds are given: without them it would compute the distances of all people to each other.
        solver.fit(pairs, signs, bounds=[0.5, 2.0])
        print(time.process_time() - start)


main(sys.argv[1])
