"""The objective of [pairs] Alg. 1 step by step, under any mechanism and without one."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tacit.arrays import BoolArray, FloatArray
from tacit.data.rows.pairs import balanced_pairs, chain, pair_signs
from tacit.experiments.pair_runs import DENSITY, BalancedSplit
from tacit.models.pair_metric.inputs import kappa_of
from tacit.models.pair_metric.printed import PrintedDescent, mean_distance
from tacit.numerics.contrastive import contrastive_losses
from tacit.numerics.pair_graph import kappa_bounds
from tacit.privacy.mechanisms import Duchi, Staircase
from tacit.privacy.stream import NoiseStream
from tacit.records import record

NON_PRIVATE, LAPLACE, REDUCED, STAIRCASE, DUCHI = "no noise", "Lap", "Lap-S", "SCDF", "Duchi"


@record
class PairProblem:
    """Differences of pairs, scaled by a public number, which of them are dissimilar, and kappa of their graph."""

    differences: FloatArray
    dissimilar: BoolArray
    kappa: int

    def objective(self, W: FloatArray, margin: float) -> float:
        """Return the mean contrastive loss, [pairs] eq. 3.7."""
        return float(contrastive_losses(W, self.differences, self.dissimilar, margin).mean())


@record
class Curve:
    """The objective before the first and after each step, the mean stated sensitivity of each step, and the last W.

    Of a curve whose ends alone are asked for, the objective before the first and after the last step.
    """

    objectives: FloatArray
    sensitivities: FloatArray
    W: FloatArray


def pair_problem(split: BalancedSplit, seed: int, *, acyclic: bool = False) -> PairProblem:
    """Return pairs drawn as in the paper, half of them similar, with rows of 1-norm at most 1; or along a chain."""
    if acyclic:
        pairs = chain(len(split.X), random_state=seed).indices
    else:
        pairs = balanced_pairs(split.y, DENSITY, random_state=seed).indices
    longest = np.abs(split.X).sum(axis=1).max()
    differences = (split.X[pairs[:, 0]] - split.X[pairs[:, 1]]) / longest
    kappa = kappa_of("second", kappa_bounds(pairs), transitive=False)
    return PairProblem(differences, pair_signs(split.y, pairs) < 0, kappa)


def descent(problem: PairProblem, *, epsilon: float, reduced: bool = False, **settings: Any) -> PrintedDescent:
    """Return Alg. 1 for a problem; ``settings`` replace those of [pairs] section 3.6.2."""
    n_pairs, n_features = problem.differences.shape
    printed = PrintedDescent(
        n_pairs=n_pairs,
        n_features=n_features,
        n_components=n_features,
        kappa=problem.kappa,
        epsilon=epsilon,
        radius=1.0,
        clip=0.5,
        passes=3,
        batch_size=50,
        reduced=reduced,
    )
    return replace(printed, **settings)


def curve(problem: PairProblem, printed: PrintedDescent, mechanism: str, *, seed: int, ends: bool = False) -> Curve:
    """Return how the objective goes down, with noise of ``mechanism`` in place of Alg. 1's own."""
    release = _release(printed, mechanism, NoiseStream(seed))
    margin = mean_distance(problem.differences[problem.dissimilar])
    steps = list(printed.iterates(release, problem.differences, problem.dissimilar, random_state=seed))
    objectives = [problem.objective(W, margin) for W, _ in (steps[:: len(steps) - 1] if ends else steps)]
    # The units are those of the sum: kappa times the norms; the mean gradient has them divided by the batch.
    sensitivities = [float(units.mean()) / printed.batch_size for _, units in steps[1:]]
    return Curve(np.array(objectives), np.array(sensitivities), steps[-1][0])


def _release(printed: PrintedDescent, mechanism: str, stream: NoiseStream) -> Callable[[FloatArray], FloatArray]:
    """Return what adds noise to rows that are divided by their stated sensitivity."""
    epsilon, dimension = printed.epsilon / printed.passes, printed.n_features
    if mechanism == NON_PRIVATE:
        return lambda rows: rows
    if mechanism == STAIRCASE:
        staircase = Staircase(epsilon, 1.0, dimension)
        return lambda rows: staircase.draw(rows, stream)
    if mechanism == DUCHI:
        # One record moves a row anywhere in the cube; that is what Duchi's promise is for.
        duchi = Duchi(epsilon, dimension)
        return lambda rows: duchi.draw(np.clip(rows, -1.0, 1.0), stream)
    return lambda rows: printed.noise.draw(rows, stream)


def at_steps(values: FloatArray, steps: Sequence[int]) -> dict[int, float]:
    """Return the values at steps, the last one for -1."""
    return {len(values) - 1 if step < 0 else step: float(values[step]) for step in steps if step < len(values)}
