"""
Tuning a model from scores alone
================================

A model was learned on one kind of rows and is used on another, which its maker may not see. The owner of those rows
answers with scores; 300 of them bring the model most of the way to what learning from the rows would give.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import minmax_scale

from tacit import PerformanceSearch, RandomSearch, tune
from tacit.situations.feedback.linear import LinearScorer, linear_vector, with_vector
from tacit.situations.feedback.metrics import accuracy

X, y = load_wine(return_X_y=True)
X = minmax_scale(X)
# There, every instrument is off by something else.
shift = np.random.default_rng(0).normal(0, 0.35, X.shape[1])
X_here, X_there, y_here, y_there = train_test_split(X, y, random_state=0, test_size=0.6)
X_scored, X_unseen, y_scored, y_unseen = train_test_split(X_there + shift, y_there, random_state=0)

# %%
# The owner scores candidates on its rows; nothing else crosses the line.
model = LogisticRegression().fit(X_here, y_here)
owner = LinearScorer(X_scored, accuracy(y_scored))
figure, axes = plt.subplots(figsize=(6, 3.5))
for search_of, label in ((PerformanceSearch, "by performance"), (RandomSearch, "at random")):
    queries, right = [10, 30, 100, 300], []
    for budget in queries:
        search = tune(search_of(linear_vector(model), queries=budget, sigma=0.5, random_state=0), owner)
        right.append(with_vector(model, search.parameters).score(X_unseen, y_unseen))
    axes.semilogx(queries, right, marker="o", label=label)
axes.axhline(model.score(X_unseen, y_unseen), color="grey", linestyle=":", label="before")
axes.set(xlabel="scores asked for", ylabel="right on unseen rows there")
axes.legend()
figure.tight_layout()
