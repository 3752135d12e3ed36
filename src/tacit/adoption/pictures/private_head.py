"""The owner's answer to a receiver's request: a softmax layer on the receiver's features, learned with noise."""

import math

import numpy as np
from scipy.special import softmax

from tacit.arrays import Codes, FloatArray
from tacit.errors import BudgetError
from tacit.numerics.exact_products import ExactMatrix
from tacit.privacy.account import Account, Plan, Step
from tacit.privacy.accounting import calibrate
from tacit.privacy.budget import Budget, Relation, Unit
from tacit.privacy.events import Event, GaussianEvent
from tacit.privacy.mechanisms import Gaussian
from tacit.records import record

# Steps of the descent, and one query for the number of rows.
STEPS = 40
# Residuals of a row are shortened to this length, and rounded to dyadic numbers; its features have length 1 at most.
CLIP, QUANTUM = 0.5, 2.0**-15
# What one row moves: its residuals' length, enlarged for the rounding of up to a thousand classes.
SENSITIVITY = CLIP + 2.0**-10
# Rows are nearly all told apart from the start, so that gradients and curvature are small and steps must be long. A
# descent of that rate ends around its goal with a variance of the rate times the square of noise over rows, which is
# kept below NOISE: few rows or much noise take short steps, and leave the start nearly as it was.
RATE, NOISE, MOMENTUM = 100.0, 1.5e-5, 0.8
BLOCK = 4096
WHAT = "the number of rows, then the gradient of a softmax layer's loss at each step"
BECAUSE = (
    f"a row adds its residuals, shortened to {CLIP:g}, times its features, of length at most 1; the number of rows is "
    "multiplied by the same sensitivity"
)


@record
class HeadPlan:
    """What an answer will draw: as many Gaussian queries as steps, and one for the number of rows."""

    mechanism: Gaussian
    plan: Plan


def plan_head(n_features: int, n_classes: int, *, epsilon: float, delta: float) -> HeadPlan:
    """Return the plan for features [N, n_features]; nothing is charged.

    Equal Gaussians compose to one of sigma/sqrt(times) [gdp].
    """
    budget = Budget(epsilon, delta, unit=Unit.RECORD)
    if budget.delta == 0:
        raise BudgetError("delta must be above 0 for an answer, whose noise is Gaussian; got 0. Try 1e-6.")

    def mechanism(level: float) -> Gaussian:
        return Gaussian(level, SENSITIVITY, n_features * n_classes)

    def event(level: float) -> Event:
        one, times = mechanism(level).event, STEPS + 1
        return GaussianEvent(one.sigma, one.sensitivity * math.sqrt(times), min(one.bias * times, 0.5))

    perturbation = mechanism(calibrate(event, budget))
    step = Step(perturbation, WHAT, BECAUSE, STEPS + 1, relation=Relation.ADD_REMOVE)
    return HeadPlan(perturbation, Plan(budget, (step,), n_features, exact=()))


def head_gradient(features: FloatArray, codes: Codes, head: FloatArray) -> FloatArray:
    """Return the sum over rows of features times shortened residuals softmax(features head) - one-hot [k, C].

    Adding one row moves it by at most SENSITIVITY in 2-norm: |phi| |r| with |phi| at most 1 and |r| at most CLIP.
    """
    total = np.zeros(head.shape)
    for start in range(0, len(features), BLOCK):
        rows, truth = features[start : start + BLOCK], codes[start : start + BLOCK]
        residuals = softmax(_scores(rows, head), axis=1)
        residuals[np.arange(len(truth)), truth] -= 1
        lengths = np.linalg.norm(residuals, axis=1, keepdims=True)
        residuals *= np.minimum(1.0, CLIP / np.maximum(lengths, 1e-12))
        # Products of dyadic numbers are summed exactly, so that no row moves the last digits of all others.
        total += rows.T @ (np.rint(residuals / QUANTUM) * QUANTUM)
    return total


def descend_head(features: FloatArray, codes: Codes, start: FloatArray, plan: HeadPlan, account: Account) -> FloatArray:
    """Return the mean of the last half of the iterates of noisy gradient descent from ``start`` [k, C]."""
    size = np.zeros(start.shape)
    size[0, 0] = SENSITIVITY * len(features)
    n_rows = max(float(account.release(plan.mechanism, size)[0, 0]) / SENSITIVITY, 1.0)
    rate = min(RATE, NOISE * (n_rows / plan.mechanism.sigma) ** 2) / n_rows
    head, velocity, mean = start.copy(), np.zeros(start.shape), np.zeros(start.shape)
    for step in range(STEPS):
        noisy = account.release(plan.mechanism, head_gradient(features, codes, head))
        velocity = MOMENTUM * velocity + noisy
        head = head - rate * velocity
        if step >= STEPS // 2:
            mean += head / (STEPS - STEPS // 2)
    return mean


def _scores(rows: FloatArray, head: FloatArray) -> FloatArray:
    """Return rows times the head, each row's rounding independent of the block that it stands in."""
    return ExactMatrix.of(head, largest=1.0)(rows)
