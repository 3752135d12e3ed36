"""All hypotheses of one usage of releases, fitted to labels, and the mass of each."""

from collections.abc import Callable, Sequence
from typing import Generic, Protocol

import numpy as np
from scipy.special import logsumexp

from tacit.adoption.average.hypotheses import Hypothesis, Usage, branches, usual_correction
from tacit.adoption.average.kernel_features import KERNELS
from tacit.adoption.average.member_inputs import Setting
from tacit.adoption.average.stacking import stacked_share
from tacit.adoption.average.weighted_members import FittedMember, M, WeightedMembers
from tacit.arrays import FloatArray
from tacit.records import record

# The search for amplitudes starts here and goes on either way until the log-posterior is this far below the best.
FIRST_AMPLITUDE, SEARCH_GAP = 1.0, 3.0
# Members of less weight, and those beyond so many, play no part in weighing trees.
LEAST_WEIGHT, MOST_MEMBERS = 0.02, 4
# Trees must earn their share: it starts from rows that speak against them, and a third of those for them.
ROWS_AGAINST_TREES, ROWS_FOR_TREES = 1.5, 0.5


class Fitter(Protocol[M]):
    """Fits hypotheses to the same labelled rows."""

    @property
    def setting(self) -> Setting:
        """What all hypotheses share."""

    @property
    def has_trees(self) -> bool:
        """Whether trees were learned."""

    @property
    def n_labels(self) -> int:
        """The number of rows."""

    def __call__(self, hypothesis: Hypothesis) -> M:
        """Return the fitted hypothesis."""

    def left_out(self, member: M) -> FloatArray:
        """Return log p(label | all other labels) [L], about."""

    def stacked(self, own: WeightedMembers[M], other: WeightedMembers[M], *, rows: tuple[float, float]) -> float:
        """Return the weight of ``other`` beside ``own`` with which left-out rows are predicted best.

        The weights start from ``rows`` (a, b) that speak for each.
        """


@record
class UsageFits(Generic[M]):
    """Fitted hypotheses of one usage."""

    usage: Usage
    members: tuple[M, ...]
    log_masses: FloatArray
    """Logs of the posterior masses of the members, without the prior of the usage: of the receiver alone they are the
    same to the last bit, whatever releases there are."""

    @property
    def log_mass(self) -> float:
        """The log of the posterior mass of the usage, up to a constant that all usages share."""
        return float(logsumexp(self.log_masses)) + self.usage.log_prior


def log_posterior(member: FittedMember) -> float:
    """Return the log of evidence times prior given the usage."""
    return member.log_evidence + member.hypothesis.log_prior


def fit_usage(
    usage: Usage, fit: Fitter[M], *, kernels: Sequence[str] = KERNELS, one_class: bool = False
) -> UsageFits[M]:
    """Return the hypotheses of one usage, fitted.

    The mass of the usage is the evidence of its hypotheses without trees. Trees learned from the other labels of each
    row, so their evidence is no evidence; they get a share of the usage's mass by how well rows are predicted when
    left out. Where their weight is negative that is no evidence either: trees run against the labels that they were
    learned without, and own features that make up for it then know the label that was left out.
    """
    correction = usual_correction(usage, fit.setting.precisions)
    n_classes = fit.setting.n_classes
    choices = branches(usage, kernels=kernels, one_class=one_class, n_classes=n_classes, correction=correction)
    plain = [each for branch in choices for each in search(branch, fit)]
    logs = np.array([log_posterior(each) for each in plain])
    if not fit.has_trees:
        return UsageFits(usage, tuple(plain), logs)
    choices = branches(usage, kernels=kernels, trees=True, n_classes=n_classes, correction=correction)
    fitted = [each for branch in choices for each in search(branch, fit)]
    # Hypotheses that were excluded have no evidence at all; where no other is left, trees play no part.
    grown = [each for each in fitted if each.tree_weight >= 0 and np.isfinite(each.log_evidence)]
    if not grown:
        return UsageFits(usage, tuple(plain), logs)
    grown_logs = np.array([log_posterior(each) for each in grown])
    left_out = _mixed_left_out(plain, logs, fit), _mixed_left_out(grown, grown_logs, fit)
    share = stacked_share(*left_out, rows=(ROWS_AGAINST_TREES, ROWS_FOR_TREES))
    grown_masses = grown_logs - logsumexp(grown_logs) + logsumexp(logs) + np.log(share)
    return UsageFits(usage, (*plain, *grown), np.concatenate([logs + np.log1p(-share), grown_masses]))


def search(branch: Sequence[Hypothesis], fit: Callable[[Hypothesis], M]) -> list[M]:
    """Return the fitted hypotheses of a branch around the best amplitude; the others have negligible mass."""
    if len(branch) == 1:
        return [fit(branch[0])]
    first = [each.amplitude for each in branch].index(FIRST_AMPLITUDE)
    fitted = {first: fit(branch[first])}
    for step in (1, -1):
        place = first + step
        while 0 <= place < len(branch):
            fitted[place] = fit(branch[place])
            if log_posterior(fitted[place]) < max(map(log_posterior, fitted.values())) - SEARCH_GAP:
                break
            place += step
    return [fitted[place] for place in sorted(fitted)]


def _mixed_left_out(members: Sequence[M], logs: FloatArray, fit: Fitter[M]) -> FloatArray:
    """Return the left-out log-probabilities [L] of the members' average."""
    weights = np.exp(logs - logsumexp(logs))
    kept = [place for place in np.argsort(-weights)[:MOST_MEMBERS] if weights[place] >= LEAST_WEIGHT]
    shares = np.log(weights[kept] / weights[kept].sum())
    left_out = np.array([fit.left_out(members[place]) for place in kept])
    return np.asarray(logsumexp(left_out + shares[:, None], axis=0))
