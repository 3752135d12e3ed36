"""Members of averages over classes, and the class probabilities of such averages."""

from dataclasses import dataclass

from tacit.adoption.average.average import Average, WeightedMembers
from tacit.adoption.average.binary_member import BinaryMember, fit_binary
from tacit.adoption.average.hypotheses import Hypothesis
from tacit.adoption.average.member_inputs import Inputs, Setting
from tacit.adoption.average.softmax_member import SoftmaxMember, fit_softmax
from tacit.arrays import Codes, FloatArray

ClassMember = BinaryMember | SoftmaxMember


@dataclass(frozen=True, eq=False)
class ClassFitter:
    """Fits hypotheses to rows labelled with classes."""

    inputs: Inputs
    codes: Codes
    setting: Setting

    @property
    def has_trees(self) -> bool:
        """Whether trees were learned."""
        return self.inputs.trees is not None

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


def probabilities(average: Average[ClassMember] | WeightedMembers[ClassMember], inputs: Inputs) -> FloatArray:
    """Return the mean class probabilities [N, C] over the members."""
    return average.mean(lambda member: member.probabilities(inputs))
