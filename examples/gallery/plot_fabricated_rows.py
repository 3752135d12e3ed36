"""
Fabricated rows against real ones
=================================

An owner fabricates a table at record epsilon 1: invented rows with the same columns. How far can they stand in for
the real ones? Inside the owner's walls both can be laid side by side; the figures never leave.
"""

import matplotlib.pyplot as plt
import numpy as np
import polars as pl

import tacit

# %%
# Invented patients stand for the private table; pressure rises with age, and smokers are younger.
rng = np.random.default_rng(0)
n = 8000
age = rng.integers(18, 95, n)
smokes = np.where(rng.random(n) < 0.45 - 0.004 * (age - 18), "yes", "no")
pressure = (105 + 0.5 * age + 8 * (smokes == "yes") + rng.normal(0, 10, n)).round().clip(60, 240)
ill = np.where(rng.random(n) < 1 / (1 + np.exp(-(pressure - 145) / 7)), "yes", "no")
patients = pl.DataFrame({"age": age, "smokes": smokes, "pressure": pressure, "ill": ill})
facts = {"age": (0, 110), "pressure": (60, 240), "smokes": ["no", "yes"], "ill": ["no", "yes"]}
schema = tacit.Schema.from_frame(patients, label="ill", bounds=facts)
real, later = patients[:6000], patients[6000:]

# %%
# Seeded, so that this page looks the same each time; leave it out for privacy.
fabricated = tacit.fabricate(real, schema, epsilon=1.0, random_state=1).table()
fabricated.head()

# %%
# How alike, by the figures that users of synthetic data ask for; held-out real rows say what could be reached at
# best.
comparison = tacit.compare(real, fabricated, schema, holdout=later)
comparison

# %%
# What is kept of the columns, and of how two of them hang together.
figure, axes = plt.subplots(1, 3, figsize=(10, 3.2))
edges = np.linspace(60, 240, 31)
for name, rows in (("real", real), ("fabricated", fabricated)):
    axes[0].hist(rows["pressure"], bins=edges, density=True, histtype="step", label=name)
axes[0].set(xlabel="pressure", yticks=[], title="one column")
axes[0].legend()
for axis, (name, rows) in zip(axes[1:], (("real", real), ("fabricated", fabricated)), strict=True):
    axis.hexbin(rows["age"], rows["pressure"], gridsize=25, extent=(18, 95, 80, 200), cmap="Blues")
    axis.set(xlabel="age", ylabel="pressure", title=name)
figure.tight_layout()
