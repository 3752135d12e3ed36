"""What the tables of pair metrics share: the methods, the measure, and the peers without privacy."""

import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray
from tacit.data.datasets import TableSet
from tacit.data.pairs import PairSet, balanced_pairs, chain, pair_signs
from tacit.experiments.registry import Row
from tacit.kinds.pair_metric.plan import difference_radius, feature_scales, indicator_columns
from tacit.models.pair_metric.diagonal import PairMoments, diagonal_weights, magnitudes
from tacit.models.pair_metric.metric import PairMetric
from tacit.models.pair_metric.solvers import DiagonalSettings, PrintedSettings
from tacit.numerics.contrastive import clipped_gradient_sum

EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)
DENSITY = 2.0  # [pairs] section 3.6.2
NEIGHBOURS = 5
TRAIN_SHARE = 0.8
PRINTED_PASSES = 3
PEERS = Path(".venv-peers/bin/python")
# Fits metric-learn's solvers on pairs saved by this process and writes their transformations.
PEER_SCRIPT = """
import sys, warnings
import numpy as np
from metric_learn import ITML, MMC
warnings.simplefilter("ignore")
data = np.load(f"{sys.argv[1]}/pairs.npz")
for name, solver in (("ITML", ITML(random_state=0)), ("MMC", MMC(diagonal=True, random_state=0))):
    np.save(f"{sys.argv[1]}/{name}.npy", solver.fit(data["pairs"], data["signs"]).components_)
"""

Codes = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Split:
    """Balanced rows in [0, 1] to learn from and to be tested on, with public facts for the private query."""

    X: FloatArray
    y: Codes
    X_test: FloatArray
    y_test: Codes
    radius: float | None = None  # of differences, in 2-norm
    length: float | None = None  # and in 1-norm
    scales: FloatArray | None = None
    indicators: NDArray[np.bool_] | None = None

    def accuracy(self, W: FloatArray) -> float:
        """Return how often the nearest neighbours among the learning rows are right after the transformation."""
        # Distances of float32 rows are twice as fast and change no figure shown.
        learner = KNeighborsClassifier(NEIGHBOURS, algorithm="brute").fit((self.X @ W.T).astype(np.float32), self.y)
        return float(learner.score((self.X_test @ W.T).astype(np.float32), self.y_test))


def balanced_split(data: TableSet, seed: int, *, tested: int | None = None) -> Split:
    """Return as many rows of each class as the smaller one has, four fifths to learn from, ``tested`` of the others."""
    encoded = data.encode(labels="required")
    X, y = np.asarray(encoded.X, dtype=np.float64), np.asarray(encoded.y)
    randomness = check_random_state(seed)
    size = int(np.bincount(y).min())
    kept = np.concatenate([randomness.permutation(np.flatnonzero(y == code))[:size] for code in np.unique(y)])
    kept = randomness.permutation(kept)
    train, rest = np.split(kept, [round(TRAIN_SHARE * len(kept))])
    test = rest[:tested]
    facts = feature_scales(data.schema), indicator_columns(data.schema)
    radius, length = (difference_radius(data.schema, norm=norm) for norm in (2, 1))
    return Split(X[train], y[train], X[test], y[test], radius, length, *facts)


def plain_methods(split: Split, seed: int) -> dict[str, float]:
    """Return accuracies that no budget changes: Euclidean, and learned without privacy."""
    pairs = chain(len(split.X), random_state=seed)
    return {
        "Euclidean": split.accuracy(np.eye(split.X.shape[1])),
        "no privacy, diagonal": split.accuracy(plain_diagonal(split, pairs)),
        "no privacy, descent": split.accuracy(plain_descent(split, pairs)),
    }


def private_methods(split: Split, epsilon: float, seed: int) -> dict[str, float]:
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


def printed_methods(split: Split, epsilon: float, seed: int) -> dict[str, float]:
    """Return accuracies of [pairs] Alg. 1 as printed, on pairs chosen as there; its guarantee does not hold."""
    pairs = balanced_pairs(split.y, DENSITY, random_state=seed)
    signs = pair_signs(split.y, pairs.indices)
    dpp = PrintedSettings(passes=PRINTED_PASSES)
    settings: dict[str, dict[str, Any]] = {
        "printed DPP": {"solver": dpp},
        "printed DPP-S": {"solver": PrintedSettings(reduced=True, passes=PRINTED_PASSES)},
        "printed Node DP": {"solver": dpp, "kappa": "degree"},
    }
    found = {}
    for name, more in settings.items():
        model = PairMetric(
            epsilon,
            bounds=(0, 1),
            accounting="paper",
            preprocessor=split.X,
            random_state=seed,
            **more,
        )
        found[name] = split.accuracy(model.fit(pairs.indices, signs).components_)
    return found


def plain_diagonal(split: Split, pairs: PairSet) -> FloatArray:
    """Return the diagonal transformation from true means."""
    indicators = np.zeros(split.X.shape[1], bool) if split.indicators is None else split.indicators
    sizes = magnitudes(split.X[pairs.indices[:, 0]] - split.X[pairs.indices[:, 1]], indicators)
    far = pair_signs(split.y, pairs.indices) < 0
    means = sizes[~far].mean(axis=0), sizes[far].mean(axis=0)
    moments = PairMoments(*means, np.zeros(sizes.shape[1]), 1 / (~far).sum() + 1 / far.sum(), indicators)
    return np.diag(diagonal_weights(moments)[0])


def plain_descent(split: Split, pairs: PairSet, *, steps: int = 50) -> FloatArray:
    """Return the transformation that descends the contrastive loss without noise, margin the mean distance."""
    differences = split.X[pairs.indices[:, 0]] - split.X[pairs.indices[:, 1]]
    far = pair_signs(split.y, pairs.indices) < 0
    margin = float(np.linalg.norm(differences[far], axis=1).mean())
    W = np.eye(differences.shape[1])
    for step in range(steps):
        total = clipped_gradient_sum(W, differences, far, margin=margin, clip=1e9, norm=2)
        W = W - 0.5 / np.sqrt(step + 1) * total / len(differences)
    return W


def peer_methods(split: Split, seed: int, *, n_pairs: int = 1_000) -> dict[str, float]:
    """Return accuracies of metric-learn's ITML and diagonal MMC without privacy, if its environment is there.

    Their solvers take minutes for all pairs, so they get fewer.
    """
    if not PEERS.exists():
        return {}
    indices = chain(len(split.X), random_state=seed).indices[:n_pairs]
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder) / "pairs.npz", pairs=split.X[indices], signs=pair_signs(split.y, indices))
        command = [str(PEERS), "-c", PEER_SCRIPT, folder]
        done = subprocess.run(command, check=False, capture_output=True)  # noqa: S603 - our own script
        files = [] if done.returncode else sorted(Path(folder).glob("*.npy"))
        return {f"metric-learn {file.stem}, no privacy": split.accuracy(np.load(file)) for file in files}


def table(make_split: Callable[[int], Split], *, seeds: int, printed_seeds: int) -> Iterator[Row]:
    """Yield a row for each method, and for each budget where it has one."""
    splits = [make_split(seed) for seed in range(seeds)]
    yield from _rows("no budget", [plain_methods(split, seed) for seed, split in enumerate(splits)])
    yield from _rows("no budget", [peer_methods(splits[0], 0)])
    for epsilon in EPSILONS:
        runs = [private_methods(split, epsilon, seed) for seed, split in enumerate(splits)]
        yield from _rows(f"pair epsilon {epsilon:g}", runs)
        runs = [printed_methods(splits[seed], epsilon, seed) for seed in range(printed_seeds)]
        yield from _rows(f"pair epsilon {epsilon:g} as stated", runs)


def _rows(setting: str, runs: Sequence[Mapping[str, float]]) -> Iterator[Row]:
    for method in runs[0]:
        values = [run[method] for run in runs]
        yield Row(method, setting, "accuracy", float(np.mean(values)), float(np.std(values)), len(values))
