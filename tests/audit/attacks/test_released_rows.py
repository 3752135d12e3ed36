"""Distances to released rows against loops."""

import numpy as np
import pytest

from tacit.audit.attacks.outcome import outcome
from tacit.audit.attacks.released_rows import nearest_distances, own_class_distances
from tacit.errors import InputError


def test_distances_are_those_of_a_loop() -> None:
    generator = np.random.default_rng(0)
    X, released = generator.random((20, 3)), generator.random((7, 3))
    y, labels = np.arange(20) % 3, np.arange(7) % 2
    by_hand = [min(float(np.linalg.norm(x - r)) for r in released) for x in X]
    np.testing.assert_allclose(nearest_distances(X, released), by_hand)
    own = own_class_distances(X, y, released, labels)
    for place, (x, code) in enumerate(zip(X, y, strict=True)):
        if code < 2:
            assert own[place] == pytest.approx(min(np.linalg.norm(x - r) for r in released[labels == code]))
    # Of class 2 nothing was released: these rows are no nearer than any other.
    assert (own[y == 2] == own[y < 2].max()).all()


def test_a_copied_row_lies_at_exactly_nothing() -> None:
    X = 1e3 + np.random.default_rng(1).random((50, 8))
    assert (nearest_distances(X, X[::-1]) == 0).all()


def test_one_row_and_no_known_class_are_enough() -> None:
    X = np.array([[0.0, 0.0], [3.0, 4.0]])
    assert nearest_distances(X, X[:1]).tolist() == [0.0, 5.0]
    assert own_class_distances(X, np.array([1, 1]), X[:1], np.array([0])).tolist() == [0.0, 0.0]


def test_rows_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="as many columns as X, one at least"):
        nearest_distances(np.zeros((2, 3)), np.zeros((2, 4)))
    with pytest.raises(InputError, match="one at least"):
        nearest_distances(np.zeros((2, 3)), np.zeros((0, 3)))


def test_rows_handed_out_with_little_noise_are_found_and_with_much_are_not() -> None:
    generator = np.random.default_rng(2)
    members, others = generator.random((200, 10)), generator.random((200, 10))
    outcomes = {}
    for noise in (0.01, 10.0):
        released = members + generator.normal(0, noise, members.shape)
        outcomes[noise] = outcome("", -nearest_distances(members, released), -nearest_distances(others, released))
    assert outcomes[0.01].area == 1.0
    assert outcomes[10.0].area_interval[0] < 0.5 < outcomes[10.0].area_interval[1]
