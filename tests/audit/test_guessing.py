"""The best guess against the best of all decision rules on the worst pair of distributions."""

import itertools
import math

import pytest

from tacit.audit.guessing import best_guess


def guess_by_enumeration(epsilon: float, delta: float) -> float:
    """Return the success of the best rule on the pair of four-point laws that every (epsilon, delta) pair is below."""
    heavy = (1 - delta) * math.exp(epsilon) / (1 + math.exp(epsilon))
    light = (1 - delta) / (1 + math.exp(epsilon))
    first, second = (delta, heavy, light, 0.0), (0.0, light, heavy, delta)
    rules = itertools.product((0, 1), repeat=4)
    return max(
        sum(0.5 * (p if rule == 0 else q) for p, q, rule in zip(first, second, chosen, strict=True)) for chosen in rules
    )


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 3.0, 20.0])
@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.3])
def test_the_best_guess_is_that_of_the_worst_pair(epsilon: float, delta: float) -> None:
    assert best_guess(epsilon, delta) == pytest.approx(guess_by_enumeration(epsilon, delta), abs=1e-12)


def test_no_loss_is_a_coin_toss_and_a_huge_one_tells_all() -> None:
    assert best_guess(0, 0) == 0.5
    assert best_guess(5000, 0) == 1.0
