"""Members of averages over classes, and the class probabilities of such averages."""

import numpy as np

from tacit.adoption.average.average import Average
from tacit.adoption.average.binary_member import BinaryMember, fit_binary
from tacit.adoption.average.hypotheses import Hypothesis
from tacit.adoption.average.member_inputs import Inputs, Setting
from tacit.adoption.average.softmax_member import SoftmaxMember, fit_softmax
from tacit.adoption.average.stacking import stacked_share
from tacit.adoption.average.weighted_members import WeightedMembers
from tacit.arrays import Codes, FloatArray
from tacit.records import record

# No logarithm of less is taken.
SMALLEST = 1e-300

ClassMember = BinaryMember | SoftmaxMember


@record
class ClassFitter:
    """Fits hypotheses to rows labelled with classes."""

    inputs: Inputs
    codes: Codes
    setting: Setting

    @property
    def has_trees(self) -> bool:
        """Whether trees were learned."""
        return self.inputs.trees is not None

    @property
    def n_labels(self) -> int:
        """The number of rows."""
        return len(self.codes)

    def __call__(self, hypothesis: Hypothesis) -> ClassMember:
        """Return the fitted hypothesis."""
        if self.setting.n_classes == 2:
            return fit_binary(hypothesis, self.inputs, self.codes, self.setting)
        return fit_softmax(hypothesis, self.inputs, self.codes, self.setting).member

    def left_out(self, member: ClassMember) -> FloatArray:
        """Return log p(label | all other labels) [L], about."""
        if isinstance(member, BinaryMember):
            return member.left_out(self.inputs, self.codes)
        return fit_softmax(member.hypothesis, self.inputs, self.codes, self.setting).left_out(self.inputs, self.codes)

    def stacked(
        self, own: WeightedMembers[ClassMember], other: WeightedMembers[ClassMember], *, rows: tuple[float, float]
    ) -> float:
        """Return the weight of ``other`` beside ``own`` with which left-out labels are most probable."""
        means = [each.mean(lambda member: np.exp(self.left_out(member))) for each in (own, other)]
        first, second = (np.log(np.maximum(each, SMALLEST)) for each in means)
        return stacked_share(first, second, rows=rows)


def probabilities(average: Average[ClassMember] | WeightedMembers[ClassMember], inputs: Inputs) -> FloatArray:
    """Return the mean class probabilities [N, C] over the members.

    Of a class without any label, members that use no release's scores know nothing: as far as the labels support the
    releases, it is as probable as the other members say.
    """
    mean = average.mean(lambda member: member.probabilities(inputs))
    told = _of_used_releases(average)
    if told is None or not isinstance(average, Average):
        return mean
    n_classes = mean.shape[1]
    absent = np.setdiff1d(np.arange(n_classes), told.members[0].present)
    if not len(absent):
        return mean
    others = told.mean(lambda member: member.probabilities(inputs))[:, absent]
    moved = mean.copy()
    moved[:, absent] += average.support * np.maximum(others - mean[:, absent], 0.0)
    present = np.setdiff1d(np.arange(n_classes), absent)
    left, held = 1 - moved[:, absent].sum(axis=1), mean[:, present].sum(axis=1)
    moved[:, present] *= (left / np.maximum(held, 1e-300))[:, None]
    return moved


def _of_used_releases(
    average: Average[ClassMember] | WeightedMembers[ClassMember],
) -> WeightedMembers[SoftmaxMember] | None:
    """Return the members for several classes that use scores of releases, by themselves; None if there are none."""
    joined = average.joined if isinstance(average, Average) else None
    if joined is None:
        return None
    kept = [
        (weight, member)
        for weight, member in zip(joined.weights, joined.members, strict=True)
        if isinstance(member, SoftmaxMember) and member.hypothesis.usage.used
    ]
    if not kept:
        return None
    weights = np.array([weight for weight, _ in kept])
    return WeightedMembers(weights / weights.sum(), tuple(member for _, member in kept))
