"""MNIST divided among parties: decisions by distances alone, beside the same learner on all rows, and peers."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray
from tacit.data.public.datasets import ImageSet, load_mnist
from tacit.experiments.results import ResultRow, mean_row
from tacit.kinds.noisy_rows import KIND as NOISY_ROWS
from tacit.kinds.noisy_rows.rows import PrivateRows, gathered, private_rows
from tacit.situations.federated.distances import decide
from tacit.situations.federated.party import Party, make_party, private_parties, query_parties

SEEDS = 3
ROWS, PARTIES = 10_000, 5
EPSILON, DELTA = 1.0, 1e-9
CLASSES = np.arange(10)
CLEAN, NOISY = "no noise", f"entry epsilon {EPSILON:g}"

# Setting, method and accuracy of one run.
Accuracies = Iterator[tuple[str, str, float]]
# The rows of each party.
PartyRows = Sequence[NDArray[np.intp]]
QUICK: dict[str, Any] = {"SEEDS": 1, "ROWS": 2000}


def rows() -> Iterator[ResultRow]:
    """Yield accuracies on the 10000 test digits, for 10000 training digits in one hand and in several."""
    data = load_mnist()
    accuracies: dict[tuple[str, str], list[float]] = defaultdict(list)
    for seed in range(SEEDS):
        chosen = check_random_state(seed).permutation(len(data.X_train))[:ROWS]
        for setting, method, accuracy in (*_clean(data, chosen), *_noisy(data, chosen, seed)):
            accuracies[setting, method].append(accuracy)
    for (setting, method), values in accuracies.items():
        yield mean_row(method, setting, values)


def _clean(data: ImageSet, chosen: NDArray[np.intp]) -> Accuracies:
    X, y = data.X_train[chosen], data.y_train[chosen]
    iid = np.array_split(np.arange(ROWS), PARTIES)
    pairs = [np.flatnonzero(y // 2 == party) for party in range(PARTIES)]
    singles = [np.flatnonzero(y == party) for party in CLASSES]
    yield CLEAN, "all rows in one hand", _accuracy(_ask([make_party(X, y)], data), data)
    answers = _ask(_parties(X, y, iid), data)
    yield CLEAN, "5 parties, rows dealt out", _accuracy(answers, data)
    yield CLEAN, "one of the 5 parties alone", float(np.mean([_accuracy([answer], data) for answer in answers]))
    yield CLEAN, "5 parties with two classes each", _accuracy(_ask(_parties(X, y, pairs), data), data)
    yield CLEAN, "10 parties with one class each", _accuracy(_ask(_parties(X, y, singles), data), data)
    yield CLEAN, "peer: logistic regressions of 5 parties, averaged once", _averaged_regressions(X, y, iid, data)


def _noisy(data: ImageSet, chosen: NDArray[np.intp], seed: int) -> Accuracies:
    parts = [_private(data, part, 100 * seed + k) for k, part in enumerate(np.array_split(chosen, PARTIES))]
    (everything,) = gathered(parts)
    yield NOISY, "noisy rows in one hand, as they are", _accuracy(_ask([_unfiltered(everything)], data), data)
    naive = _ask([_unfiltered(part) for part in parts], data)
    yield NOISY, "5 parties, noisy rows as they are", _accuracy(naive, data)
    yield NOISY, "noisy rows in one hand, filtered", _accuracy(_ask(private_parties([everything]), data), data)
    yield NOISY, "5 parties, shared filter", _accuracy(_ask(private_parties(parts), data), data)
    own = _ask([party for part in parts for party in private_parties([part])], data)
    yield NOISY, "5 parties, each its own filter", _accuracy(own, data)
    means = NearestCentroid().fit(everything.rows, everything.codes)
    yield NOISY, "peer: nearest mean of all noisy rows", float(means.score(data.X_test, data.y_test))


def _parties(X: NDArray[Any], y: NDArray[Any], groups: PartyRows) -> list[Party]:
    return [make_party(X[group], y[group]) for group in groups]


def _private(data: ImageSet, part: NDArray[np.intp], seed: int) -> PrivateRows:
    release = NOISY_ROWS.release(
        data.X_train[part], data.y_train[part], data.schema, epsilon=EPSILON, delta=DELTA, random_state=seed
    )
    return private_rows(release)


def _unfiltered(private: PrivateRows) -> Party:
    return make_party(private.rows, private.codes)


def _ask(parties: Sequence[Party], data: ImageSet) -> list[FloatArray]:
    return query_parties(parties, data.X_test, CLASSES)


def _accuracy(answers: Sequence[FloatArray], data: ImageSet) -> float:
    return float((decide(answers, CLASSES) == data.y_test).mean())


def _averaged_regressions(X: NDArray[Any], y: NDArray[Any], groups: PartyRows, data: ImageSet) -> float:
    fitted = [LogisticRegression(C=0.05, max_iter=200, tol=1e-3).fit(X[group], y[group]) for group in groups]
    weights = np.mean([model.coef_ for model in fitted], axis=0)
    scores = data.X_test @ weights.T + np.mean([model.intercept_ for model in fitted], axis=0)
    return float((scores.argmax(axis=1) == data.y_test).mean())
