"""
Tuning at a desk that adds noise
================================

An owner opens a desk: 200 scores, each with noise, charged to the ledger as one run before the first is answered.
What does the noise cost whoever tunes there? The same search is run at four epsilons, and at a desk that only
rounds, which promises nothing.
"""

import hashlib
import tempfile
from itertools import count
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from tacit import Budget, Ledger, PerformanceSearch, tune
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.desk import Desk, ScoreQuery
from tacit.situations.feedback.desk.log import DeskLog
from tacit.situations.feedback.desk.providers import Provider, token_digest
from tacit.situations.feedback.desk.scoring import Scorer
from tacit.situations.feedback.desk.terms import DeskTerms, rows_digest
from tacit.situations.feedback.linear import linear_vector, with_vector

folder, rng = Path(tempfile.mkdtemp()), np.random.default_rng(0)
direction = rng.normal(size=6)


def rows(n: int, shift: float) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and classes; at the owner's, every instrument is off by ``shift``."""
    X = rng.normal(size=(n, 6))
    return X + shift, ((X @ direction + 0.3 * rng.normal(size=n)) > 0).astype(int)


model = LogisticRegression().fit(*rows(500, shift=0.0))
X_owner, y_owner = rows(5000, shift=0.8)
X_unseen, y_unseen = rows(20_000, shift=0.8)
QUERIES = 200

# %%
# The desk keeps a log, in which every answer stands before it is sent. Asked the same again, it gives the stored
# answer.
architecture = Architecture("linear", 6, 1)
terms = {"metric": "accuracy", "decimals": 3, "queries": QUERIES, "n_rows": 5000, "rows": rows_digest(X_owner, y_owner)}


def tuned(epsilon: float | None) -> float:
    """Return how many unseen rows are right after tuning at a desk with this epsilon."""
    log, ledger = folder / f"{epsilon}.desk", None
    with DeskLog(log).writing() as transaction:
        transaction.add(Provider("ann", token_digest("secret"), QUERIES))
    if epsilon is not None:
        ledger = Ledger.create(folder / f"{epsilon}.ledger", Budget(epsilon, 1e-6, unit="record", relation="replace"))
    promise = {} if epsilon is None else {"epsilon": epsilon, "delta": 1e-6}
    desk = Desk.open(
        Scorer(X_owner, y_owner, architecture, metric="accuracy"),
        DeskTerms(architecture, **terms, **promise),
        log,
        ledger=ledger,
    )
    names = count()

    def ask(candidates: np.ndarray) -> list[float]:
        digests = [hashlib.sha256(each.tobytes()).hexdigest() for each in candidates]
        asked = [ScoreQuery("ann", str(next(names)), *pair) for pair in zip(digests, candidates, strict=True)]
        return [answer.score for answer in desk.answer(asked)]

    search = tune(PerformanceSearch(linear_vector(model), queries=QUERIES, sigma=0.5, random_state=0), ask)
    return with_vector(model, search.parameters).score(X_unseen, y_unseen)


epsilons = [0.01, 0.03, 0.1, 1.0]
right = [tuned(epsilon) for epsilon in epsilons]
rounded = tuned(None)
before = model.score(X_unseen, y_unseen)
print(f"before {before:.3f}, at epsilon {epsilons}: {np.round(right, 3).tolist()}, rounded alone {rounded:.3f}")

# %%
# Noise is drawn anew each time this page is made: a desk has no seed.
figure, axes = plt.subplots(figsize=(6, 3.5))
axes.semilogx(epsilons, right, marker="o", label="noisy scores")
axes.axhline(rounded, linestyle="--", color="tab:orange", label="rounded scores: no guarantee")
axes.axhline(before, linestyle=":", color="grey", label="before")
axes.set(xlabel="epsilon of all 200 scores together", ylabel="right on unseen rows there")
axes.legend()
figure.tight_layout()
