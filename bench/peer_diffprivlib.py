"""Runs diffprivlib's logistic regression; needs the peers' environment, since it pins an older scikit-learn.

``peer_diffprivlib.py auc FILE`` prints, for each run and epsilon in an NPZ file of rows, the area under the ROC curve.
``peer_diffprivlib.py time FILE REPEATS`` prints the best time of a fit on the rows in the file, as shipped and solved
until the gradient is as small as objective perturbation's proof needs it.
"""

import json
import sys
import time
import warnings

import numpy as np
from diffprivlib.models import LogisticRegression
from sklearn.metrics import roc_auc_score

# Of the mean loss: what 1e-6 of one row's largest gradient is among a thousand rows.
SMALL_GRADIENT = 1e-9


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


def seconds(path: str, repeats: int) -> dict[str, float]:
    """Return the best time of a fit, as shipped and solved closely."""
    found = {}
    with np.load(path) as file:
        X, y = file["X"], file["y"]
    for name, settings in (("shipped", {}), ("solved", {"tol": SMALL_GRADIENT, "max_iter": 1000})):
        times = []
        for _ in range(repeats):
            model = LogisticRegression(epsilon=1.0, data_norm=1.0, **settings)
            start = time.process_time()
            model.fit(X, y)
            times.append(time.process_time() - start)
        found[name] = min(times)
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(auc(sys.argv[2]) if sys.argv[1] == "auc" else seconds(sys.argv[2], int(sys.argv[3]))))
