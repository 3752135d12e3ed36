"""Whether members and non-members differ without any release: what an attack finds then says nothing about it."""

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray
from tacit.audit.attacks.outcome import AttackOutcome, outcome

NAME = "no release at all"
FOLDS = 5
# Rows of each side that are looked at: enough to show an area of 0.53 surely.
MOST_ROWS = 4000


def difference_without_release(
    members: FloatArray, non_members: FloatArray, *, seed: int | None = None
) -> AttackOutcome:
    """Return how surely a classifier that sees no release tells ``members`` from ``non_members`` [n, p].

    Scores are out of fold, of a straight line and of trees together, so that rows of one law have an area near 1/2.
    Where `AttackOutcome.tells_apart` holds, the two were not drawn alike.
    """
    random = check_random_state(0 if seed is None else seed)
    sides = [side[random.permutation(len(side))[:MOST_ROWS]] for side in (members, non_members)]
    X, y = np.vstack(sides), np.repeat([1, 0], [len(side) for side in sides])
    folds = min(FOLDS, *(len(side) for side in sides))
    if folds < 2:
        return outcome(NAME, np.zeros(len(sides[0])), np.zeros(len(sides[1])))
    parts = StratifiedKFold(folds, shuffle=True, random_state=random.randint(2**31))
    models = (
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        HistGradientBoostingClassifier(max_iter=40, min_samples_leaf=10, random_state=0),
    )
    scores = sum(cross_val_predict(model, X, y, cv=parts, method="predict_proba")[:, 1] for model in models)
    return outcome(NAME, scores[y == 1], scores[y == 0])
