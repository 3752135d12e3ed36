"""What the tables of pair metrics share: the methods, their accuracy, and the peers without privacy."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray, IntArray
from tacit.data.public.datasets import TableSet
from tacit.data.rows.pairs import PairSet, balanced_pairs, chain, pair_signs
from tacit.experiments.peers import ask_peer
from tacit.experiments.results import ResultRow, mean_rows
from tacit.kinds.pair_metric.plan import difference_radius, feature_scales, indicator_columns
from tacit.models.pair_metric.diagonal import PairMoments, diagonal_weights, magnitudes
from tacit.models.pair_metric.metric import PairMetric
from tacit.models.pair_metric.solvers import DiagonalSettings, PrintedSettings
from tacit.numerics.contrastive import clipped_gradient_sum
from tacit.records import record

EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)
DENSITY = 2.0  # [pairs] section 3.6.2
NEIGHBOURS = 5
TRAIN_SHARE = 0.8
PRINTED_PASSES = 3
NO_BUDGET = "no budget"
SAME_FACTS = "Euclidean, same public facts"


@record
class BalancedSplit:
    """Rows of balanced classes to learn from and to be tested on, with public facts for the private query.

    Attributes
    ----------
    X, X_test : arrays [N, p]
        In [0, 1].
    radius, length : float or None
        Bounds on the 2-norm and on the 1-norm of differences of rows.
    scales, indicators : arrays [p] or None
        What counts as different in each column, and which columns are one-hot.
    """

    X: FloatArray
    y: IntArray
    X_test: FloatArray
    y_test: IntArray
    radius: float | None = None
    length: float | None = None
    scales: FloatArray | None = None
    indicators: NDArray[np.bool_] | None = None

    def accuracy(self, W: FloatArray) -> float:
        """Return how often the nearest neighbours among the learning rows are right after the transformation."""
        # Distances of float32 rows are twice as fast and change no figure shown.
        learner = KNeighborsClassifier(NEIGHBOURS, algorithm="brute").fit((self.X @ W.T).astype(np.float32), self.y)
        return float(learner.score((self.X_test @ W.T).astype(np.float32), self.y_test))


def balanced_split(data: TableSet, seed: int, *, tested: int | None = None) -> BalancedSplit:
    """Return as many rows of each class as the smaller one has, four fifths to learn from, ``tested`` of the others."""
    encoded = data.encode(labels="required")
    X, y = np.asarray(encoded.X, dtype=np.float64), np.asarray(encoded.y)
    randomness = check_random_state(seed)
    size = int(np.bincount(y).min())
    kept = np.concatenate([randomness.permutation(np.flatnonzero(y == code))[:size] for code in np.unique(y)])
    kept = randomness.permutation(kept)
    train, rest = np.split(kept, [round(TRAIN_SHARE * len(kept))])
    test = rest[:tested]
    radius, length = (difference_radius(data.schema, norm=norm) for norm in (2, 1))
    public = radius, length, feature_scales(data.schema), indicator_columns(data.schema)
    return BalancedSplit(X[train], y[train], X[test], y[test], *public)


def plain_methods(split: BalancedSplit, seed: int) -> dict[str, float]:
    """Return accuracies that no budget changes: Euclidean, and learned without privacy.

    What counts as different in each column is a public fact that the private methods are given: neighbours who measure
    by it learn from nothing, so that no private method is worth more than what it adds to them.
    """
    pairs = chain(len(split.X), random_state=seed)
    scales = np.ones(split.X.shape[1]) if split.scales is None else split.scales
    return {
        "Euclidean": split.accuracy(np.eye(split.X.shape[1])),
        SAME_FACTS: split.accuracy(np.diag(scales)),
        "no privacy, diagonal": split.accuracy(plain_diagonal(split, pairs)),
        "no privacy, descent": split.accuracy(plain_descent(split, pairs)),
    }


def private_methods(split: BalancedSplit, epsilon: float, seed: int) -> dict[str, float]:
    """Return accuracies of the sound methods."""
    gaussian = DiagonalSettings(split.radius, split.scales, split.indicators)
    laplace = DiagonalSettings(split.length, split.scales, split.indicators)
    settings: dict[str, dict[str, Any]] = {
        "tacit, diagonal": {"solver": gaussian},
        "tacit, diagonal, delta 0": {"solver": laplace, "mechanism": "laplace"},
        "tacit, diagonal, whole person": {"solver": gaussian, "kappa": "degree"},
        "tacit, descent": {"solver": "sgd"},
        "input perturbation": {"mechanism": "input"},
    }
    return {
        name: split.accuracy(
            PairMetric(epsilon, bounds=(0, 1), random_state=seed, **more).fit(split.X, split.y).components_
        )
        for name, more in settings.items()
    }


def printed_methods(split: BalancedSplit, epsilon: float, seed: int) -> dict[str, float]:
    """Return accuracies of [pairs] Alg. 1 as printed, on pairs chosen as there; its guarantee does not hold."""
    pairs = balanced_pairs(split.y, DENSITY, random_state=seed)
    signs = pair_signs(split.y, pairs.indices)
    dpp = PrintedSettings(passes=PRINTED_PASSES)
    settings: dict[str, dict[str, Any]] = {
        "printed DPP": {"solver": dpp},
        "printed DPP-S": {"solver": PrintedSettings(reduced=True, passes=PRINTED_PASSES)},
        "printed Gaussian DPP-S": {"solver": PrintedSettings(reduced=True, passes=PRINTED_PASSES, gaussian=True)},
        "printed Node DP": {"solver": dpp, "kappa": "degree"},
    }
    accuracies = {}
    for name, more in settings.items():
        model = PairMetric(
            epsilon,
            bounds=(0, 1),
            accounting="paper",
            preprocessor=split.X,
            random_state=seed,
            **more,
        )
        accuracies[name] = split.accuracy(model.fit(pairs.indices, signs).components_)
    return accuracies


def plain_diagonal(split: BalancedSplit, pairs: PairSet) -> FloatArray:
    """Return the diagonal transformation from true means."""
    indicators = np.zeros(split.X.shape[1], bool) if split.indicators is None else split.indicators
    sizes = magnitudes(split.X[pairs.indices[:, 0]] - split.X[pairs.indices[:, 1]], indicators)
    far = pair_signs(split.y, pairs.indices) < 0
    means = sizes[~far].mean(axis=0), sizes[far].mean(axis=0)
    moments = PairMoments(*means, np.zeros(sizes.shape[1]), 1 / (~far).sum() + 1 / far.sum(), indicators)
    return np.diag(diagonal_weights(moments)[0])


def plain_descent(split: BalancedSplit, pairs: PairSet, *, steps: int = 50, margin_ratio: float = 1.0) -> FloatArray:
    """Return the transformation that descends the contrastive loss without noise.

    The margin is ``margin_ratio`` times the mean distance of dissimilar pairs: rho of [pairs] section 3.6.4.
    """
    differences = split.X[pairs.indices[:, 0]] - split.X[pairs.indices[:, 1]]
    far = pair_signs(split.y, pairs.indices) < 0
    margin = margin_ratio * float(np.linalg.norm(differences[far], axis=1).mean())
    W = np.eye(differences.shape[1])
    for step in range(steps):
        total = clipped_gradient_sum(W, differences, far, margin=margin, clip=1e9, norm=2)
        W = W - 0.5 / np.sqrt(step + 1) * total / len(differences)
    return W


def peer_methods(split: BalancedSplit, seed: int, *, n_pairs: int = 1_000) -> dict[str, float]:
    """Return accuracies of metric-learn's ITML and diagonal MMC without privacy, if its environment is there.

    Their solvers take minutes for all pairs, so they get fewer.
    """
    indices = chain(len(split.X), random_state=seed).indices[:n_pairs]
    pairs = {"pairs": split.X[indices], "signs": pair_signs(split.y, indices)}
    transformations = ask_peer("peer_metric_learn.py", "fit", pairs) or {}
    return {f"metric-learn {solver}, no privacy": split.accuracy(np.array(W)) for solver, W in transformations.items()}


def table(
    make_split: Callable[[int], BalancedSplit],
    *,
    seeds: int,
    printed_seeds: int,
    epsilons: Sequence[float] = EPSILONS,
) -> Iterator[ResultRow]:
    """Yield a row for each method, and for each budget where it has one."""
    splits = [make_split(seed) for seed in range(seeds)]
    yield from mean_rows(NO_BUDGET, [plain_methods(split, seed) for seed, split in enumerate(splits)])
    yield from mean_rows(NO_BUDGET, [peer_methods(splits[0], 0)])
    for epsilon in epsilons:
        runs = [private_methods(split, epsilon, seed) for seed, split in enumerate(splits)]
        yield from mean_rows(f"pair epsilon {epsilon:g}", runs)
        runs = [printed_methods(splits[seed], epsilon, seed) for seed in range(min(printed_seeds, seeds))]
        yield from mean_rows(f"pair epsilon {epsilon:g} as stated", runs)


def above_the_facts(rows: Sequence[ResultRow]) -> ResultRow:
    """Return how many private rows are above neighbours who are given the same public facts and learn from nothing."""
    (facts,) = (row.mean for row in rows if row.method == SAME_FACTS)
    private = [row for row in rows if row.setting != NO_BUDGET]
    count = sum(row.mean > facts for row in private)
    return ResultRow(f"private rows above: {SAME_FACTS}", "all budgets", f"rows of {len(private)}", float(count))
