"""Hypotheses of one usage: their masses, the search over amplitudes, and the share of trees."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.special import logsumexp

from tacit.adoption.average.hypotheses import AMPLITUDES, Hypothesis, Usage, branches
from tacit.adoption.average.kernel_features import KERNELS
from tacit.adoption.average.member_inputs import Setting
from tacit.adoption.average.stacking import stacked_share
from tacit.adoption.average.usage_fits import (
    FIRST_AMPLITUDE,
    ROWS_AGAINST_TREES,
    ROWS_FOR_TREES,
    SEARCH_GAP,
    UsageFits,
    fit_usage,
    log_posterior,
    search,
)
from tacit.adoption.average.weighted_members import WeightedMembers

TREE_ROWS = (ROWS_AGAINST_TREES, ROWS_FOR_TREES)
OWN = Usage((0,), log_prior=-0.5)


@dataclass(frozen=True)
class Fitted:
    """A hypothesis with an evidence that the test chose."""

    hypothesis: Hypothesis
    log_evidence: float
    tree_weight: float = 1.0


@dataclass
class Fitter:
    """Gives every hypothesis the evidence -(log2 amplitude - best)², and rows left out a constant."""

    best: float = 0.0
    has_trees: bool = False
    n_labels: int = 50
    left_plain: float = -0.6
    left_grown: float = -0.6
    tree_weights: dict[str | None, float] = field(default_factory=dict)
    calls: int = 0
    setting: Setting = field(default_factory=lambda: Setting(2, np.ones(1), np.zeros((1, 2))))

    def __call__(self, hypothesis: Hypothesis) -> Fitted:
        self.calls += 1
        amplitude = hypothesis.amplitude or 1.0
        weight = self.tree_weights.get(hypothesis.kernel, 1.0) if hypothesis.trees else 1.0
        return Fitted(hypothesis, -float((np.log2(amplitude) - self.best) ** 2), weight)

    def left_out(self, member: Fitted) -> np.ndarray:
        return np.full(50, self.left_grown if member.hypothesis.trees else self.left_plain)

    def stacked(
        self, own: WeightedMembers[Fitted], other: WeightedMembers[Fitted], *, rows: tuple[float, float]
    ) -> float:
        raise AssertionError("hypotheses of one usage are weighed by their evidence")


def test_the_mass_of_a_usage_is_the_sum_of_its_members_times_its_prior() -> None:
    fits = fit_usage(OWN, Fitter())
    logs = [log_posterior(each) for each in fits.members]
    assert fits.log_masses == pytest.approx(logs)
    assert fits.log_mass == pytest.approx(np.log(np.exp(logs).sum()) - 0.5)


def test_one_member_has_the_whole_mass() -> None:
    (only,) = (Fitted(branches(OWN)[0][0], -2.0),)
    assert UsageFits(OWN, (only,), np.array([-2.0])).log_mass == pytest.approx(-2.5)


@pytest.mark.parametrize("best", [-2.0, 0.0, 3.0])
def test_the_search_finds_the_best_amplitude_wherever_it_lies(best: float) -> None:
    branch = next(each for each in branches(OWN) if len(each) > 1)
    fitted = search(branch, Fitter(best))
    top = max(fitted, key=log_posterior)
    assert np.log2(top.hypothesis.amplitude) == best
    # What was left out has little mass: the next amplitude on each side was seen to lie below the gap.
    everything = [log_posterior(Fitter(best)(each)) for each in branch]
    kept = [log_posterior(each) for each in fitted]
    assert logsumexp(everything) - logsumexp(kept) < np.exp(-SEARCH_GAP)


def test_a_branch_without_an_own_part_is_one_hypothesis() -> None:
    single = next(each for each in branches(OWN) if len(each) == 1)
    fit = Fitter()
    assert [each.hypothesis for each in search(single, fit)] == list(single)
    assert fit.calls == 1
    assert FIRST_AMPLITUDE in AMPLITUDES


def test_trees_take_their_share_from_the_mass_and_add_none() -> None:
    plain = fit_usage(OWN, Fitter())
    for gain in (-0.5, 0.0, 0.5):
        grown = fit_usage(OWN, Fitter(has_trees=True, left_grown=-0.6 + gain))
        assert grown.log_mass == pytest.approx(plain.log_mass)
        masses = np.exp(grown.log_masses - logsumexp(grown.log_masses))
        share = masses[[each.hypothesis.trees for each in grown.members]].sum()
        expected = stacked_share(np.full(50, -0.6), np.full(50, -0.6 + gain), rows=TREE_ROWS)
        assert share == pytest.approx(expected)


def test_trees_of_negative_weight_get_no_mass_however_well_they_predict() -> None:
    fits = fit_usage(OWN, Fitter(has_trees=True, left_grown=-0.1, tree_weights={None: 0.5, "linear": -0.3}))
    grown = [each.hypothesis.kernel for each in fits.members if each.hypothesis.trees]
    assert None in grown
    assert "linear" not in grown


def test_without_trees_of_a_positive_weight_the_usage_is_as_if_there_were_none() -> None:
    weights: dict[str | None, float] = dict.fromkeys((None, *KERNELS), -0.1)
    fits = fit_usage(OWN, Fitter(has_trees=True, left_grown=-0.1, tree_weights=weights))
    plain = fit_usage(OWN, Fitter())
    assert fits.log_masses.tolist() == plain.log_masses.tolist()
    assert not any(each.hypothesis.trees for each in fits.members)


def test_trees_that_were_all_excluded_leave_the_usage_as_if_there_were_none() -> None:
    class Excluding(Fitter):
        def __call__(self, hypothesis: Hypothesis) -> Fitted:
            fitted = super().__call__(hypothesis)
            return Fitted(hypothesis, -np.inf) if hypothesis.trees else fitted

    fits = fit_usage(OWN, Excluding(has_trees=True, left_grown=-0.1))
    assert fits.log_masses.tolist() == fit_usage(OWN, Fitter()).log_masses.tolist()
