"""
Release, adopt, predict
=======================

The whole job on one table: a clinic hands out a release at record epsilon 1, a practice adopts it beside 30 diagnoses
of its own. The default release of a mixed table holds a curve for each column, each with its noise.
"""

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from sklearn.metrics import RocCurveDisplay

import tacit

# %%
# Invented patients: risk rises with age, falls and rises again with weight, and depends on where somebody works.
rng = np.random.default_rng(0)
n = 7000
age, weight = rng.integers(18, 95, n), rng.normal(76, 14, n).round().clip(40, 160)
work = rng.choice(["office", "outdoors", "mine"], n, p=[0.6, 0.3, 0.1])
risk = (age - 60) / 12 + ((weight - 74) / 16) ** 2 - 1.5 + 1.5 * (work == "mine")
ill = np.where(rng.random(n) < 1 / (1 + np.exp(-risk)), "yes", "no")
patients = pl.DataFrame({"age": age, "weight": weight, "work": work, "ill": ill})
facts = {"age": (0, 110), "weight": (30, 250), "work": ["office", "outdoors", "mine"], "ill": ["no", "yes"]}
schema = tacit.Schema.from_frame(patients, label="ill", bounds=facts)
owner, ours, new = patients[:4000], patients[4000:4400], patients[4400:]

# %%
# The owner's side: one call, one file. Seeded, so that this page looks the same each time; leave it out for privacy.
release = tacit.release(owner, schema, epsilon=1.0, random_state=0)
print(release.card.title)

# %%
# The receiver's side: 30 rows have a label. Each of them is judged by models that learned without it.
few = ours.with_columns(ill=pl.when(pl.int_range(pl.len()) < 30).then(pl.col("ill")))
model = tacit.adopt([release], few, schema)
model.evidence

# %%
# On patients from whom neither has learned.
X = tacit.encode(new, schema, labels="optional").X
figure, axes = plt.subplots(figsize=(5, 4.5))
scores = {"30 labels alone": model.classifier.alone_proba(X), "with the release": model.classifier.predict_proba(X)}
for words, proba in scores.items():
    RocCurveDisplay.from_predictions(new["ill"], proba[:, 1], pos_label="yes", name=words, ax=axes)
axes.plot([0, 1], [0, 1], linestyle=":", color="grey")
axes.set(xlabel="healthy taken for ill", ylabel="ill found")
figure.tight_layout()
