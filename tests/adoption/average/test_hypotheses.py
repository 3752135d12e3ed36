"""Hypotheses and their prior probabilities."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import t

from tacit.adoption.average.hypotheses import (
    MOST_BESIDE_TREES,
    REVERSED,
    SHARES_PROBABILITY,
    UNSUPPORTED,
    USUAL_CORRECTION,
    WEIGHT_SD,
    Usage,
    branches,
    own_parts,
    prior_weights,
    usages,
    usual_correction,
)


@pytest.mark.parametrize("trusts", [[], [0.4], [0.4, 0.1], [0.3, 0.3, 0.02], [0.5] * 7])
def test_prior_probabilities_of_usages_sum_to_one(trusts: list[float]) -> None:
    assert logsumexp([each.log_prior for each in usages(trusts)]) == pytest.approx(0)


def test_many_claims_are_no_likelier_to_hold_any_truth_than_the_best_of_them() -> None:
    def none_holds(trusts: list[float]) -> float:
        return float(np.exp(logsumexp([each.log_prior for each in usages(trusts) if not each.used])))

    assert none_holds([0.6]) == pytest.approx(0.4)
    assert none_holds([0.6] * 3) == pytest.approx(0.4)
    assert none_holds([0.6] * 9) == pytest.approx(0.4)


def test_one_release_is_used_reversed_or_only_for_its_shares() -> None:
    mass = {(each.signs, each.shares_of): np.exp(each.log_prior) for each in usages([0.6])}
    assert mass == pytest.approx(
        {
            ((0,), None): 0.4 * (1 - SHARES_PROBABILITY),
            ((0,), 0): 0.4 * SHARES_PROBABILITY,
            ((1,), None): 0.6 * (1 - REVERSED),
            ((-1,), None): 0.6 * REVERSED,
        }
    )


def any_holds(*correlations: float) -> float:
    """Return the prior probability that any of the releases of trust .6 holds, by their pairwise correlations."""
    n = {1: 2, 3: 3}[len(correlations)]
    upper = np.zeros((n, n))
    upper[np.triu_indices(n, 1)] = correlations
    matrix = np.eye(n) + upper + upper.T
    used = [each.log_prior for each in usages([0.6] * n, correlations=matrix) if each.used]
    return float(np.exp(logsumexp(used)))


def test_releases_that_all_agree_keep_their_trust_and_others_a_part_of_it() -> None:
    assert [any_holds(1.0), any_holds(1.0, 1.0, 1.0)] == pytest.approx([0.6, 0.6])
    assert [any_holds(0.0), any_holds(0.0, 0.0, 0.0)] == pytest.approx([0.6 * UNSUPPORTED] * 2)


def test_two_of_three_releases_that_agree_are_less_trusted_than_three() -> None:
    halfway = UNSUPPORTED + (1 - UNSUPPORTED) / 2
    assert any_holds(1.0, 0.0, 0.0) == pytest.approx(0.6 * halfway)
    # One that contradicts both is no better than one that says something else.
    assert any_holds(1.0, -1.0, -1.0) == pytest.approx(0.6 * halfway)


def test_of_two_releases_the_opposite_says_the_same_of_rows_with_swapped_classes() -> None:
    assert any_holds(-1.0) == pytest.approx(0.6)


def test_fifty_releases_that_say_different_things_have_finite_priors() -> None:
    each = usages([0.8] * 50, correlations=np.eye(50))
    logs = np.array([usage.log_prior for usage in each])
    assert np.isfinite(logs).all()
    assert logsumexp(logs) == pytest.approx(0)
    # All together are as good as impossible, single ones are not.
    assert max(usage.log_prior for usage in each if len(usage.used) == 1) > -10
    assert min(usage.log_prior for usage in each if len(usage.used) == 50) < -1000


def test_all_subsets_of_three_releases_are_tried_and_at_most_one_reversed() -> None:
    signs = {each.signs for each in usages([0.5] * 3) if each.used}
    assert len(signs) == 7 + 3 * 4
    assert max(each.count(-1) for each in signs) == 1


def test_of_many_releases_single_ones_all_and_all_but_one_are_tried() -> None:
    assert {each.signs for each in usages([0.5] * 4)} >= {(1, 0, 1, 0), (0, 1, 1, 1), (0, 0, 0, -1)}
    counts = sorted({len(each.used) for each in usages([0.5] * 20)})
    assert counts == [0, 1, 19, 20]
    assert len(usages([0.5] * 20)) < 100


@pytest.mark.parametrize("trees", [True, False])
@pytest.mark.parametrize("alone", [True, False])
def test_prior_probabilities_of_own_parts_sum_to_one(trees: bool, alone: bool) -> None:
    parts = own_parts(("linear", "radial", "narrow"), trees=trees, alone=alone)
    assert sum(p for _, p in parts) == pytest.approx(1)
    assert own_parts((), trees=False, alone=alone) == [(None, 1.0)]


@pytest.mark.parametrize("usage", [Usage((0,), None, -1.0), Usage((1,), None, -2.0), Usage((0,), 0, -3.0)])
@pytest.mark.parametrize("trees", [True, False])
@pytest.mark.parametrize("one_class", [True, False])
def test_probabilities_of_hypotheses_given_their_usage_sum_to_one(usage: Usage, trees: bool, one_class: bool) -> None:
    found = [each for branch in branches(usage, trees=trees, one_class=one_class) for each in branch]
    assert logsumexp([each.log_prior for each in found]) == pytest.approx(0)


def test_a_branch_differs_in_amplitude_alone() -> None:
    for branch in branches(Usage((1,))):
        assert len({(each.kernel, each.intercept_sd, each.trees) for each in branch}) == 1
        assert [each.amplitude for each in branch] == sorted(each.amplitude for each in branch)


def by_amplitude(usage: Usage, correction: float) -> dict[float, float]:
    """Return the probabilities of amplitudes in a branch that has several."""
    branch = next(each for each in branches(usage, correction=correction) if len(each) > 1)
    logs = np.array([each.log_prior for each in branch])
    return dict(zip((each.amplitude for each in branch), np.exp(logs - logsumexp(logs)), strict=True))


def test_without_a_release_own_parts_of_all_sizes_are_alike() -> None:
    assert len(set(by_amplitude(Usage((0,)), 0.1).values())) == 1
    assert by_amplitude(Usage((0,)), 0.1) == by_amplitude(Usage((0,), 0), 3.0)


@pytest.mark.parametrize("correction", [0.25, 1.0])
def test_beside_a_release_the_usual_correction_is_likeliest_and_amplitudes_are_student_distributed(
    correction: float,
) -> None:
    beside = by_amplitude(Usage((1,)), correction)
    assert max(beside, key=lambda amplitude: beside[amplitude]) == correction
    amplitudes = np.array(list(beside))
    # The probability of a step of the logarithm is density times amplitude.
    expected = amplitudes * t.pdf(amplitudes / correction, 2)
    assert list(beside.values()) == pytest.approx(expected / expected.sum())
    assert sum(beside.values()) == pytest.approx(1)


def test_what_a_release_can_know_it_is_corrected_less_in_and_the_best_one_counts() -> None:
    precisions = np.array([1.0, 16.0])
    assert usual_correction(Usage((1, 0)), precisions) == USUAL_CORRECTION
    assert usual_correction(Usage((0, -1)), precisions) == USUAL_CORRECTION / 4
    assert usual_correction(Usage((1, 1)), precisions) == USUAL_CORRECTION / 4
    assert usual_correction(Usage((0, 0)), precisions) == USUAL_CORRECTION


def test_weights_of_several_releases_share_one_by_precision_and_spread_as_one_release_does() -> None:
    means, deviations = prior_weights(Usage((1, 0, -1, 1)), np.array([3.0, 9.0, 2.0, 5.0]))
    assert means == pytest.approx([0.3, -0.2, 0.5])
    assert np.sqrt((deviations**2).sum()) == pytest.approx(WEIGHT_SD)


def test_beside_releases_and_trees_the_own_part_stays_small() -> None:
    beside = {each.amplitude for branch in branches(Usage((1,)), trees=True) for each in branch}
    alone = {each.amplitude for branch in branches(Usage((0,)), trees=True) for each in branch}
    assert max(beside) == MOST_BESIDE_TREES < max(alone)


def test_of_two_classes_the_intercept_is_more_often_near_what_the_release_says() -> None:
    shares = {}
    for n_classes in (2, 3):
        members = [each for branch in branches(Usage((1,)), n_classes=n_classes) for each in branch]
        shares[n_classes] = sum(np.exp(each.log_prior) for each in members if each.intercept_sd < 0.5)
    assert shares[2] == pytest.approx(0.8)
    assert shares[3] == pytest.approx(0.6)


def test_a_number_lies_nearer_to_what_a_release_says_of_it_than_a_class() -> None:
    spreads, without_own_part = {}, {}
    for n_classes in (1, 2):
        members = [each for branch in branches(Usage((1,)), n_classes=n_classes) for each in branch]
        spreads[n_classes] = min(each.intercept_sd for each in members)
        without_own_part[n_classes] = sum(np.exp(each.log_prior) for each in members if each.kernel is None)
        assert logsumexp([each.log_prior for each in members]) == pytest.approx(0)
    assert spreads[1] < spreads[2]
    assert without_own_part[1] > without_own_part[2]
    # Without a release in use nothing is different.
    shares_alone = Usage((0,), 0)
    assert branches(shares_alone, n_classes=1) == branches(shares_alone, n_classes=3)
