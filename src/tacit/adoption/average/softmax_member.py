"""One hypothesis fitted to labels of several classes, and the class probabilities that it gives."""

from dataclasses import field, replace

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import softmax

from tacit.adoption.average.binary_member import TREES_MEAN, TREES_SD
from tacit.adoption.average.hypotheses import Hypothesis, prior_weights
from tacit.adoption.average.member_inputs import Inputs, Setting
from tacit.arrays import Codes, FloatArray
from tacit.numerics.laplace import Posterior, left_out_softmax, softmax_posterior
from tacit.records import record

# A class weight of variance v/2 gives differences of two classes the variance v that a hypothesis states.
HALF = 1 / np.sqrt(2)
# Standard deviation of the own part that tells classes apart from one that no used release knows: beside the others it
# is no correction, and as large as it usually is without releases.
UNKNOWN_AMPLITUDE = 4.0
# Features of several classes: their number times the classes is what costs.
MOST_WEIGHTS = 400


@record
class SoftmaxMember:
    """Class log-odds f_c(x) = columns × weights_c + sum of shared weights × class scores.

    The columns are 1 and the kernel features; the class scores are those of used releases and of the trees.
    """

    hypothesis: Hypothesis
    log_evidence: float
    weights: FloatArray
    """[p, C]"""
    shared: FloatArray
    """[R]"""
    present: Codes
    """The classes that labels could tell of: all without used releases, those with a label beside them.
    """

    @property
    def tree_weight(self) -> float:
        """The weight of what trees say; 1 where they do not enter."""
        return float(self.shared[-1]) if self.hypothesis.trees else 1.0

    def probabilities(self, inputs: Inputs) -> FloatArray:
        """Return class probabilities [N, C] at the mode, which is better calibrated than the mean would be."""
        return np.asarray(softmax(self.scores(inputs), axis=1))

    def scores(self, inputs: Inputs) -> FloatArray:
        """Return class log-odds [N, C]."""
        columns = _columns(self.hypothesis, inputs, len(self.weights))
        shared = _shared_columns(self.hypothesis, inputs, self.present, self.weights.shape[1])
        return np.asarray(columns @ self.weights + shared @ self.shared)


@record
class SoftmaxFit:
    """A member with its posterior, which is too large to keep of every hypothesis."""

    member: SoftmaxMember
    posterior: Posterior = field(repr=False)
    deviations: FloatArray = field(repr=False)
    shared_deviations: FloatArray = field(repr=False)
    """[p, C] and [R]: prior standard deviations of the weights."""
    centres: FloatArray = field(repr=False)
    """[C, R]: about which the shared weights turn the class scores."""

    def left_out(self, inputs: Inputs, codes: Codes) -> FloatArray:
        """Return log p(label | all other labels) of the rows that were learned from [L], about."""
        scores = self.member.scores(inputs)[:, self.member.present]
        return left_out_softmax(scores, self.covariances(inputs), np.searchsorted(self.member.present, codes))

    def covariances(self, inputs: Inputs) -> FloatArray:
        """Return the posterior covariances of the present classes' scores within the span of the features."""
        present, (p, n_all) = self.member.present, self.member.weights.shape
        F = _columns(self.member.hypothesis, inputs, p)
        G = _shared_columns(self.member.hypothesis, inputs, present, n_all) - self.centres
        G = G[:, present] * self.shared_deviations
        n = len(inputs) * len(present)
        own = np.einsum("np,pc,cd->ncpd", F, self.deviations[:, present], np.eye(len(present)))
        own = own.reshape(n, p * len(present))
        J = np.concatenate([own, G.reshape(n, -1)], axis=1)
        scaled = solve_triangular(self.posterior.root, J.T, lower=True).T.reshape(len(inputs), len(present), -1)
        return np.asarray(scaled @ scaled.transpose(0, 2, 1))


def fit_softmax(hypothesis: Hypothesis, inputs: Inputs, codes: Codes, setting: Setting) -> SoftmaxFit:
    """Return ``hypothesis`` fitted to labelled rows; without any row it keeps its prior.

    Where releases are used, a class without any label keeps what they say of it: labels of some classes do not say that
    there are no others.

    In place of the evidence stands the product of the probabilities of each label given all others [geisser], among all
    classes: with few labels a class, most of the evidence is about the first ones, which nothing but a release can
    tell, and a release that hardly helps would outweigh labels that teach more than it.
    """
    n_classes = setting.n_classes
    F = _columns(hypothesis, inputs, 1 + MOST_WEIGHTS // n_classes)
    present = np.unique(codes) if hypothesis.usage.used and len(codes) else np.arange(n_classes)
    G = _shared_columns(hypothesis, inputs, present, n_classes)
    prior = _Prior.of(hypothesis, setting, F.shape[1])
    if len(np.unique(codes)) < n_classes:
        # Labels of some classes are not of random rows: the mean of all rows is not their middle.
        prior = replace(prior, centres=np.zeros_like(prior.centres))
    every = _fitted(hypothesis, (F, G), prior, codes, np.arange(n_classes))
    evidence = float(every.left_out(inputs, codes).sum()) if len(codes) else 0.0
    posterior = every if len(present) == n_classes else _fitted(hypothesis, (F, G), prior, codes, present)
    return replace(posterior, member=replace(posterior.member, log_evidence=evidence))


def _fitted(
    hypothesis: Hypothesis, columns: tuple[FloatArray, FloatArray], prior: "_Prior", codes: Codes, present: Codes
) -> SoftmaxFit:
    """Return the fit among the classes ``present``; others keep the prior's weights."""
    F, G = columns
    offsets = F @ prior.start + G @ prior.means
    scales = prior.deviations[:, present]
    posterior = softmax_posterior(
        F,
        (G - prior.centres)[:, present] * prior.shared_deviations,
        offsets[:, present],
        np.searchsorted(present, codes),
        scales,
    )
    V, shared = np.split(posterior.mode, [F.shape[1] * len(present)])
    weights = prior.start.copy()
    weights[:, present] += scales * V.reshape(F.shape[1], len(present))
    step = prior.shared_deviations * shared
    weights[0] -= prior.centres @ step
    member = SoftmaxMember(hypothesis, posterior.log_evidence, weights, prior.means + step, present)
    return SoftmaxFit(member, posterior, prior.deviations, prior.shared_deviations, prior.centres)


@record
class _Prior:
    """Prior means and standard deviations: of the classes' weights [p, C], and of the shared ones [R].

    The shared weights turn class scores about ``centres`` [C, R]; see `fit_binary`.
    """

    start: FloatArray
    deviations: FloatArray
    means: FloatArray
    shared_deviations: FloatArray
    centres: FloatArray

    @classmethod
    def of(cls, hypothesis: Hypothesis, setting: Setting, n_columns: int) -> "_Prior":
        start = np.zeros((n_columns, setting.n_classes))
        if hypothesis.usage.shares_of is not None:
            start[0] = setting.mean_scores[hypothesis.usage.shares_of]
        means, deviations = prior_weights(hypothesis.usage, setting.precisions, setting.weight_sds)
        trees, amplitude = hypothesis.trees, hypothesis.amplitude
        own = np.full((n_columns, setting.n_classes), amplitude)
        own[:, setting.unknown_to(hypothesis.usage.used)] = max(amplitude, UNKNOWN_AMPLITUDE)
        own[0] = hypothesis.intercept_sd
        centres = setting.mean_scores[list(hypothesis.usage.used)].T
        return cls(
            start=start,
            deviations=HALF * own,
            means=np.array([*means, *([TREES_MEAN] if trees else [])]),
            shared_deviations=np.array([*deviations, *([TREES_SD] if trees else [])]),
            centres=np.pad(centres, ((0, 0), (0, int(trees)))),
        )


def _columns(hypothesis: Hypothesis, inputs: Inputs, most: int) -> FloatArray:
    return np.concatenate([np.ones((len(inputs), 1)), inputs.phi(hypothesis.kernel)], axis=1)[:, :most]


def _shared_columns(hypothesis: Hypothesis, inputs: Inputs, present: Codes, n_classes: int) -> FloatArray:
    """Return [N, C, R]; trees say nothing of classes that had no label, which score as the mean of the others."""
    parts = [inputs.scores[place] for place in hypothesis.usage.used]
    if hypothesis.trees:
        trees = inputs.tree_scores()
        absent = np.setdiff1d(np.arange(n_classes), present)
        trees = trees.copy() if len(absent) else trees
        trees[:, absent] = trees[:, present].mean(axis=1, keepdims=True)
        parts.append(trees)
    return np.stack(parts, axis=2) if parts else np.empty((len(inputs), n_classes, 0))
