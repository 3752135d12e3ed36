"""Private gradient descent of the contrastive loss, from the identity and back to it if nothing was learned."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from tacit.arrays import BoolArray, FloatArray
from tacit.models.bounded_rows import clip_rows
from tacit.models.pair_metric.sums import PairSum
from tacit.numerics.contrastive import clipped_gradient_sum, projected_distances
from tacit.privacy.account import Account, Step
from tacit.privacy.mechanisms import Laplace, Mechanism

# Share of epsilon that decides whether the metric learned is better than the identity.
DECIDING_SHARE = 0.1
# The identity stays unless the noisy gain exceeds this many scales of its noise: a wrong change is then below 2 %.
LEAST_GAIN = 3.0
# Nor is a gain worth a new metric if it is smaller than this on average, of scores in [-1, 1].
LEAST_MEAN_GAIN = 0.02


@dataclass(frozen=True)
class MetricDescent:
    """The public settings of a descent over ``n_pairs`` differences in units of ``radius``, their largest 2-norm.

    ``passes`` go over the pairs in disjoint ``batches``; step τ has the size ``rate``/√τ.
    """

    n_pairs: int
    n_features: int
    n_components: int
    kappa: int
    mechanism: str
    epsilon: float
    delta: float
    radius: float
    margin: float
    clip: float
    passes: int
    batches: int
    rate: float

    warning = ""

    @property
    def query(self) -> PairSum:
        """The sum of whole gradients, each shortened to ``clip``."""
        return PairSum(self.mechanism, self.clip, self.n_components * self.n_features, self.kappa)

    @cached_property
    def gradients(self) -> Mechanism:
        """Noise for one batch's sum.

        A sum of K numbers of total size Kh is off by at most K² 2^-53 h, on both neighbours: the slack.
        """
        share = (1 - DECIDING_SHARE) * self.epsilon
        times = self.passes * self.query.touched(self.batches)
        slack = float(self.n_pairs) ** 2 * 2.0**-52
        return self.query.planned(share, self.delta, times=times, slack=slack, batches=self.batches)

    @cached_property
    def gain(self) -> Laplace:
        """Noise for the decision: a pair's score in [-1, 1] is replaced in κ pairs."""
        slack = 1 + float(self.n_pairs) ** 2 * 2.0**-52
        return Laplace.for_epsilon(DECIDING_SHARE * self.epsilon, sensitivity=2.0 * self.kappa * slack)

    def steps(self) -> list[Step]:
        """Return what a descent draws."""
        what = "the sum of the contrastive loss's gradients over a batch of pairs"
        decision = Step(
            self.gain,
            "how much further the metric pushes dissimilar than similar pairs, beside the identity",
            f"a pair's score lies in [-1, 1], and {self.kappa} of them may be replaced",
        )
        return [self.query.step(self.gradients, what, batches=self.batches, times=self.passes), decision]

    def start(self, random: Any) -> FloatArray:
        """Return the identity, or as many public random orthonormal rows as there are components."""
        if self.n_components == self.n_features:
            return np.eye(self.n_features)
        drawn = random.standard_normal((self.n_features, self.n_components))
        return np.ascontiguousarray(np.linalg.qr(drawn)[0].T)

    def learn(
        self, account: Account, differences: FloatArray, dissimilar: BoolArray, *, random_state: Any = None
    ) -> tuple[FloatArray, bool]:
        """Return the transformation [d', d] and whether it is the start, because the noise drowned the signal."""
        differences = clip_rows(differences, self.radius) / self.radius
        # Start and batches are public, and the same for neighbours, which the guarantee compares: never fresh.
        public = check_random_state(0 if random_state is None else random_state)
        start = W = self.start(public)
        parts = np.array_split(public.permutation(self.n_pairs), self.batches)
        for step in range(self.passes * self.batches):
            batch = parts[step % self.batches]
            total = clipped_gradient_sum(
                W, differences[batch], dissimilar[batch], margin=self.margin, clip=self.clip, norm=self.query.norm
            )
            noisy = account.release(self.gradients, total.ravel()).reshape(W.shape)
            W = W - self.rate / math.sqrt(step + 1) * noisy / len(batch)
        scores = pair_scores(W, differences, dissimilar) - pair_scores(start, differences, dissimilar)
        gain = account.release(self.gain, np.array([np.clip(scores, -1.0, 1.0).sum()]))[0]
        needed = max(LEAST_GAIN * self.gain.scale, LEAST_MEAN_GAIN * self.n_pairs)
        return (W, False) if gain > needed else (start, True)


def pair_scores(W: FloatArray, differences: FloatArray, dissimilar: BoolArray) -> FloatArray:
    """Return min(1, d |W Δ|²/|W|²), negative for similar pairs: how far W pushes, whatever its size."""
    size = max(float((W**2).sum()), np.finfo(float).tiny)
    pushed = np.minimum(1.0, W.shape[1] * projected_distances(W, differences) ** 2 / size)
    return np.asarray(np.where(dissimilar, pushed, -pushed))
