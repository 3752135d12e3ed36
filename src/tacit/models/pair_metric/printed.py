"""Algorithm 1 of [pairs] as printed, kept to be compared with: its guarantee does not hold, and its card says so."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from tacit.arrays import BoolArray, FloatArray
from tacit.models.bounded_rows import clip_rows
from tacit.models.pair_metric.sums import clip_rows_1
from tacit.numerics.contrastive import row_clipped_gradients
from tacit.privacy.account import Account, Step
from tacit.privacy.batched_steps import BatchedStep
from tacit.privacy.mechanisms import Gaussian, Laplace

DPP_WARNING = (
    "as printed in [pairs] Alg. 1, each of the {rows} rows of W is drawn from the same batch with the whole epsilon: "
    "the cost is epsilon {true:.6g}, {rows} times what is stated, and the margin is read from the data for free. Use "
    "accounting='sound'."
)
DPP_S_WARNING = (
    "as printed in [pairs] Alg. 1 with its sensitivity reduction, the noise is scaled by the largest gradient of the "
    "batch at hand, so its size gives that pair away: no epsilon holds. Use accounting='sound'."
)


@dataclass(frozen=True)
class PrintedDescent:
    """The settings of Alg. 1; ``reduced`` is DPP-S, the form with sensitivity reduction.

    With a ``delta`` norms are 2-norms and noise is Gaussian: [pairs] appendix A.3, Corollary 2.
    """

    n_pairs: int
    n_features: int
    n_components: int
    kappa: int
    epsilon: float
    radius: float
    clip: float
    passes: int
    batch_size: int
    reduced: bool
    delta: float = 0.0

    @property
    def norm(self) -> int:
        """In which norm rows and gradients are measured."""
        return 2 if self.delta else 1

    @property
    def batches(self) -> int:
        """Whole batches in one pass."""
        return max(self.n_pairs // self.batch_size, 1)

    @cached_property
    def noise(self) -> Laplace | Gaussian:
        """Noise for a row divided by the sensitivity that the paper states for it."""
        if self.delta:
            # Appendix A.3: sigma = sqrt(2 ln(1.25/delta))/epsilon', and each pass has its part of delta too.
            sigma = math.sqrt(2 * math.log(1.25 * self.passes / self.delta)) * self.passes / self.epsilon
            return Gaussian(sigma, 1.0, self.n_features)
        return Laplace.for_epsilon(self.epsilon / self.passes, sensitivity=1.0, coordinates=self.n_features)

    @property
    def warning(self) -> str:
        """Why the stated guarantee does not hold."""
        if self.reduced:
            return DPP_S_WARNING
        return DPP_WARNING.format(rows=self.n_components, true=self.n_components * self.epsilon)

    def steps(self) -> list[Step]:
        """Return the plan as the paper counts it: one epsilon' for each pass."""
        because = (
            ("[pairs] Corollary 2" if self.delta else "[pairs] Theorem 2") if self.reduced else "[pairs] Theorem 1"
        )
        times = self.passes * self.batches
        return [BatchedStep(self.noise, "each row of the batch's mean gradient", because, times, charged=self.passes)]

    def learn(
        self, account: Account, differences: FloatArray, dissimilar: BoolArray, *, random_state: Any = None
    ) -> tuple[FloatArray, bool]:
        """Return W [d', d] after all passes; the printed algorithm never falls back."""
        release = partial(account.release, self.noise)
        *_, (W, _) = self.iterates(release, differences / self.radius, dissimilar, random_state=random_state)
        return W, False

    def iterates(
        self,
        release: Callable[[FloatArray], FloatArray],
        differences: FloatArray,
        dissimilar: BoolArray,
        *,
        random_state: Any = None,
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield W [d', d] at the start and after each step, and the stated sensitivities of its rows [d', 1].

        ``release`` adds noise to the gradients' rows, each divided by its stated sensitivity; ``differences`` are of
        rows of norm at most 1. Nothing is charged here.
        """
        # Differences of rows of norm at most 1 are at most 2 long.
        differences = (clip_rows if self.delta else clip_rows_1)(differences, 2.0)
        randomness = check_random_state(random_state)
        W = randomness.standard_normal((self.n_components, self.n_features)) / math.sqrt(self.n_features)
        order = randomness.permutation(self.n_pairs)[: self.batches * self.batch_size]
        # "the margin m is preset as the average distance of dissimilar pairs": section 3.6.2.
        margin = mean_distance(differences[dissimilar])
        yield W, np.zeros((self.n_components, 1))
        rate = 1.0
        for step, batch in enumerate(np.array_split(order, self.batches) * self.passes, start=1):
            rate /= math.sqrt(step)  # Alg. 1, line 5, decays like 1/sqrt(step!)
            rows, units = self.query(W, differences[batch], dissimilar[batch], margin)
            W = W - rate * release(rows) * units / len(batch)
            yield W, units

    def query(
        self, W: FloatArray, differences: FloatArray, dissimilar: BoolArray, margin: float
    ) -> tuple[FloatArray, FloatArray]:
        """Return the rows of the gradients' sum, each divided by its stated sensitivity, and these [d', 1]."""
        total, peaks = row_clipped_gradients(W, differences, dissimilar, margin=margin, clip=self.clip, norm=self.norm)
        units = self.kappa * self._row_sensitivities(W, peaks, margin)[:, None]
        return total / units, units

    def _row_sensitivities(self, W: FloatArray, peaks: FloatArray, margin: float) -> FloatArray:
        if not self.reduced:
            return np.full(len(W), 2 * self.clip)
        # Theorem 2 in 1-norm; Corollary 2 in 2-norm, where a dissimilar pair's row is at most 2 m long (eq. A.4).
        farthest = 2 * margin * (1.0 if self.delta else math.sqrt(len(W)))
        counterparts = np.maximum(4 * np.linalg.norm(W, self.norm, axis=1), farthest)
        return np.asarray(peaks + np.minimum(self.clip, counterparts))


def mean_distance(differences: FloatArray) -> float:
    """Return the mean 2-norm of the rows, 1 if there are none."""
    return float(np.linalg.norm(differences, axis=1).mean()) if len(differences) else 1.0
