"""Runs diffprivlib's logistic regression; needs the peers' environment, since it pins an older scikit-learn.

``peer_diffprivlib.py auc FILE`` prints, for each run and epsilon in an NPZ file of rows, the area under the ROC curve.
``peer_diffprivlib.py here`` prints ``true`` where diffprivlib is installed.
``peer_diffprivlib.py serve FILE C TOLERANCE`` fits the rows in the file once for each line it reads, and prints the
processor seconds and the wall-clock seconds of that fit.
"""

import json
import sys
import time
import warnings

import numpy as np
from diffprivlib.models import LogisticRegression
from sklearn.metrics import roc_auc_score


def auc(path: str) -> dict[str, list[float]]:
    """Return areas under the ROC curve by epsilon, one for each run; rows have length 1."""
    found: dict[str, list[float]] = {}
    with np.load(path) as file:
        for epsilon in file["epsilons"]:
            for run in range(int(file["runs"])):
                model = LogisticRegression(
                    epsilon=float(epsilon), data_norm=1.0, fit_intercept=False, random_state=run
                ).fit(file[f"X_{run}"], file[f"y_{run}"])
                scores = model.decision_function(file[f"X_test_{run}"])
                found.setdefault(f"{epsilon:g}", []).append(float(roc_auc_score(file[f"y_test_{run}"], scores)))
    return found


def serve(path: str, strength: float, tolerance: float) -> None:
    """Fit once for each line of the input, with C = ``strength`` and until the gradient is below ``tolerance``."""
    with np.load(path) as file:
        X, y = file["X"], file["y"]
    for _ in sys.stdin:
        model = LogisticRegression(
            epsilon=1.0, data_norm=1.0, C=strength, tol=tolerance, max_iter=1000, fit_intercept=False
        )
        start = time.process_time(), time.perf_counter()
        model.fit(X, y)
        print(time.process_time() - start[0], time.perf_counter() - start[1], flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1] == "auc":
        print(json.dumps(auc(sys.argv[2])))
    elif sys.argv[1] == "here":
        print("true")
    else:
        serve(sys.argv[2], float(sys.argv[3]), float(sys.argv[4]))
