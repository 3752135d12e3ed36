from typing import Any

import numpy as np
import pytest

from tacit.numerics.kernels import Floats
from tacit.numerics.landmarks import cluster_centres, nearest_centres


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def slow_lloyd(X: Floats, starts: Floats, steps: int) -> Floats:
    centres = [np.asarray(start) for start in starts]
    for _ in range(steps):
        members: list[list[Any]] = [[] for _ in centres]
        for x in X:
            members[int(np.argmin([((x - c) ** 2).sum() for c in centres]))].append(x)
        centres = [np.mean(m, axis=0) for m in members if m]
    return np.array(centres)


@pytest.mark.parametrize("steps", [0, 1, 3, 10])
def test_centres_equal_a_loop(steps: int, rng: np.random.Generator) -> None:
    X, order = rng.normal(size=(200, 3)), rng.permutation(200)
    fast = cluster_centres(X, 12, order=order, max_steps=steps)
    assert np.allclose(fast, slow_lloyd(X, X[order[:12]], steps), atol=1e-12)


def test_more_steps_bring_the_centres_nearer(rng: np.random.Generator) -> None:
    X, order = rng.normal(size=(500, 4)), rng.permutation(500)

    def spread(steps: int) -> float:
        centres = cluster_centres(X, 20, order=order, max_steps=steps)
        return float(((X - centres[nearest_centres(X, centres)[:, 0]]) ** 2).sum())

    assert spread(0) > spread(1) > spread(4) >= spread(10)


def test_the_nearest_centres_are_the_nearest_even_far_from_the_origin(rng: np.random.Generator) -> None:
    X, C = rng.normal(size=(80, 3)) + 1e5, rng.normal(size=(9, 3)) + 1e5
    order = np.argsort(((X[:, None] - C[None]) ** 2).sum(-1), axis=1)
    assert np.array_equal(nearest_centres(X, C)[:, 0], order[:, 0])
    assert np.array_equal(np.sort(nearest_centres(X, C, 3)), np.sort(order[:, :3]))


def test_a_table_of_many_blocks_gives_the_same_answer(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    X, C = rng.normal(size=(300, 3)), rng.normal(size=(9, 3))
    whole = nearest_centres(X, C, 2)
    monkeypatch.setattr("tacit.numerics.blocks.row_blocks.__kwdefaults__", {"entries": 100})
    assert np.array_equal(np.sort(nearest_centres(X, C, 2)), np.sort(whole))


def test_equal_rows_share_one_centre(rng: np.random.Generator) -> None:
    X = np.repeat(rng.normal(size=(3, 2)), 20, axis=0)
    centres = cluster_centres(X, 30, order=rng.permutation(60))
    assert np.allclose(np.unique(centres.round(12), axis=0), np.unique(X.round(12), axis=0))
    assert len(centres) == 3


def test_one_cluster_is_the_mean(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 2))
    assert np.allclose(cluster_centres(X, 1, order=np.arange(50)), X.mean(axis=0))


def test_as_many_clusters_as_rows_are_the_rows(rng: np.random.Generator) -> None:
    X, order = rng.normal(size=(50, 2)), rng.permutation(50)
    assert np.allclose(cluster_centres(X, 50, order=order), X[order])


def test_float32_stays_float32(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 2)).astype(np.float32)
    assert cluster_centres(X, 5, order=np.arange(50)).dtype == np.float32
