"""Private peers on mixed tables; needs an environment with interpret-core, opacus and diffprivlib, imported as needed.

``peer_tables.py METHOD FILE`` learns the owner's rows of an NPZ file at its epsilon and prints the area under the ROC
curve (or R squared of a number) on the other rows, and the processor seconds of the fit.
"""

import importlib
import json
import math
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.metrics import r2_score, roc_auc_score

Arrays = Mapping[str, Any]
# Of DP-SGD.
ROWS_SEEN, RATE, BATCH = 1_000_000, 0.1, 1024


def explainable_boosting(file: Arrays, epsilon: float) -> np.ndarray:
    """Return scores of DP-EBM with its own settings, given the public bounds."""
    privacy: Any = importlib.import_module("interpret.privacy")

    names = [f"c{place}" for place in range(len(file["is_category"]))]
    kinds = ["nominal" if category else "continuous" for category in file["is_category"]]
    bounds = {
        name: tuple(pair)
        for name, pair, category in zip(names, file["bounds"].tolist(), file["is_category"], strict=True)
        if not category
    }
    settings: dict[str, Any] = {
        "feature_names": names,
        "feature_types": kinds,
        "epsilon": epsilon,
        "delta": float(file["delta"]),
        "privacy_bounds": bounds,
        "random_state": int(file["seed"]),
    }
    train, test = (_table(file[name], file["is_category"]) for name in ("columns", "columns_test"))
    if file["target_bounds"].size:
        low, high = file["target_bounds"].tolist()
        model = privacy.DPExplainableBoostingRegressor(privacy_target_min=low, privacy_target_max=high, **settings)
        return np.asarray(model.fit(train, file["y"]).predict(test))
    model = privacy.DPExplainableBoostingClassifier(**settings).fit(train, file["y"])
    return np.asarray(model.decision_function(test))


def _table(columns: np.ndarray, is_category: np.ndarray) -> np.ndarray:
    table = columns.astype(object)
    for place in np.flatnonzero(is_category):
        table[:, place] = columns[:, place].astype(int).astype(str)
    return table


def opacus_linear(file: Arrays, epsilon: float) -> np.ndarray:
    """Return scores of a logistic regression by DP-SGD with clip 1 and Adam, chosen among a few settings on Bank."""
    torch: Any = importlib.import_module("torch")
    opacus: Any = importlib.import_module("opacus")

    torch.manual_seed(int(file["seed"]))
    torch.set_num_threads(1)
    X, Z = (torch.tensor(2 * file[name] - 1) for name in ("encoded", "encoded_test"))
    y = torch.tensor(file["y"].astype(np.float32))
    rounds = max(4, round(ROWS_SEEN / len(X)))
    model = torch.nn.Linear(X.shape[1], 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, y), batch_size=BATCH)
    model, optimizer, loader = opacus.PrivacyEngine(accountant="prv").make_private_with_epsilon(
        module=model,
        optimizer=optimizer,
        data_loader=loader,
        epochs=rounds,
        target_epsilon=epsilon,
        target_delta=float(file["delta"]),
        max_grad_norm=1.0,
    )
    for _ in range(rounds):
        for rows, labels in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.binary_cross_entropy_with_logits(model(rows)[:, 0], labels)
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        return np.asarray(model(Z)[:, 0])


def objective_perturbation(file: Arrays, epsilon: float) -> np.ndarray:
    """Return scores of diffprivlib's logistic regression; a row's norm is at most the root of the number of columns."""
    models: Any = importlib.import_module("diffprivlib.models")

    norm = math.sqrt(len(file["is_category"]))
    model = models.LogisticRegression(epsilon=epsilon, data_norm=norm, random_state=int(file["seed"]))
    model.fit(file["encoded"].astype(float), file["y"])
    return np.asarray(model.decision_function(file["encoded_test"].astype(float)))


# What each method imports, loaded before the clock starts.
MODULES = {
    "DP-EBM": ("interpret.privacy",),
    "Opacus linear": ("torch", "opacus"),
    "diffprivlib": ("diffprivlib.models",),
}
METHODS: dict[str, Callable[[Arrays, float], np.ndarray]] = {
    "DP-EBM": explainable_boosting,
    "Opacus linear": opacus_linear,
    "diffprivlib": objective_perturbation,
}


def run(method: str, path: str) -> dict[str, float]:
    """Return quality and seconds."""
    with np.load(path) as archive:
        file = dict(archive.items())
    measure = r2_score if file["target_bounds"].size else roc_auc_score
    for module in MODULES[method]:
        importlib.import_module(module)
    start = time.process_time()
    scores = METHODS[method](file, float(file["epsilon"]))
    return {"quality": float(measure(file["y_test"], scores)), "seconds": time.process_time() - start}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(run(sys.argv[1], sys.argv[2])))
