"""What the attack on a desk's scores gains, where the truth is known."""

import numpy as np
import pytest

from tacit.audit.desk_leak import noisy_leak, rounding_leaks
from tacit.errors import InputError


def test_enough_exact_answers_give_everyone_away() -> None:
    (leak,) = rounding_leaks(60, queries=(600,), decimals=(9,), seed=0)
    assert leak.advantage > 0.95


def test_fewer_digits_and_fewer_queries_leak_less() -> None:
    leaks = rounding_leaks(150, queries=(20, 150), decimals=(1, 2, 4), seed=0)
    advantages = {(leak.queries, leak.answers): leak.advantage for leak in leaks}
    assert advantages[150, "4 decimals"] > advantages[150, "2 decimals"] > advantages[150, "1 decimals"] + 0.1
    assert advantages[150, "4 decimals"] > advantages[20, "4 decimals"] + 0.3


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_noise_keeps_the_advantage_below_what_epsilon_allows(epsilon: float) -> None:
    advantages = [noisy_leak(80, queries=300, epsilon=epsilon, delta=1e-6, seed=s).advantage for s in range(4)]
    # True minus false positive rate is at most (e^epsilon − 1 + 2 delta) / (e^epsilon + 1) [composition].
    assert np.mean(advantages) < np.tanh(epsilon / 2) + 0.1
    assert np.mean(advantages) < rounding_leaks(80, queries=(300,), decimals=(4,), seed=0)[0].advantage


def test_an_attack_that_would_take_for_ever_is_refused() -> None:
    with pytest.raises(InputError, match="at most 5000"):
        rounding_leaks(100_000, queries=(10,), decimals=(2,))
