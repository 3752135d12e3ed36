import numpy as np
import pytest

from tacit.data.rows.pairs import (
    AT_RANDOM,
    balanced_pairs,
    bounded_degree,
    chain,
    matching,
    pair_signs,
    random_pairs,
    signs_from_paper,
)
from tacit.errors import InputError
from tacit.numerics.pair_graph_exact import exact_kappa


def test_a_matching_has_everyone_once() -> None:
    pairs = matching(11, random_state=0)
    assert len(pairs) == 5
    assert len(np.unique(pairs.indices)) == 10
    assert (pairs.kappa, pairs.bounds.max_degree, pairs.public) == (1, 1, AT_RANDOM)


def test_a_chain_has_twice_the_pairs_and_the_same_kappa() -> None:
    pairs = chain(11, random_state=0)
    assert len(pairs) == 10
    assert len(np.unique(pairs.indices)) == 11
    assert (pairs.kappa, pairs.bounds.max_degree) == (1, 2)
    assert exact_kappa(pairs.indices) == 1


@pytest.mark.parametrize("degree", [1, 2, 5])
def test_a_bounded_degree_is_kept_and_bounds_kappa(degree: int) -> None:
    pairs = bounded_degree(60, degree, random_state=1)
    assert np.bincount(pairs.indices.ravel()).max() <= degree
    assert pairs.kappa <= degree
    assert len(np.unique(np.sort(pairs.indices, axis=1), axis=0)) == len(pairs)


def test_a_density_gives_that_many_distinct_pairs() -> None:
    pairs = random_pairs(200, 2.0, random_state=2)
    assert len(pairs) == 400
    assert len(np.unique(np.sort(pairs.indices, axis=1), axis=0)) == 400
    assert pairs.kappa > 2


def test_balanced_pairs_are_half_similar_and_say_that_labels_chose_them() -> None:
    y = np.arange(300) % 3
    pairs = balanced_pairs(y, 2.0, random_state=3)
    signs = pair_signs(y, pairs.indices)
    assert len(pairs) == pytest.approx(600, abs=2)
    assert signs.sum() == 0
    assert "labels" in pairs.public


def test_signs_follow_labels_and_the_papers_zeros_and_ones() -> None:
    assert pair_signs(["a", "b", "a"], np.array([[0, 1], [0, 2]])).tolist() == [-1, 1]
    assert signs_from_paper([0, 1, 0]).tolist() == [1, -1, 1]
    with pytest.raises(InputError, match=r"0 .similar. and 1"):
        signs_from_paper([1, -1])


def test_a_seed_repeats_the_choice() -> None:
    assert np.array_equal(chain(50, random_state=4).indices, chain(50, random_state=4).indices)
    assert not np.array_equal(chain(50, random_state=4).indices, chain(50, random_state=5).indices)


@pytest.mark.parametrize("density", [0.0, 1e-9, 1e9])
def test_impossible_densities_are_refused(density: float) -> None:
    with pytest.raises(InputError, match="density"):
        random_pairs(100, density)


def test_one_person_cannot_be_compared() -> None:
    with pytest.raises(InputError, match="n_people"):
        chain(1)
    with pytest.raises(InputError, match="similar and dissimilar"):
        balanced_pairs(np.zeros(100), 2.0, random_state=0)
