"""One hypothesis fitted to labels of two classes, and the class probabilities that it gives."""

from collections.abc import Hashable

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.blas import dtrmm
from scipy.special import expit

from tacit.adoption.average.hypotheses import Hypothesis, prior_weights
from tacit.adoption.average.member_inputs import Inputs, Setting, margin
from tacit.arrays import Codes, FloatArray
from tacit.numerics.laplace import left_out_logistic, logistic_posterior
from tacit.records import record

# Prior mean and standard deviation of the weight of the trees' log-odds, which come from other labels than they score.
TREES_MEAN, TREES_SD = 0.6, 0.4
# Log-odds of variance v are divided by sqrt(1 + DAMPING v). The mean of a sigmoid would need pi/8 [mackay]; but the
# mode already lies nearer to 0 than the mean, and over five tables a quarter of it gave the lowest log-loss.
DAMPING = 0.1


@record
class BinaryMember:
    """The second class's log-odds f(x) = sum of weights × columns, and how sure they are.

    The columns are 1, the margin of each used release, the margin of the trees if they enter, and the kernel features.
    """

    hypothesis: Hypothesis
    log_evidence: float
    weights: FloatArray
    """[p]"""
    root: FloatArray
    """[p, p]: the posterior variance of f(x) is |columns root|², plus the prior variance that the features leave out.
    """

    def __post_init__(self) -> None:
        # As it comes back from a file: the order in memory decides the last bits of products.
        object.__setattr__(self, "root", np.ascontiguousarray(self.root))

    @property
    def tree_weight(self) -> float:
        """The weight of what trees say; 1 where they do not enter."""
        return float(self.weights[1 + len(self.hypothesis.usage.used)]) if self.hypothesis.trees else 1.0

    def probabilities(self, inputs: Inputs) -> FloatArray:
        """Return class probabilities [N, 2]."""
        margins, variances = self._margins(inputs)
        variances += self.hypothesis.amplitude**2 * inputs.lost(self.hypothesis.kernel)
        shares = np.empty((len(margins), 2))
        shares[:, 1] = expit(margins / np.sqrt(1 + DAMPING * variances))
        np.subtract(1, shares[:, 1], out=shares[:, 0])
        return shares

    def left_out(self, inputs: Inputs, codes: Codes) -> FloatArray:
        """Return log p(label | all other labels) of the rows that were learned from [L], about."""
        return left_out_logistic(*self._margins(inputs), codes.astype(np.float64))

    def _margins(self, inputs: Inputs) -> tuple[FloatArray, FloatArray]:
        """Return the log-odds [N] and their variance within the span of the features."""
        columns = _columns(self.hypothesis, inputs)
        # The root is upper triangular: half of a product with all of it would be zeros. In single precision, products
        # round a row by its place in the block, by more than a prediction's last digit.
        spread = dtrmm(1.0, self.root.T, columns.T, lower=1).T if len(columns) else columns
        return np.asarray(columns @ self.weights), np.asarray(np.vecdot(spread, spread))


def fit_binary(hypothesis: Hypothesis, inputs: Inputs, codes: Codes, setting: Setting) -> BinaryMember:
    """Return ``hypothesis`` fitted to labelled rows; without any row it keeps its prior."""
    columns = _columns(hypothesis, inputs)
    means, deviations = _prior(hypothesis, setting, columns.shape[1])
    # A weight turns a release's log-odds about their mean over the receiver's rows: whether scores are too sure and how
    # common the classes are, which the intercept says, are two questions.
    centres = np.zeros(len(means))
    centres[1 : 1 + len(hypothesis.usage.used)] = margin(setting.mean_scores[list(hypothesis.usage.used)])
    posterior = logistic_posterior((columns - centres) * deviations, columns @ means, codes.astype(np.float64))
    # Covariance D H^-1 D = (D T'^-1)(D T'^-1)' with H = T T'.
    root = deviations[:, None] * solve_triangular(posterior.root, np.eye(len(means)), lower=True).T
    step = deviations * posterior.mode
    # Back to columns that are not centred: the intercept takes what the centres took off.
    root[0] -= centres @ root
    step[0] -= centres @ step
    return BinaryMember(hypothesis, posterior.log_evidence, means + step, root)


def _columns(hypothesis: Hypothesis, inputs: Inputs) -> FloatArray:
    def columns() -> FloatArray:
        parts = [np.ones((len(inputs), 1))]
        parts += [margin(inputs.scores[place])[:, None] for place in hypothesis.usage.used]
        parts += [margin(inputs.tree_scores())[:, None]] if hypothesis.trees else []
        return np.concatenate([*parts, inputs.phi(hypothesis.kernel)], axis=1)

    return inputs.once(_key(hypothesis), columns)


def _key(hypothesis: Hypothesis) -> Hashable:
    """Return what decides the columns that a hypothesis reads; others that differ in scales alone share them."""
    return "columns", tuple(hypothesis.usage.used), hypothesis.trees, hypothesis.kernel


def _prior(hypothesis: Hypothesis, setting: Setting, n_columns: int) -> tuple[FloatArray, FloatArray]:
    """Return the prior means and standard deviations of the columns' weights."""
    usage = hypothesis.usage
    offset = 0.0 if usage.shares_of is None else float(np.diff(setting.mean_scores[usage.shares_of])[0])
    source_means, source_deviations = prior_weights(usage, setting.precisions, setting.weight_sds)
    means = [offset, *source_means, *([TREES_MEAN] if hypothesis.trees else [])]
    deviations = [hypothesis.intercept_sd, *source_deviations, *([TREES_SD] if hypothesis.trees else [])]
    n_features = n_columns - len(means)
    return np.array([*means, *[0.0] * n_features]), np.array([*deviations, *[hypothesis.amplitude] * n_features])
