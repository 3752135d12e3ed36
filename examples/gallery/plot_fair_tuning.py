"""
Fairer without becoming worse
=============================

A model was learned from rows in which one group was judged harder than the other. An owner has rows with a fair
outcome that nobody else may see, and answers with two scores: how many rows are right, and how far apart the two
groups' rates are. The search lowers the gap among models that are no less accurate.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from tacit import PerformanceSearch
from tacit.situations.feedback.goals import ConstrainedScores
from tacit.situations.feedback.linear import LinearScorer, linear_vector
from tacit.situations.feedback.metrics import accuracy_and_gap

rng = np.random.default_rng(0)


def applicants(n: int, unfair: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return measurements, outcome and group; the second column tells the group, ``unfair`` is held against group 1."""
    group = rng.integers(0, 2, n)
    skill = rng.normal(size=(n, 3))
    X = np.column_stack([skill[:, 0], group + 0.5 * skill[:, 1], skill[:, 2]])
    chance = 1 / (1 + np.exp(-(2 * skill[:, 0] + skill[:, 2] - unfair * group)))
    return X, (rng.random(n) < chance).astype(int), group


X, y, _ = applicants(1000, unfair=1.5)
model = LogisticRegression().fit(X, y)

# %%
# The floor is what the model reaches before: a query too. 400 queries in all, of scores rounded to three digits.
X_owner, y_owner, group_owner = applicants(4000, unfair=0.0)
owner = LinearScorer(X_owner, accuracy_and_gap(y_owner, group_owner))
floor = float(owner(linear_vector(model)[None])[0, 0])
search = PerformanceSearch(linear_vector(model), queries=400, sigma=0.3, goal=ConstrainedScores(floor), random_state=0)
path = [search]
while not path[-1].done:
    path.append(path[-1].tell(np.round(owner(path[-1].ask()), 3)))

# %%
# On people whom the owner did not score either.
X_new, y_new, group_new = applicants(20_000, unfair=0.0)
unseen = LinearScorer(X_new, accuracy_and_gap(y_new, group_new))
figures = np.array([unseen(each.parameters[None])[0] for each in path])
for words, (accuracy, gap) in (("before", figures[0]), ("after", figures[-1])):
    print(f"{words}: {accuracy:.3f} right, gap {gap:.3f}")
figure, axes = plt.subplots(figsize=(6, 3.5))
used = [each.used for each in path]
axes.plot(used, figures[:, 0], label="right")
axes.plot(used, figures[:, 1], label="gap between the groups")
axes.set(xlabel="scores asked for", ylim=(0, 1))
axes.legend()
figure.tight_layout()
