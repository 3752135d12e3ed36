"""Public chance is the same as before scikit-learn was left out."""

import numpy as np
from sklearn.utils import check_random_state

from tacit.numerics.public_random import public_random, quick_generator


def test_a_seed_gives_the_numbers_of_scikit_learn() -> None:
    assert public_random(7).normal(size=5).tolist() == check_random_state(7).normal(size=5).tolist()


def test_a_generator_is_passed_on_and_none_is_fresh() -> None:
    generator = public_random(0)
    assert public_random(generator) is generator
    assert public_random().random() != public_random().random()


def test_a_quick_generator_starts_where_the_slow_one_says() -> None:
    first, second, other = (quick_generator(public_random(seed)).standard_normal(5) for seed in (1, 1, 2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)
    random = public_random(3)
    assert not np.array_equal(quick_generator(random).random(4), quick_generator(random).random(4))
