"""
What epsilon buys
=================

One table, five values of epsilon, ten draws of the noise each: how well a receiver without any labels is served.
The simulation runs on public rows; looking at private ones this way would cost their owner a release each time.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from tacit import PrivateNearestMean

X, y = load_breast_cancer(return_X_y=True)
low, high = np.zeros(X.shape[1]), np.array([30, 40, 190, 2510, 0.2, 0.4, 0.5, 0.3, 0.4, 0.1] * 3)
X_owner, X_receiver, y_owner, y_receiver = train_test_split(np.clip(X, low, high), y, random_state=0)

# %%
# Noise is drawn anew each time. Without a ledger the spend stands on the card alone.
epsilons = [0.1, 0.3, 1.0, 3.0, 10.0]
right = np.zeros((len(epsilons), 10))
for row, epsilon in enumerate(epsilons):
    for draw in range(10):
        model = PrivateNearestMean(epsilon=epsilon, bounds=(low, high), classes=[0, 1], random_state=draw)
        right[row, draw] = model.fit(X_owner, y_owner).score(X_receiver, y_receiver)

# %%
# The line is the mean, the band two standard deviations of single draws; the dotted line always says "benign".
figure, axes = plt.subplots(figsize=(6, 3.5))
mean, spread = right.mean(axis=1), right.std(axis=1)
axes.semilogx(epsilons, mean, marker="o")
axes.fill_between(epsilons, mean - 2 * spread, np.minimum(mean + 2 * spread, 1), alpha=0.2)
axes.axhline(max(y_receiver.mean(), 1 - y_receiver.mean()), linestyle=":", color="grey")
axes.set(xlabel="epsilon", ylabel="right on the receiver's rows")
figure.tight_layout()
