"""Private makers of fabricated tables; needs an environment with dpmm, which brings AIM and MST, and numba.

``peer_rows.py METHOD FILE`` learns the columns of an NPZ file (``column:NAME``, texts or numbers) with their public
domain (``domain``, JSON by name) and prints as many rows as it has, by column, and the processor seconds it took; past
``limit`` such seconds it stops and prints the seconds alone.
"""

import importlib
import json
import resource
import signal
import sys
import time
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

PREFIX = "column:"
# Part of epsilon that goes to the numbers' bins, in the package's own proportion.
BINS_SHARE = 0.1
# As their authors set them: 80 megabytes is what AIM's ask official comparisons to keep, and "can take many hours"; one
# is what they recommend for trials.
SETTINGS: Mapping[str, dict[str, Any]] = {
    "MST": {},
    "AIM, 1 MB": {"max_model_size": 1},
    "AIM": {"max_model_size": 80},
}


def table_of(file: Mapping[str, Any], domain: Mapping[str, Any]) -> pd.DataFrame:
    """Return the columns as the package wants them: texts as categories, numbers whole where they are so."""
    columns = {}
    for name, rule in domain.items():
        values = pd.Series(file[PREFIX + name])
        if "categories" in rule:
            columns[name] = values.astype("category")
        else:
            columns[name] = values.astype(int) if rule["integer"] and not values.isna().any() else values
    return pd.DataFrame(columns)


def mend_empty_bins() -> None:
    """Let the package draw from bins of no width, of which it divides 0 by 0: of their only number."""
    binner: Any = importlib.import_module("dpmm.processing.binners").UniformBinner
    plain = binner.get_intervals

    def get_intervals(self: Any, bin_idx: int) -> tuple[np.ndarray, np.ndarray]:
        intervals, weights = plain(self, bin_idx)
        return intervals, np.where(np.isnan(weights), 1 / len(weights), weights)

    binner.get_intervals = get_intervals


def fabricated(method: str, file: Mapping[str, Any]) -> pd.DataFrame:
    """Return as many rows as the table has, from a model with the package's own settings and its descent compiled."""
    inference: Any = importlib.import_module("dpmm.models.base.mbi.inference")
    descent: Any = importlib.import_module("mirror_descent")
    inference.FactoredInference.mirror_descent = descent.mirror_descent
    mend_empty_bins()
    pipelines: Any = importlib.import_module("dpmm.pipelines")
    domain = json.loads(str(file["domain"]))
    table = table_of(file, domain)
    epsilon, seed = float(file["epsilon"]), int(file["seed"])
    model = getattr(pipelines, f"{method.partition(',')[0]}Pipeline")(
        epsilon=(1 - BINS_SHARE) * epsilon,
        proc_epsilon=BINS_SHARE * epsilon,
        delta=float(file["delta"]),
        n_jobs=1,
        **SETTINGS[method],
    )
    public = {name: {key: rule[key] for key in rule if key != "integer"} for name, rule in domain.items()}
    model.fit(table, public, random_state=seed)
    return model.generate(n_records=len(table), random_state=seed)


class OutOfTimeError(Exception):
    """The processor seconds that a method may take are over."""


def limit_seconds(seconds: float) -> None:
    """Raise OutOfTimeError in the main thread once the process has used so many processor seconds."""

    def stop(_signal: int, _frame: object) -> None:
        raise OutOfTimeError

    signal.signal(signal.SIGXCPU, stop)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), resource.RLIM_INFINITY))


def run(method: str, path: str) -> dict[str, Any]:
    """Return the rows by column, and the seconds; no rows if the seconds were over before."""
    with np.load(path) as archive:
        file = dict(archive.items())
    start = time.process_time()
    limit_seconds(start + float(file["limit"]))
    try:
        rows = fabricated(method, file)
    except OutOfTimeError:
        return {"columns": None, "seconds": time.process_time() - start}
    seconds = time.process_time() - start
    texts = {name: [None if pd.isna(cell) else cell for cell in rows[name].tolist()] for name in rows}
    return {"columns": texts, "seconds": seconds}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    answer = run(sys.argv[1], sys.argv[2])
    print(json.dumps(answer))
