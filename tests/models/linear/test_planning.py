"""What feature-split regressions will draw, against formulas written out."""

import math
from typing import Any

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.hypothesis import PriorWeights, no_prior
from tacit.models.linear.planning import (
    PublicNumbers,
    SplitSettings,
    plan_average,
    plan_paper,
    plan_split,
    plan_stack,
    printed_epsilon,
)
from tacit.privacy import accounting
from tacit.privacy.account import plan_event
from tacit.privacy.mechanisms import StackedPerturbation
from tacit.privacy.mechanisms.objective import CLOSING_SHARE, chaudhuri_setting, loss_supremum

FIFTHS = FeatureSplit.random(10, 5)
# So little regularisation that noise for epsilon instead of epsilon' costs more than epsilon.
WEAK = SplitSettings(accounting="paper", regularization=1e-4)


def blank(split: FeatureSplit) -> PriorWeights:
    return no_prior(split, 10, 2)


def test_the_printed_accounting_agrees_with_an_independent_implementation() -> None:
    q, curvature = np.full(5, 0.2), np.full(5, 400 * 0.001)
    assert printed_epsilon(1.0, q, curvature) == pytest.approx(0.7530738741, abs=1e-9)
    # Noise for epsilon instead of epsilon' is what line 6 draws: by the printed deductions it costs more,
    assert 1.0 + (1.0 - printed_epsilon(1.0, q, curvature)) == pytest.approx(1.2469261259, abs=1e-9)
    # by the exact loss it happens to hold here, where n lambda is just 2 q²/(q epsilon).
    assert math.fsum(loss_supremum(0.5, n, r) for n, r in zip(curvature, q, strict=True)) == pytest.approx(1.0)


@pytest.mark.parametrize("shares", [(1, 1, 1, 1, 1), (16, 4, 2, 1, 1)])
@pytest.mark.parametrize("epsilon", [0.3, 4.0])
def test_the_groups_together_cost_epsilon(shares: tuple[float, ...], epsilon: float) -> None:
    split = FeatureSplit(FIFTHS.positions, shares)
    plan = plan_average(blank(split), PublicNumbers(epsilon, 500, 3), SplitSettings())
    assert accounting.epsilon(plan_event(plan.steps), delta=0) == pytest.approx(epsilon)
    for mechanism, share in zip(plan.groups, split.shares, strict=True):
        assert mechanism.event.epsilon == pytest.approx(epsilon * share / 3)
        # Rows of norm q with noise of rate epsilon/2 are rows of norm 1 with rate q epsilon/2.
        assert mechanism.beta == pytest.approx(epsilon / 3 / 2 * share, rel=1e-3)


def test_stacking_costs_epsilon_and_each_half_has_all_of_it() -> None:
    plan = plan_stack(blank(FIFTHS), PublicNumbers(2.0, 101, 1), SplitSettings("stack"))
    assert accounting.epsilon(plan_event(plan.steps), delta=0) == pytest.approx(2.0)
    # A ten-thousandth is kept for rows that go from one half to the other and meet two solvers.
    assert sum(each.event.epsilon for each in plan.groups) == pytest.approx(2.0 / 1.0001)
    assert {each.curvature for each in plan.groups} == {51.0}


def test_the_printed_algorithm_is_charged_what_it_costs_and_warns() -> None:
    numbers = PublicNumbers(4.0, 400, 1)
    weak = plan_paper(blank(FIFTHS), numbers, WEAK)
    assert weak.epsilon > 4.01
    assert "line 6" in weak.warning
    strong = plan_paper(blank(FIFTHS), numbers, SplitSettings(accounting="paper"))
    assert strong.epsilon == pytest.approx(4.0, rel=1e-3)
    assert not strong.warning


def test_the_printed_regularisation_is_that_of_algorithm_3() -> None:
    """n = 400, lambda = 0.001, five groups of share 1/5: epsilon' is 0.753, and nothing is multiplied by q squared."""
    settings = SplitSettings(accounting="paper", regularization=1e-3)
    plan = plan_paper(blank(FIFTHS), PublicNumbers(1.0, 400, 1), settings)
    for mechanism in plan.groups:
        # epsilon' > 0, so the noise has all of epsilon (line 6): rate 1/2 for rows of norm 1/5.
        assert mechanism.beta == pytest.approx(0.5 * 0.2)
        assert mechanism.curvature * 0.2**2 == pytest.approx(0.4)
    assert plan.epsilon == pytest.approx(1.0, rel=1e-3)


def test_the_printed_stacking_costs_the_dearest_of_its_halves_and_warns() -> None:
    numbers, settings = PublicNumbers(4.0, 401, 1), SplitSettings("stack", accounting="paper", regularization=2.5e-4)
    plan = plan_split(blank(FIFTHS), numbers, settings)
    (step,) = plan.steps
    assert isinstance(step.mechanism, StackedPerturbation)
    groups, top = step.mechanism.groups, step.mechanism.top
    # 201 rows teach the groups by Alg. 3, 200 their combination by Alg. 1 with its deduction.
    printed = plan_paper(blank(FIFTHS), PublicNumbers(4.0, 201, 1), settings).groups
    assert groups == printed
    beta, curvature = chaudhuri_setting(4.0 * (1 - CLOSING_SHARE), 200 * 2.5e-4)
    assert (top.beta, top.curvature, top.dimension) == pytest.approx((beta, curvature, 5))
    parts = [math.fsum(each.event.epsilon for each in groups), top.event.epsilon, step.mechanism.moved_epsilon]
    assert plan.epsilon == pytest.approx(max(parts))
    assert plan.epsilon > 4.01
    assert "Alg. 4 as printed promises epsilon 4" in plan.warning
    strong = plan_split(blank(FIFTHS), numbers, SplitSettings("stack", accounting="paper"))
    assert strong.epsilon == pytest.approx(4.0, rel=1e-3)
    assert not strong.warning


def test_the_printed_noise_is_that_of_algorithm_3() -> None:
    split = FeatureSplit(FIFTHS.positions, (16, 4, 2, 1, 1))
    n, lam, epsilon = 400, 0.01, 1.0
    for mechanism, q in zip(
        plan_paper(blank(split), PublicNumbers(epsilon, n, 1), SplitSettings(regularization=lam)).groups,
        split.shares,
        strict=True,
    ):
        # In the paper's scale, w = u/q: rows of norm q, rate epsilon/2, curvature n lambda.
        assert mechanism.beta / q == pytest.approx(epsilon / 2)
        assert mechanism.curvature * q**2 == pytest.approx(n * lam)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"aggregate": "vote"}, "aggregate"),
        ({"accounting": "loose"}, "accounting"),
        ({"prior_weight": 2.0}, "prior_weight"),
        ({"regularization": 0.0}, "regularization"),
    ],
)
def test_settings_are_checked_when_they_are_made(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        SplitSettings(**settings)


def two_groups(noise: tuple[float, float], scale: float = 1.0) -> PriorWeights:
    split = FeatureSplit(((0, 2), (1,)), (1.0, 1.0))
    return PriorWeights(split, scale * np.array([[1.0, 2.0, 3.0]]), np.array(noise))


def test_settings_choose_the_plan() -> None:
    numbers = PublicNumbers(1.0, 400, 1)
    average = plan_split(blank(FIFTHS), numbers, SplitSettings())
    assert average.steps == plan_average(blank(FIFTHS), numbers, SplitSettings()).steps
    stacked = plan_split(blank(FIFTHS), numbers, SplitSettings("stack"))
    assert isinstance(stacked.steps[0].mechanism, StackedPerturbation)
    assert plan_split(blank(FIFTHS), PublicNumbers(4.0, 400, 1), WEAK).warning


def test_without_a_prior_every_group_starts_from_zero() -> None:
    plan = plan_average(blank(FIFTHS), PublicNumbers(1.0, 400, 1), SplitSettings())
    assert not plan.start.any()
    # Two columns at a fifth of epsilon: 2d/(n epsilon/5), as one regression of them has.
    assert plan.regularization == pytest.approx(np.full(5, 2 * 2 / 80), rel=1e-3)
    bounded = plan_average(blank(FIFTHS), PublicNumbers(1.0, 4000, 1, bounded=True), SplitSettings())
    assert bounded.regularization == pytest.approx(np.full(5, 1500 * 2 / 800**2), rel=1e-3)
    stacked = plan_split(blank(FIFTHS), PublicNumbers(1.0, 400, 1), SplitSettings("stack"))
    assert stacked.regularization == pytest.approx(np.ones(5))


def test_the_regularisation_is_not_told_where_the_number_of_rows_is_hidden() -> None:
    numbers = PublicNumbers(1.0, None, 1, "added")
    assert plan_average(blank(FIFTHS), numbers, SplitSettings()).regularization is None
    free, held = (
        plan_average(two_groups((noise, np.inf)), numbers, SplitSettings()).groups[0].curvature
        for noise in (np.inf, 0.1)
    )
    _, left = two_groups((0.1, np.inf)).trust(0)
    assert held == pytest.approx(free / left)


def test_a_group_starts_from_its_prior_as_far_as_it_is_trusted() -> None:
    numbers, plain = PublicNumbers(1.0, 10, 1), SplitSettings(regularization=1.0)
    plan = plan_average(two_groups((2.0, np.inf)), numbers, plain)
    weight = 1 - 4 / 10  # of the squared length 1 + 9
    assert plan.start == pytest.approx(np.array([[weight, 0.0, 3 * weight]]))
    assert plan.groups[0].curvature == 10


def test_a_prior_holds_its_group_by_the_ridge_of_least_error() -> None:
    numbers = PublicNumbers(0.1, 100, 1)
    prior = two_groups((0.01, np.inf), scale=0.01)
    plan = plan_average(prior, numbers, SplitSettings())
    plain = plan_average(two_groups((np.inf, np.inf)), numbers, SplitSettings())
    share, left = prior.trust(0)
    assert left < 1
    assert plan.groups[0].curvature == pytest.approx(100 * 1500 * 2 / ((100 * 0.05) ** 2 * left))
    assert plan.groups[1].curvature == plain.groups[1].curvature
    assert plan.start == pytest.approx(0.01 * share * np.array([[1.0, 0.0, 3.0]]))


def test_stacking_shortens_long_priors_to_the_length_that_its_margins_are_made_for() -> None:
    numbers = PublicNumbers(1.0, 100, 1)
    plan = plan_split(two_groups((0.1, np.inf)), numbers, SplitSettings("stack"))
    share, _ = two_groups((0.1, np.inf)).trust(0)
    assert np.linalg.norm(plan.start) == pytest.approx(share / 3)
    short = plan_split(two_groups((0.01, np.inf), scale=0.1), numbers, SplitSettings("stack"))
    share, _ = two_groups((0.01, np.inf), scale=0.1).trust(0)
    assert np.linalg.norm(short.start) == pytest.approx(share * 0.1 * math.sqrt(10))
    asked = plan_split(two_groups((0.1, np.inf)), numbers, SplitSettings("stack", prior_weight=0.5))
    assert asked.start == pytest.approx(np.array([[0.5, 0.0, 1.5]]))


def test_a_given_weight_of_the_prior_is_taken_as_it_is() -> None:
    numbers = PublicNumbers(0.1, 10, 1)
    plan = plan_average(two_groups((0.01, np.inf)), numbers, SplitSettings(prior_weight=0.25))
    assert plan.start == pytest.approx(np.array([[0.25, 0.0, 0.75]]))
    free = plan_average(two_groups((np.inf, np.inf)), numbers, SplitSettings())
    assert [mechanism.curvature for mechanism in plan.groups] == [mechanism.curvature for mechanism in free.groups]


def test_several_problems_share_epsilon_and_say_so() -> None:
    plan = plan_average(no_prior(FIFTHS, 10, 4), PublicNumbers(2.0, 100, 4), SplitSettings())
    assert {step.times for step in plan.steps} == {4}
    assert plan.steps[1].what == (
        "weights of a logistic regression on group 2 of 5 of the features, one class against the rest"
    )
    assert plan.start.shape == (4, 10)


def test_where_the_printed_deduction_leaves_nothing_epsilon_is_halved() -> None:
    """[pptl] Alg. 3, line 8: the curvature is raised to q²/(4(e^(q eps/4) - 1)) and the noise has half of epsilon."""
    split, settings = FeatureSplit.whole(3), SplitSettings(accounting="paper", regularization=1e-6)
    (mechanism,) = plan_paper(no_prior(split, 3, 2), PublicNumbers(1.0, 10, 1), settings).groups
    assert mechanism.beta == pytest.approx(1 / 4)
    assert mechanism.curvature == pytest.approx(1 / (4 * math.expm1(1 / 4)))
