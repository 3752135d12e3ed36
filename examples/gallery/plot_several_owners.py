"""
Several hospitals, one of them wrong
====================================

Three hospitals release what they know; the third has its class names swapped. The receiver's labels decide how far each
release is believed: a wrong one is left out or turned round, and never makes the model worse than learning alone.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import roc_auc_score

import tacit
from tacit import Schema
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.columns import Label, Numeric

# %%
# Patients of four hospitals, with the same illness and five measurements that tell something about it.
schema = Schema((*(Numeric(f"m{k}", (0.0, 1.0)) for k in range(5)), Label("ill", ("no", "yes"))))
rng = np.random.default_rng(1)
effect = np.array([1.5, -1.0, 0.8, 0.5, 0.0])


def patients(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return encoded rows and whether each patient is ill."""
    X = rng.random((n, 5))
    return X, (rng.random(n) < 1 / (1 + np.exp(-4 * (X - 0.5) @ effect))).astype(int)


def encoded(X: np.ndarray, y: np.ndarray) -> Encoded:
    """Return the rows as tacit encodes a table."""
    return Encoded(X, y, schema.encoded_names, schema.classes)


owners = [patients(3000), patients(3000), patients(3000)]
owners[2] = (owners[2][0], 1 - owners[2][1])
releases = [tacit.release(encoded(*rows), schema, epsilon=1.0, random_state=k) for k, rows in enumerate(owners)]

# %%
# The receiver has 300 patients and few diagnoses.
X, y = patients(300)
X_test, y_test = patients(4000)
labels, areas = [10, 20, 50, 100], {"alone": [], "first two": [], "all three": []}
for n in labels:
    ours = encoded(X, np.where(np.arange(300) < n, y, -1))
    for name, chosen in (("first two", releases[:2]), ("all three", releases)):
        model = tacit.adopt(chosen, ours, schema).classifier
        areas[name].append(roc_auc_score(y_test, model.predict_proba(X_test)[:, 1]))
    areas["alone"].append(roc_auc_score(y_test, model.alone_proba(X_test)[:, 1]))

# %%
# With ten labels it is already clear whom to believe.
figure, axes = plt.subplots(figsize=(5.5, 3.5))
for name, values in areas.items():
    axes.semilogx(labels, values, marker="o", label=name)
axes.set(xlabel="labels", ylabel="AUC on other patients", xticks=labels, xticklabels=labels)
axes.legend()
figure.tight_layout()
