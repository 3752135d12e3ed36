import numpy as np
import pytest

from tacit.data.rows.pairs import pair_signs
from tacit.errors import InputError
from tacit.models.pair_metric.inputs import (
    GRAPH_DECLARED,
    KAPPA_DECLARED,
    dissimilar,
    from_classes,
    from_features,
    from_indices,
    kappa_of,
    pairs_of_rows,
)

X = np.random.default_rng(0).random((30, 4))
Y = np.arange(30) % 3
EDGES = np.array([[0, 1], [0, 2], [3, 4], [0, 5]])


def test_rows_with_classes_become_pairs_that_are_similar_within_a_class() -> None:
    pairs = from_classes(X, Y, "chain", 0)
    indices = pairs_of_rows(30, "chain", 0).indices
    assert np.array_equal(pairs.first, X[indices[:, 0]])
    assert np.array_equal(pairs.dissimilar, pair_signs(Y, indices) < 0)
    assert "drawn at random" in pairs.public


def test_indices_name_rows_of_a_table() -> None:
    pairs = from_indices(EDGES, [1, -1, 1, -1], X)
    assert np.array_equal(pairs.second, X[[1, 2, 4, 5]])
    assert pairs.dissimilar.tolist() == [False, True, False, True]
    assert pairs.graph is not None
    assert pairs.graph.max_degree == 3
    assert pairs.public == GRAPH_DECLARED


def test_features_say_nothing_of_who_occurs_twice() -> None:
    pairs = from_features(X[EDGES], [1, -1, 1, -1])
    assert pairs.graph is None
    assert pairs.public == KAPPA_DECLARED
    assert pairs.differences((0, 2)) == pytest.approx((X[EDGES[:, 0]] - X[EDGES[:, 1]]) / 2)


@pytest.mark.parametrize(("topology", "most"), [("chain", 2), ("matching", 1), (3, 3)])
def test_a_topology_bounds_how_often_a_row_occurs(topology: str | int, most: int) -> None:
    indices = pairs_of_rows(30, topology, 0).indices
    assert np.bincount(indices.ravel()).max() <= most


def test_a_density_is_pairs_for_each_row() -> None:
    assert len(pairs_of_rows(30, 2.0, 0).indices) == 60


def test_kappa_is_a_number_or_a_bound_on_the_graph() -> None:
    graph = from_indices(EDGES, [1] * 4, X).graph
    assert graph is not None
    assert kappa_of(7, None, transitive=True) == 7
    assert kappa_of("degree", graph, transitive=True) == 3
    assert kappa_of("prime", graph, transitive=True) == graph.prime
    assert kappa_of("second", graph, transitive=True) == graph.second
    assert kappa_of("second", graph, transitive=False) == graph.intransitive
    with pytest.raises(InputError, match="kappa must be a whole number when pairs are given as features"):
        kappa_of("second", None, transitive=True)
    with pytest.raises(InputError, match="kappa must be one of"):
        kappa_of("third", graph, transitive=True)


def test_malformed_pairs_are_refused() -> None:
    with pytest.raises(InputError, match="at least two rows"):
        from_classes(X[:1], Y[:1], "chain", 0)
    with pytest.raises(InputError, match="two classes"):
        from_classes(X, np.zeros(30), "chain", 0)
    with pytest.raises(InputError, match="indices from 0 to 29"):
        from_indices(np.array([[0, 30]]), [1], X)
    with pytest.raises(InputError, match=r"array \[K, 2, p\]"):
        from_features(X[EDGES][:, :1], [1] * 4)
    with pytest.raises(InputError, match="one label for each of 4 pairs"):
        dissimilar([1, -1], 4)
    with pytest.raises(InputError, match="signs_from_paper"):
        dissimilar([0, 1], 2)
    with pytest.raises(InputError, match="topology must be one of"):
        pairs_of_rows(30, "ring", 0)
