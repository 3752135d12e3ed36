"""Public chance is the same as before scikit-learn was left out."""

from sklearn.utils import check_random_state

from tacit.numerics.public_random import public_random


def test_a_seed_gives_the_numbers_of_scikit_learn() -> None:
    assert public_random(7).normal(size=5).tolist() == check_random_state(7).normal(size=5).tolist()


def test_a_generator_is_passed_on_and_none_is_fresh() -> None:
    generator = public_random(0)
    assert public_random(generator) is generator
    assert public_random().random() != public_random().random()
