import time
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import InputError
from tacit.numerics.pair_graph import kappa_bounds
from tacit.numerics.pair_graph_exact import exact_intransitive_kappa, exact_kappa

Edges = list[tuple[int, int]]
PATH = [(0, 1), (1, 2), (2, 3)]
STAR = [(0, other) for other in range(1, 6)]
TRIANGLE = [(0, 1), (1, 2), (2, 0)]
# [pairs] figure 3.5: s 0, t 1, a 2, b 3, c 4, e 5, u 6.
FIGURE = [(0, 1), (0, 4), (4, 5), (5, 1), (4, 6), (6, 1), (0, 2), (2, 3), (3, 0)]
WINDMILL = [(0, 1), (1, 2), (2, 0), (0, 3), (3, 4), (4, 0), (0, 5), (5, 6), (6, 0)]

graphs = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda edge: edge[0] != edge[1]), min_size=1, max_size=20
)


@pytest.mark.parametrize(
    ("edges", "exact", "second", "prime", "degree", "intransitive"),
    [
        (PATH, 1, 1, 1, 2, 1),
        (STAR, 1, 1, 1, 5, 1),
        (TRIANGLE, 2, 2, 2, 2, 1),
        (FIGURE, 3, 3, 3, 4, 2),
    ],
    ids=["path", "star", "triangle", "figure 3.5"],
)
def test_small_graphs_have_the_values_of_an_independent_computation(
    edges: Edges, exact: int, second: int, prime: int, degree: int, intransitive: int
) -> None:
    bounds = kappa_bounds(edges)
    assert (exact_kappa(edges), exact_intransitive_kappa(edges)) == (exact, intransitive)
    assert (bounds.second, bounds.prime, bounds.max_degree, bounds.intransitive) == (
        second,
        prime,
        degree,
        intransitive,
    )


def components(edges: Edges, without: int) -> dict[int, int]:
    """Return a number for each node's component once one node is gone, by joining labels until nothing changes."""
    labels = {node: node for edge in edges for node in edge if node != without}
    changed = True
    while changed:
        changed = False
        for a, b in edges:
            if without not in (a, b) and labels[a] != labels[b]:
                labels[a] = labels[b] = min(labels[a], labels[b])
                changed = True
    return labels


def slow_prime(edges: Edges) -> int:
    """Return the largest degree less the number of components that the node's removal leaves around it, plus 1."""
    best = 0
    for node in {node for edge in edges for node in edge}:
        labels = components(edges, node)
        around = [a if b == node else b for a, b in edges if node in (a, b)]
        best = max(best, len(around) - len({labels[other] for other in around}) + 1)
    return best


@given(graphs)
@settings(max_examples=150)
def test_each_bound_holds_and_is_at_most_the_next(edges: Edges) -> None:
    bounds = kappa_bounds(edges)
    assert exact_kappa(edges) <= bounds.second <= bounds.prime <= bounds.max_degree
    assert exact_intransitive_kappa(edges) <= bounds.intransitive <= bounds.second
    assert bounds.prime == slow_prime(edges)


def test_people_of_two_components_may_need_more_than_the_second_of_each() -> None:
    """Two windmills: each hub lies on three cycles, and nobody else on more than one."""
    two = WINDMILL + [(a + 10, b + 10) for a, b in WINDMILL]
    assert kappa_bounds(WINDMILL).second == 2
    assert exact_kappa(two) == kappa_bounds(two).second == 3


def test_a_repeated_pair_is_a_second_edge() -> None:
    assert exact_kappa([(0, 1), (1, 0)]) == kappa_bounds([(0, 1), (1, 0)]).second == 2


def test_the_names_of_people_do_not_matter() -> None:
    renamed = [(7 * a + 1000, 7 * b + 1000) for a, b in FIGURE]
    assert kappa_bounds(renamed) == kappa_bounds(FIGURE)


@pytest.mark.parametrize(
    "pairs", [[], [(0, 0)], [(0.5, 1.0)], [0, 1], [(0, 1, 2)]], ids=["none", "self", "floats", "flat", "triple"]
)
def test_what_is_no_set_of_pairs_is_refused(pairs: Iterable[object]) -> None:
    with pytest.raises(InputError, match="pairs"):
        kappa_bounds(pairs)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_million_edges_take_seconds() -> None:
    rng = np.random.default_rng(0)
    edges = rng.integers(0, 500_000, (1_000_000, 2))
    edges = edges[edges[:, 0] != edges[:, 1]]
    start = time.process_time()
    bounds = kappa_bounds(edges)
    assert time.process_time() - start < 10
    assert 1 < bounds.second <= bounds.prime <= bounds.max_degree


def test_a_long_path_and_a_wide_star_need_no_recursion() -> None:
    steps = np.arange(100_000)
    assert kappa_bounds(np.stack([steps, steps + 1], axis=1)).prime == 1
    assert kappa_bounds(np.stack([np.zeros_like(steps), steps + 1], axis=1)).prime == 1
