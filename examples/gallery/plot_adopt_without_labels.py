"""
A model without a single label
==============================

A hospital releases what it knows of tumours, at record epsilon 3. Another hospital has the same measurements and
nobody to say which tumours were malignant: it adopts the release alone, then with 10 and with 40 labels of its own.
"""

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

import tacit
from tacit import Schema
from tacit.data.schemas.columns import Label, Numeric

# %%
# Bounds are public facts about the measurements, not read from the rows.
data = load_breast_cancer(as_frame=True)
bounds = [30, 40, 190, 2510, 0.2, 0.4, 0.5, 0.3, 0.4, 0.1]
names = list(data.feature_names[:10])
schema = Schema(
    (
        *(Numeric(name, (0.0, float(high))) for name, high in zip(names, bounds, strict=True)),
        Label("tumour", ("malignant", "benign")),
    )
)
classes = np.array(["malignant", "benign"])
table = pl.DataFrame({**{name: data.data[name].to_numpy() for name in names}, "tumour": classes[data.target]})
owner, receiver = train_test_split(np.arange(len(table)), test_size=0.5, random_state=0)
ours, test = receiver[:180], receiver[180:]

# %%
# The owner hands out one file. It is adopted with the receiver's rows, of which ever more have a label.
release = tacit.release(table[owner], schema, epsilon=3.0, random_state=0)
truth = data.target.to_numpy()[test]
budgets, adopted, alone = [0, 10, 40], [], []
for n_labels in budgets:
    known = np.arange(len(ours)) < n_labels
    rows = table[ours].with_columns(tumour=pl.Series(np.where(known, table[ours]["tumour"], "")))
    model = tacit.adopt([release], rows, schema)
    X = tacit.encode(table[test], schema, labels="optional").X
    adopted.append(roc_auc_score(truth, model.classifier.predict_proba(X)[:, 1]))
    alone.append(roc_auc_score(truth, model.classifier.alone_proba(X)[:, 1]) if n_labels else 0.5)

# %%
# Alone, nothing is known without labels; with the release almost everything is.
figure, axes = plt.subplots(figsize=(5.5, 3.5))
places = np.arange(len(budgets))
axes.bar(places - 0.2, alone, 0.38, label="alone")
axes.bar(places + 0.2, adopted, 0.38, label="with the release")
axes.set(xticks=places, xticklabels=[f"{n} labels" for n in budgets], ylim=(0.45, 1.0), ylabel="AUC on other rows")
axes.legend(loc="lower right")
figure.tight_layout()
