"""The printed descent of pairs: objective and sensitivity by step, by mechanism and setting; [pairs] section 3.6.

In the manner of Figures 3.8 (strips), 3.10 and 3.11 (Bank), which print plots alone.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from tacit.data.public.datasets import load_bank
from tacit.experiments.pair_curves import (
    DUCHI,
    LAPLACE,
    NON_PRIVATE,
    REDUCED,
    STAIRCASE,
    Curve,
    PairProblem,
    at_steps,
    curve,
    descent,
    pair_problem,
)
from tacit.experiments.pair_runs import BalancedSplit, balanced_split
from tacit.experiments.results import Figures, ResultRow, metric_rows
from tacit.experiments.strips import PEOPLE, TESTED, strips

SEEDS = 3
STRIP_EPSILON, STRIP_STEPS = 2.0, (0, 1, 10, -1)
MECHANISM_EPSILONS = (1.0, 4.0)
SETTING_EPSILON = 4.0
CLIPS, BATCH_SIZES, DIMENSIONS = (0.1, 0.5, 2.0), (10, 50, 200), (4, 16, 32)
OBJECTIVE, ACCURACY = "objective (eq. 3.7)", "accuracy"
QUICK: dict[str, Any] = {"SEEDS": 1, "MECHANISM_EPSILONS": (1.0,), "CLIPS": (0.5,), "BATCH_SIZES": (50,)}


def rows() -> Iterator[ResultRow]:
    """Yield objectives of two strips by step, of Bank by mechanism after a pass, and of Bank by three settings."""
    problems = [(pair_problem(_strips(seed), seed, acyclic=True), seed) for seed in range(SEEDS)]
    yield from metric_rows(f"strips, epsilon {STRIP_EPSILON:g} as stated", [by_step(*each) for each in problems])
    data = load_bank()
    splits = [balanced_split(data, seed) for seed in range(SEEDS)]
    banks = [(pair_problem(split, seed), seed) for seed, split in enumerate(splits)]
    for epsilon in MECHANISM_EPSILONS:
        figures = [by_mechanism(*each, epsilon) for each in banks]
        yield from metric_rows(f"Bank, one pass, epsilon {epsilon:g} as stated", figures)
    settings = [by_setting(split, *bank) for split, bank in zip(splits, banks, strict=True)]
    yield from metric_rows(f"Bank, three passes, epsilon {SETTING_EPSILON:g} as stated", settings)


def by_step(problem: PairProblem, seed: int) -> Figures:
    """Return Figure 3.8: objectives at some steps and mean sensitivities over all, batches of 30, ten passes.

    Pairs lie along a chain: the paper's graph of the strips has no cycle either, and kappa is 1.
    """
    figures: Figures = {}
    for name, reduced in ((NON_PRIVATE, False), (LAPLACE, False), (REDUCED, True)):
        printed = descent(problem, epsilon=STRIP_EPSILON, reduced=reduced, batch_size=30, passes=10)
        drawn = curve(problem, printed, name, seed=seed)
        for step, objective in at_steps(drawn.objectives, STRIP_STEPS).items():
            figures[name, f"{OBJECTIVE}, step {step}"] = objective
        if name != NON_PRIVATE:
            figures[name, "stated sensitivity of a row, mean"] = float(drawn.sensitivities.mean())
    return figures


def by_mechanism(problem: PairProblem, seed: int, epsilon: float) -> Figures:
    """Return Figure 3.10: the objective after one pass by each mechanism."""
    figures: Figures = {("start", OBJECTIVE): _first(problem, seed)}
    for name in (NON_PRIVATE, LAPLACE, REDUCED, STAIRCASE, DUCHI):
        printed = descent(problem, epsilon=epsilon, reduced=name == REDUCED, passes=1)
        figures[name, OBJECTIVE] = float(curve(problem, printed, name, seed=seed, ends=True).objectives[-1])
    return figures


def _first(problem: PairProblem, seed: int) -> float:
    """Return the objective before any step."""
    one_batch = descent(problem, epsilon=1.0, passes=1, batch_size=len(problem.differences))
    return float(curve(problem, one_batch, NON_PRIVATE, seed=seed, ends=True).objectives[0])


def by_setting(split: BalancedSplit, problem: PairProblem, seed: int) -> Figures:
    """Return Figure 3.11: objectives of Lap-S by Lipschitz constant and batch size, accuracies by dimension."""
    run = partial(_reduced, problem, seed)
    figures: Figures = {}
    for clip in CLIPS:
        figures[f"{REDUCED}, h = {clip:g}", OBJECTIVE] = float(run(clip=clip).objectives[-1])
    for size in BATCH_SIZES:
        figures[f"{REDUCED}, batches of {size}", OBJECTIVE] = float(run(batch_size=size).objectives[-1])
    for dimension in _possible(DIMENSIONS, problem.differences.shape[1]):
        figures[f"{REDUCED}, d' = {dimension}", ACCURACY] = split.accuracy(run(n_components=dimension).W)
    return figures


def _reduced(problem: PairProblem, seed: int, **settings: Any) -> Curve:
    printed = descent(problem, epsilon=SETTING_EPSILON, reduced=True, **settings)
    return curve(problem, printed, REDUCED, seed=seed, ends=True)


def _possible(dimensions: Sequence[int], n_features: int) -> list[int]:
    return [each for each in dimensions if each <= n_features]


def _strips(seed: int) -> BalancedSplit:
    return BalancedSplit(*strips(PEOPLE, seed), *strips(TESTED, 1_000 + seed))
