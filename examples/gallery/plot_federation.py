"""
Five parties, two digits each
=============================

Five parties hold scans of two digits each, so that none of them can tell all ten apart. Each puts noise into every
entry of its rows, once, and answers with distances; the least distance decides. On one machine here; over a network
it is an app for Flower.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import train_test_split

from tacit import Schema, make_release
from tacit.data.schemas.columns import Label, Numeric
from tacit.kinds.noisy_rows.rows import private_rows
from tacit.situations.federated.distances import decide
from tacit.situations.federated.party import private_parties, query_parties

X, y = load_digits(return_X_y=True)
X_parties, X_queries, y_parties, y_queries = train_test_split(X / 16, y, test_size=0.3, stratify=y, random_state=0)
schema = Schema((*(Numeric(f"p{k}", (0, 1)) for k in range(64)), Label("digit", tuple(str(k) for k in range(10)))))

# %%
# At each party: a release of its own rows, charged to its own ledger (left out here). Entry epsilon protects one
# pixel.
held = [np.isin(y_parties, (2 * party, 2 * party + 1)) for party in range(5)]


def answers(epsilon: float) -> list[np.ndarray]:
    """Return what the five parties answer about the queries, at an entry epsilon."""
    promise = {"method": "rows", "unit": "entry", "epsilon": epsilon, "delta": 1e-9}
    releases = [
        make_release(X_parties[mine], y_parties[mine], schema, random_state=party, **promise)
        for party, mine in enumerate(held)
    ]
    parties = private_parties([private_rows(release) for release in releases])
    return query_parties(parties, X_queries, range(10))


epsilons = [0.3, 1.0, 3.0, 10.0]
decided = {epsilon: decide(answers(epsilon), range(10)) for epsilon in epsilons}
right = [float((each == y_queries).mean()) for each in decided.values()]
print(dict(zip(epsilons, np.round(right, 3).tolist(), strict=True)))

# %%
# Left: what the federation reaches; a party alone can name two digits of ten. Right: which digits are taken for which
# at entry epsilon 1.
figure, (left, middle) = plt.subplots(1, 2, figsize=(9, 3.8))
left.semilogx(epsilons, right, marker="o", label="five parties together")
left.axhline(0.2, linestyle=":", color="grey", label="at best one party alone")
left.set(xlabel="entry epsilon", ylabel="right on other scans", ylim=(0, 1))
left.legend(loc="lower right")
ConfusionMatrixDisplay.from_predictions(y_queries, decided[1.0], cmap="Blues", colorbar=False, ax=middle)
figure.tight_layout()
