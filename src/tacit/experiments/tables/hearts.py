"""Heart disease: Cleveland releases at record level, Hungary adopts with 20 labels."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from tacit.adoption.tables.averaged_transfer import AveragedTransfer
from tacit.data.public.datasets import load_heart_centres
from tacit.data.public.splits import few_labels
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.schema import Schema
from tacit.experiments.results import ADOPTED, RELEASE_ALONE, TARGET_ONLY, ResultRow, mean_rows
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS

SEEDS = 20
EPSILON, DELTA = 1.0, 1e-5
PER_CLASS = 10
QUICK: dict[str, Any] = {"SEEDS": 2}


def rows() -> Iterator[ResultRow]:
    """Yield the area under the ROC curve on the Hungarian patients whose labels were not shown."""
    centres = load_heart_centres()
    source, target = (centres[name].encode(labels="required") for name in ("cleveland", "hungarian"))
    runs = [_run(source, target, centres["hungarian"].schema, seed) for seed in range(SEEDS)]
    yield from mean_rows(f"record epsilon {EPSILON:g}, {2 * PER_CLASS} labels", runs, metric="ROC AUC")


def _run(source: Encoded, target: Encoded, schema: Schema, seed: int) -> dict[str, float]:
    release = CLASS_MOMENTS.release(
        source.X, source.y, schema, unit="record", epsilon=EPSILON, delta=DELTA, random_state=seed
    )
    y = few_labels(target.y, per_class=PER_CLASS, random_state=seed)
    model = AveragedTransfer([release], schema=schema, evidence=False, random_state=seed).fit(target.X, y)
    unlabelled = np.flatnonzero(y < 0)
    X, truth = target.X[unlabelled], target.y[unlabelled]
    methods = {TARGET_ONLY: model.alone_proba, RELEASE_ALONE: model.releases_proba, ADOPTED: model.predict_proba}
    return {name: float(roc_auc_score(truth, method(X)[:, 1])) for name, method in methods.items()}
