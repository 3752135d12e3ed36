"""The probability of a right guess that a guarantee allows."""

import math


def best_guess(epsilon: float, delta: float) -> float:
    """Return the largest probability of guessing right, after a fair coin, which of two neighbouring tables it was.

    (e^epsilon + delta) / (e^epsilon + 1), whatever else the guesser knows [composition]: 1/2 is a coin toss, 1 is
    certainty. It bounds how surely the release shows that one unit was in the table.
    """
    # Written with e^-epsilon, which cannot overflow.
    tail = math.exp(-epsilon)
    return min((1 + delta * tail) / (1 + tail), 1.0)
