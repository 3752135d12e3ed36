"""Releases that deserve no trust, and what adopting them costs: noise, flipped, shuffled, another table's, hostile."""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.metrics import roc_auc_score
from sklearn.utils import check_random_state

from tacit.adoption.tables.averaged_transfer import AveragedTransfer
from tacit.arrays import Codes, FloatArray
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.registry import kind_by_name
from tacit.records import record
from tacit.releases.file import Release

EPSILON, DELTA = 1.0, 1e-6
# Of an owner whose release is almost pure noise.
NOISE_EPSILON = 0.003
BAD = ("noise", "flipped", "shuffled", "wrong", "hostile")
# Single releases, and three at once.
SETS = (*((name,) for name in BAD), ("noise", "shuffled", "wrong"), ("wrong", "wrong", "wrong"))
RARE = 0.05
# What a hostile owner multiplies its curves by, after replacing them by noise.
HOSTILE_SCALE = 1e4


@record
class HarmCase:
    """An owner's and a receiver's part of one table with two classes.

    Attributes
    ----------
    owner, X : arrays
        Encoded rows of the owner and of the receiver.
    owner_y, y : arrays
    """

    schema: Schema
    owner: FloatArray
    owner_y: Codes
    X: FloatArray
    y: Codes
    seed: int
    _made: dict[tuple[str, int], Release] = field(default_factory=dict)

    def can_judge(self, n_labels: int) -> bool:
        """Whether at least half of the receiver's rows are left without a label, rows of both classes among them."""
        return 2 * n_labels <= len(self.y) and len(np.unique(self.y[n_labels:])) == 2

    def releases(self, names: Sequence[str]) -> list[Release]:
        """Return a release for each of ``names``; the same name again is another release."""
        places = [names[:place].count(name) for place, name in enumerate(names)]
        return [self._release(name, place) for name, place in zip(names, places, strict=True)]

    def _release(self, name: str, place: int) -> Release:
        if (name, place) not in self._made:
            self._made[name, place] = self._make(name, 97 * self.seed + place)
        return self._made[name, place]

    def _make(self, name: str, seed: int) -> Release:
        generator, epsilon, labels = check_random_state(seed), EPSILON, self.owner_y
        if name == "noise":
            epsilon = NOISE_EPSILON
        if name == "flipped":
            labels = 1 - labels
        if name == "shuffled":
            labels = generator.permutation(labels)
        if name == "wrong":
            # The label of another question: whether some column is above its median.
            column = self.owner[:, generator.choice(np.flatnonzero(self.owner.std(axis=0) > 0.01))]
            labels = (column > np.median(column)).astype(np.intp)
        release = kind_by_name("additive").release(
            self.owner, labels, self.schema, epsilon=epsilon, delta=DELTA, random_state=seed
        )
        if name != "hostile":
            return release
        curves = release.arrays["values"]
        return replace(
            release, arrays={**release.arrays, "values": HOSTILE_SCALE * generator.standard_normal(curves.shape)}
        )


def harm_case(table: str, seed: int, *, rare: bool) -> HarmCase:
    """Return one half of ``table`` as the owner's and one as the receiver's, there with 5 % positives if ``rare``."""
    X, y = _table(table, seed)
    low, high = X.min(axis=0), X.max(axis=0)
    X = (X - low) / np.where(high > low, high - low, 1.0)
    generator = check_random_state(seed)
    order = generator.permutation(len(X))
    owner, ours = np.array_split(order, 2)
    if rare:
        positive, negative = ours[y[ours] == 1], ours[y[ours] == 0]
        kept = positive[: int(len(negative) * RARE / (1 - RARE))]
        ours = generator.permutation(np.concatenate([kept, negative]))
    columns = tuple(Numeric(f"x{place}", (0.0, 1.0)) for place in range(X.shape[1]))
    return HarmCase(Schema((*columns, Label("y", ("no", "yes")))), X[owner], y[owner], X[ours], y[ours], seed)


def change(case: HarmCase, names: Sequence[str], n_labels: int) -> Mapping[str, float] | None:
    """Return the areas under the ROC curve of other rows, alone and adopted; None if the releases are refused."""
    y = np.where(np.arange(len(case.y)) < n_labels, case.y, -1)
    model = AveragedTransfer(case.releases(names), schema=case.schema, evidence=False, random_state=case.seed)
    try:
        model.fit(case.X, y)
    except InputError:
        return None
    X, truth = case.X[n_labels:], case.y[n_labels:]
    alone, adopted = (float(roc_auc_score(truth, each(X)[:, 1])) for each in (model.alone_proba, model.predict_proba))
    return {"alone": alone, "adopted": adopted}


def _table(name: str, seed: int) -> tuple[FloatArray, Codes]:
    if name == "breast cancer":
        X, y = load_breast_cancer(return_X_y=True)
    elif name == "digits":
        X, y = load_digits(return_X_y=True)
        y = (y >= 5).astype(np.intp)
    else:
        X, y = make_classification(
            4000, 12, n_informative=5, n_redundant=2, class_sep=0.7, flip_y=0.1, random_state=seed
        )
    return X[:, X.std(axis=0) > 0].astype(np.float64), y.astype(np.intp)
