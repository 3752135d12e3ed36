"""How many rows private logistic regression needs to come near a given predictor: the order of it, not the constant."""

import math
from dataclasses import dataclass

from tacit import checks


@dataclass(frozen=True)
class SampleSizeGoal:
    """What is asked of the learned weights: an excess loss of at most ``excess`` except with probability ``failure``.

    The excess is in expected logistic loss on rows of norm at most 1, over that of a reference predictor of norm
    ``length``.
    """

    excess: float
    failure: float
    length: float = 1.0

    def __post_init__(self) -> None:
        checks.positive("excess", self.excess)
        checks.fraction("failure", self.failure)
        checks.positive("length", self.length)


def rows_needed(goal: SampleSizeGoal, *, epsilon: float, dimension: int, constant: float = 1.0) -> float:
    """Return the order of the number of rows that Alg. 1 needs for ``goal``: [pptl] Proposition 2, eq. 3.

    constant max(|w|² log(1/f)/e², d log(d/f) |w|/(e epsilon), |w|²/(e epsilon)), with regularisation e/|w|². The paper
    names no constant.
    """
    statistical = goal.length**2 * math.log(1 / goal.failure) / goal.excess**2
    noise = dimension * math.log(dimension / goal.failure) * goal.length / (goal.excess * epsilon)
    curvature = goal.length**2 / (goal.excess * epsilon)
    return constant * max(statistical, noise, curvature)


def group_rows_needed(
    goal: SampleSizeGoal, *, epsilon: float, dimension: int, n_groups: int, share: float, constant: float = 1.0
) -> float:
    """Return the same for one of K groups of d/K features with the part q of epsilon: [pptl] Proposition 4, eq. 7.

    ``goal.length`` is that of the group's reference predictor on rows of norm q; a = q |w| takes its place.
    """
    length = share * goal.length
    statistical = length**2 * math.log(1 / goal.failure) / goal.excess**2
    size = dimension / n_groups
    noise = size * math.log(size / goal.failure) * length / (share * goal.excess * epsilon)
    curvature = length**2 / (goal.excess * epsilon)
    return constant * max(statistical, noise, curvature)
