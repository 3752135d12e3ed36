"""Heart disease: Cleveland releases at record level, Hungary adopts with 20 labels."""

from collections.abc import Iterator

import numpy as np
from sklearn.metrics import roc_auc_score

from tacit.adoption.classifier import TransferClassifier
from tacit.data.datasets import load_heart_centres
from tacit.data.splits import few_labels
from tacit.experiments.registry import Row
from tacit.experiments.transfer_runs import ADOPTED, SOURCE_ONLY, TARGET_ONLY, gathered
from tacit.kinds.class_moments.make import make_release

SPLITS = 20
EPSILON, DELTA = 1.0, 1e-5
PER_CLASS = 10


def rows() -> Iterator[Row]:
    """Yield the area under the ROC curve on the Hungarian patients whose labels were not shown."""
    centres = load_heart_centres()
    source = centres["cleveland"].encode(labels="required")
    target = centres["hungarian"].encode(labels="required")
    schema = centres["hungarian"].schema
    runs = []
    for seed in range(SPLITS):
        release = make_release(
            source.X, source.y, schema, unit="record", epsilon=EPSILON, delta=DELTA, random_state=seed
        )
        y = few_labels(target.y, per_class=PER_CLASS, random_state=seed)
        hidden = np.flatnonzero(y < 0)
        model = TransferClassifier([release], schema=schema, random_state=seed).fit(target.X, y)
        alone = TransferClassifier(schema=schema, random_state=seed).fit(target.X, y)
        X, truth = target.X[hidden], target.y[hidden]
        lent = model.opinions_[0](X)
        runs.append(
            {
                TARGET_ONLY: float(roc_auc_score(truth, alone.decision_function(X))),
                SOURCE_ONLY: float(roc_auc_score(truth, lent[:, 1] - lent[:, 0])),
                ADOPTED: float(roc_auc_score(truth, model.decision_function(X))),
            }
        )
    yield from gathered(f"record epsilon {EPSILON:g}, {2 * PER_CLASS} labels", runs, metric="ROC AUC")
