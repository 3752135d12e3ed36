"""Noisy descent of a softmax layer against formulas written out."""

import math

import numpy as np
import pytest
from scipy.special import softmax

from tacit.adoption.pictures.private_head import CLIP, SENSITIVITY, STEPS, descend_head, head_gradient, plan_head
from tacit.errors import BudgetError

random = np.random.RandomState(0)
CENTRES = np.array([[1.0, 0.0], [-0.5, 0.8], [-0.5, -0.8]])
CODES = np.arange(3000) % 3
X = CENTRES[CODES] + 0.3 * random.normal(size=(3000, 2))
X = np.column_stack([X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1), np.full(3000, 0.5)])
X = np.rint(0.85 * X * 2**15) / 2**15


def test_the_gradient_is_the_sum_of_shortened_outer_products() -> None:
    head = random.normal(size=(3, 3))
    total = np.zeros((3, 3))
    for row, code in zip(X[:50], CODES[:50], strict=True):
        residual = softmax(row @ head) - np.eye(3)[code]
        residual *= min(1.0, CLIP / np.linalg.norm(residual))
        total += np.outer(row, residual)
    assert head_gradient(X[:50], CODES[:50], head) == pytest.approx(total, abs=1e-3)


def test_one_row_more_moves_the_gradient_by_its_own_part_alone() -> None:
    head = random.normal(size=(3, 3))
    whole, rest, one = (head_gradient(X[s], CODES[s], head) for s in (slice(0, 200), slice(1, 200), slice(0, 1)))
    assert np.array_equal(whole - rest, one)
    assert np.linalg.norm(one) <= SENSITIVITY


def test_noise_follows_the_budget_of_all_steps_together() -> None:
    plan = plan_head(3, 3, epsilon=1.0, delta=1e-6)
    weak = plan_head(3, 3, epsilon=0.1, delta=1e-6)
    assert weak.mechanism.sigma > 5 * plan.mechanism.sigma
    # A Gaussian of mu has epsilon 1 and delta 1e-6 at mu of about a quarter.
    mu = SENSITIVITY * math.sqrt(STEPS + 1) / plan.mechanism.sigma
    assert 0.2 < mu < 0.3
    with pytest.raises(BudgetError, match="delta must be above 0"):
        plan_head(3, 3, epsilon=1.0, delta=0.0)


def test_an_answer_learns_and_mends_a_wrong_start() -> None:
    plan = plan_head(3, 3, epsilon=5.0, delta=1e-6)
    wrong = np.zeros((3, 3))
    wrong[0] = [-1.0, 1.0, 1.0]
    account = plan.plan.open(random_state=0)
    head = descend_head(X, CODES, wrong, plan, account)
    assert ((X @ head).argmax(axis=1) == CODES).mean() > 0.9 > ((X @ wrong).argmax(axis=1) == CODES).mean()
    assert account.card("x", adjacency="y", assumptions=[], not_protected=[]).epsilon == 5.0


def test_a_descent_of_much_noise_leaves_a_good_start_as_good_as_it_was() -> None:
    good = 10.0 * np.column_stack([CENTRES, np.zeros(3)]).T
    before = ((X @ good).argmax(axis=1) == CODES).mean()
    assert before > 0.9
    plan = plan_head(3, 3, epsilon=0.01, delta=1e-6)
    for seed in range(20):
        head = descend_head(X, CODES, good, plan, plan.plan.open(random_state=seed))
        assert ((X @ head).argmax(axis=1) == CODES).mean() > before - 0.005
