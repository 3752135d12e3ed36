"""What a guarantee means to somebody who guesses."""

import math


def best_guess(epsilon: float, delta: float) -> float:
    """Return the largest probability of guessing right, after a fair coin, which of two neighbouring tables it was.

    (e^epsilon + delta) / (e^epsilon + 1), whatever else the guesser knows [composition]: 1/2 tells nothing, 1 tells
    all. It bounds how surely the release shows that one unit was in the table.
    """
    # Written with e^-epsilon, which cannot overflow.
    tail = math.exp(-epsilon)
    return min((1 + delta * tail) / (1 + tail), 1.0)
