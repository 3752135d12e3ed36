"""
A distance that does not tell who is related
============================================

Pairs of flowers are marked as alike or not. A private metric learns from them which measurements matter, and one
relationship, wherever it shows, is protected by epsilon.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from tacit import DiagonalSettings, PairMetric

iris = load_iris()
# Three columns that say nothing stand beside the four that do.
noise = np.random.default_rng(0).uniform(0, 8, (len(iris.data), 3))
X = np.hstack([iris.data, noise])
names = [*iris.feature_names, "noise 1", "noise 2", "noise 3"]
X_owner, X_test, y_owner, y_test = train_test_split(X, iris.target, random_state=0, test_size=0.4)

# %%
# The metric is learned from pairs of the owner's rows; neighbours are then looked for in it.
metric = PairMetric(4.0, bounds=(0, 8), solver=DiagonalSettings(), random_state=0).fit(X_owner, y_owner)
plain = KNeighborsClassifier().fit(X_owner, y_owner).score(X_test, y_test)
learned = KNeighborsClassifier().fit(metric.transform(X_owner), y_owner).score(metric.transform(X_test), y_test)
print(f"right by plain distances {plain:.2f}, by the private metric {learned:.2f}")

# %%
# How much each column counts.
weights = np.abs(metric.components_).sum(axis=0)
figure, axes = plt.subplots(figsize=(6, 3))
axes.barh(names, weights)
axes.set(xlabel="weight in the distance")
axes.invert_yaxis()
figure.tight_layout()
