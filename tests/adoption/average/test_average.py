"""Averages over hypotheses: what labels make of good, reversed, useless and hostile releases."""

from dataclasses import dataclass

import numpy as np
import pytest

from tacit.adoption.average.average import Average, Fits, fit_hypotheses, growing_usages, releases_only
from tacit.adoption.average.class_members import ClassFitter, ClassMember, probabilities
from tacit.adoption.average.hypotheses import MOST_FOR_ALL_SUBSETS, Hypothesis, Usage, usages
from tacit.adoption.average.kernel_features import features_of
from tacit.adoption.average.member_inputs import Inputs, Setting
from tacit.adoption.average.stacking import stacked_share
from tacit.adoption.average.usage_fits import UsageFits, search
from tacit.adoption.average.weighted_members import WeightedMembers
from tacit.adoption.sources.source import clean_scores


def two(margin: np.ndarray) -> np.ndarray:
    return clean_scores(np.stack([-margin / 2, margin / 2], axis=1), len(margin), 2).values


class Problem:
    """Rows whose second class has log-odds 3 z_0 - 1."""

    def __init__(self, n_labels: int = 60, seed: int = 0) -> None:
        draw = np.random.default_rng(seed)
        self.Z = draw.normal(size=(n_labels + 500, 6))
        self.margin = 3 * self.Z[:, 0] - 1
        self.codes = (draw.random(len(self.Z)) < 1 / (1 + np.exp(-self.margin))).astype(np.intp)
        self.n = n_labels
        self.noise = draw.normal(size=len(self.Z))
        self.features = features_of(self.Z[:n_labels], 6.0) if n_labels else {}

    def average(self, *margins: np.ndarray, trust: float = 0.6, precision: float = 1.0) -> Average[ClassMember]:
        scores = [two(each) for each in margins]
        inputs = Inputs(tuple(each[: self.n] for each in scores), self.Z[: self.n], self.features)
        means = np.array([each.mean(axis=0) for each in scores]).reshape(-1, 2)
        fit = ClassFitter(inputs, self.codes[: self.n], Setting(2, np.full(len(scores), precision), means))
        return fit_hypotheses(fit, [trust] * len(scores)).average()

    def accuracy(self, average: Average[ClassMember], *margins: np.ndarray) -> float:
        inputs = Inputs(tuple(two(each)[self.n :] for each in margins), self.Z[self.n :], self.features)
        return float((probabilities(average, inputs).argmax(axis=1) == self.codes[self.n :]).mean())


def test_a_good_release_is_used_and_helps() -> None:
    problem = Problem(20)
    average = problem.average(problem.margin, precision=5.0)
    assert average.used[0] > 0.9
    assert problem.accuracy(average, problem.margin) > problem.accuracy(problem.average()) + 0.02


def test_a_reversed_release_is_noticed() -> None:
    problem = Problem()
    average = problem.average(-problem.margin)
    assert average.reversed[0] > 0.9
    assert problem.accuracy(average, -problem.margin) > 0.75


@pytest.mark.parametrize("size", [1.0, 3.0, 1e6])
def test_scores_without_meaning_get_little_weight(size: float) -> None:
    problem = Problem()
    average = problem.average(size * problem.noise)
    assert average.used[0] < 0.2


def test_a_good_release_is_found_among_bad_ones() -> None:
    problem = Problem()
    average = problem.average(problem.margin, -problem.margin + 2 * problem.noise, 3 * problem.noise)
    assert average.used[0] > 0.9
    assert problem.accuracy(average, problem.margin, -problem.margin, 3 * problem.noise) > 0.8


def test_an_ignored_release_leaves_exactly_what_is_learned_alone() -> None:
    problem = Problem(200)
    hostile = 1e6 * problem.noise
    average, alone = problem.average(hostile, trust=0.02), problem.average()
    assert average.joined is None
    inputs = Inputs((two(hostile),), problem.Z, problem.features)
    assert probabilities(average, inputs).tobytes() == probabilities(alone, inputs).tobytes()


def test_what_is_learned_alone_does_not_depend_on_releases() -> None:
    problem = Problem()
    inputs = Inputs((two(problem.margin),), problem.Z, problem.features)
    joined, alone = problem.average(problem.margin), problem.average()
    assert joined.joined is not None
    assert probabilities(joined.alone, inputs).tobytes() == probabilities(alone, inputs).tobytes()


def test_weights_sum_to_one_and_so_do_probabilities() -> None:
    problem = Problem()
    average = problem.average(problem.margin, problem.noise)
    assert average.alone.weights.sum() == pytest.approx(1)
    assert average.joined is not None
    assert average.joined.weights.sum() == pytest.approx(1)
    inputs = Inputs((two(problem.margin), two(problem.noise)), problem.Z, problem.features)
    assert probabilities(average, inputs).sum(axis=1) == pytest.approx(1)


def test_of_many_releases_the_good_ones_are_found() -> None:
    problem = Problem(100)
    draw = np.random.default_rng(5)
    good = [problem.margin + draw.normal(size=len(problem.margin)) for _ in range(3)]
    bad = [2 * draw.normal(size=len(problem.margin)) for _ in range(3)]
    average = problem.average(*good, *bad)
    # So many labels tell much without any release: of the weight that is left, the good ones have nearly all.
    assert average.used[:3].max() > 0.9 * average.probability > 0.6
    assert average.used[3:].max() < average.used[:3].min()


def test_growing_usages_join_the_best_single_releases() -> None:
    n = MOST_FOR_ALL_SUBSETS + 1
    screened = dict.fromkeys(usages([0.5] * n), 0.0)
    for each in screened:
        if sum(each.signs) == 1 == len(each.used):
            screened[each] = -abs(each.used[0] - 2)
    assert growing_usages(screened)[0].signs[2] == 1
    assert {len(each.used) for each in growing_usages(screened)} == set(range(2, n - 1))


def test_without_labels_releases_speak_for_themselves() -> None:
    problem = Problem(0)
    inputs = Inputs((two(problem.margin),), problem.Z, {})
    fit = ClassFitter(inputs.rows(slice(0, 0)), np.empty(0, dtype=np.intp), Setting(2, np.ones(1), np.zeros((1, 2))))
    average = releases_only(fit, [0.6])
    assert average.probability == 1
    assert (probabilities(average, inputs).argmax(axis=1) == problem.codes).mean() > 0.8


def test_labels_of_one_class_leave_the_scores_of_a_release_where_they_are() -> None:
    problem = Problem(12)
    positive = np.flatnonzero(problem.codes == 1)[:12]
    scores = two(problem.margin)
    inputs = Inputs((scores[positive],), problem.Z[positive], {})
    fit = ClassFitter(inputs, np.ones(12, dtype=np.intp), Setting(2, np.ones(1), scores.mean(axis=0)[None]))
    average = releases_only(fit, [0.6])
    everything = Inputs((scores,), problem.Z, {})
    share = probabilities(average, everything)[:, 1].mean()
    assert abs(share - (problem.codes == 1).mean()) < 0.1


def test_the_search_for_an_amplitude_stops_beyond_the_best() -> None:
    tried = []

    class Fitted:
        def __init__(self, amplitude: float) -> None:
            tried.append(amplitude)
            self.log_evidence = -abs(np.log2(amplitude)) * 10
            self.hypothesis = type("H", (), {"log_prior": 0.0})

    branch = [type("B", (), {"amplitude": 2.0**power}) for power in range(-2, 4)]
    fitted = search(branch, lambda each: Fitted(each.amplitude))  # type: ignore[arg-type,type-var]
    assert sorted(tried) == [0.5, 1.0, 2.0]
    assert len(fitted) == 3


@dataclass(frozen=True)
class Foretelling:
    """A fitted hypothesis that foretells each left-out label with the same log-probability."""

    hypothesis: Hypothesis
    foretold: float
    log_evidence: float = 0.0
    tree_weight: float = 1.0


@dataclass(frozen=True)
class Foretold:
    """Says of each label what a hypothesis foretells."""

    n_labels: int
    precision: float = 1.0
    has_trees: bool = False

    @property
    def setting(self) -> Setting:
        return Setting(2, np.array([self.precision]), np.zeros((1, 2)))

    def __call__(self, hypothesis: Hypothesis) -> Foretelling:
        raise AssertionError("everything is fitted")

    def left_out(self, member: Foretelling) -> np.ndarray:
        return np.full(self.n_labels, member.foretold)

    def stacked(
        self, own: WeightedMembers[Foretelling], other: WeightedMembers[Foretelling], *, rows: tuple[float, float]
    ) -> float:
        return stacked_share(own.mean(self.left_out), other.mean(self.left_out), rows=rows)


def foretelling(
    *, log_mass: float, alone: float, joined: float, labels: int, precision: float = 1.0
) -> Average[Foretelling]:
    """Return an average of one hypothesis without and one with a release of posterior odds e^log_mass."""

    def fits(sign: int, log_mass: float, foretold: float) -> UsageFits[Foretelling]:
        usage = Usage((sign,))
        member = Foretelling(Hypothesis(usage, 1.0, None, 0.0, trees=False, log_prior=0.0), foretold)
        return UsageFits(usage, (member,), np.array([log_mass]))

    return Fits(
        fits(0, 0.0, alone), (fits(1, log_mass, joined),), Foretold(labels, precision) if labels else None
    ).average()


def test_a_release_whose_early_lead_won_the_evidence_yields_to_labels_that_now_foretell_better() -> None:
    """Its evidence is e^10 times as large, though each label is now foretold better without it."""
    assert foretelling(log_mass=10.0, alone=-0.3, joined=-0.3, labels=100).probability > 0.99
    assert 0 < foretelling(log_mass=10.0, alone=-0.3, joined=-0.33, labels=100).probability < 0.8
    ignored = foretelling(log_mass=10.0, alone=-0.3, joined=-0.5, labels=100)
    assert ignored.joined is None
    assert ignored.used.tolist() == ignored.reversed.tolist() == [0.0]
    # Ten labels hardly tell what so many do, and less of a release that is precise.
    few = foretelling(log_mass=10.0, alone=-0.3, joined=-0.8, labels=10).probability
    assert 0.6 < few < foretelling(log_mass=10.0, alone=-0.3, joined=-0.8, labels=10, precision=4.0).probability


def test_where_left_out_labels_tell_nothing_the_weight_is_the_posterior_probability() -> None:
    for log_mass in (-1.0, 0.0, 2.0):
        posterior = 1 / (1 + np.exp(-log_mass))
        assert foretelling(log_mass=log_mass, alone=-0.5, joined=-0.5, labels=50).probability == pytest.approx(
            posterior, abs=1e-3
        )
        alone = foretelling(log_mass=log_mass, alone=-0.1, joined=-0.9, labels=0)
        assert alone.probability == pytest.approx(posterior)
        assert alone.used[0] == pytest.approx(posterior)


def test_a_release_that_the_evidence_ignored_stays_ignored_however_left_out_labels_are_foretold() -> None:
    assert foretelling(log_mass=-3.0, alone=-0.9, joined=-0.1, labels=100).joined is None
