"""The fit of an additive model: numbers of rows, descent, check; every look at the rows goes through an account."""

import math
from dataclasses import replace

import numpy as np

from tacit.arrays import FloatArray
from tacit.models.additive import class_check, number_check
from tacit.models.additive.learning import ENLARGED_FROM, FEW, GradientLoss, learn
from tacit.models.additive.losses import class_residuals, squared_residuals
from tacit.models.additive.marginals import Marginals, count_levels, marginal_query, read_marginals
from tacit.models.additive.model import AdditiveClassifier, AdditiveCurves, AdditiveRegression
from tacit.models.additive.noise_bands import CURVATURE
from tacit.models.additive.plan import AdditivePlan, UnitDraws
from tacit.models.additive.rows import Batches
from tacit.numerics.class_offsets import offsets_for_shares
from tacit.numerics.public_random import public_random
from tacit.privacy.account import Account

# Where rows times mu exceed so many, gradients are shortened less: by this power, up to so many times as long.
MANY, MOST_CLIP, CLIP_POWER = 2500.0, 2.5, 0.4
MANY_NUMBERS, MOST_NUMBER_CLIP = 2000.0, 2.0
# Longest gradient of a row and step size: for classes, and for a target in spreads, whose loss is four times as curved.
CLASS_CLIP, CLASS_STEP = 0.3, 40.0
NUMBER_CLIP, NUMBER_STEP = 0.5, 10.0
# Gradients that are shortened less move further.
CLASS_STEP_MANY = 32.0
# The tails of a numeric target beyond these shares do not count for its spread.
TRIMMED = 0.01
# Mean and spread of a numeric target are asked for by themselves, with so many units: noise in the many counts of its
# levels would move the mean by whole spreads, and a tail of noise makes the spread several times what it is. Below so
# many rows times mu what the counts say is not read at all; else their spread is believed up to so many times what is
# asked for, within so many deviations of its noise.
FEW_NUMBERS, LOCATION_UNITS_FEW = 1000.0, 10
LOCATION_UNITS, WIDEST, LOCATION_DEVIATIONS = 5, 2.0, 2.0
# Rows drawn from the noisy shares, to place the cells of the check.
INVENTED_ROWS = 4096


def fit_classifier(batches: Batches, plan: AdditivePlan, account: Account) -> AdditiveClassifier:
    """Return the classifier learned from the rows; class codes follow the target's categories."""
    marginals = _marginals(batches, plan, account)
    shares = _class_shares(marginals.target)
    start = np.log(shares) - np.log(shares).mean() if len(shares) > 2 else np.log(shares[1:] / shares[:1])
    curvatures = CURVATURE * (shares * (1 - shares))[-len(start) :]
    amount = marginals.n_rows * plan.mu
    loss = GradientLoss(class_residuals, start, curvatures, class_clip(amount), class_step(amount), shares)
    learned = learn(batches, plan, UnitDraws(account, plan.unit), marginals, loss)
    if len(shares) > 2:
        learned = learned.moved(offsets_for_shares(_invented_scores(learned.curves), shares))
    curves = learned.curves
    invented = _invented_scores(curves)
    noise = learned.noise * math.sqrt(len(start))
    if amount < FEW:  # the spread of such scores is mostly noise
        edges = class_check.cell_edges(invented, class_check.EDGES_FEW)
    else:
        edges = class_check.chosen_edges(invented, noise=noise, n_rows=marginals.n_rows, shares=shares)
    query = class_check.histogram_query(learned.batches, *learned.tables, edges)
    counts = class_check.read_histogram(learned.units.ask(query, learned.check_draws))
    expected = class_check.cell_shares(invented, edges)
    check = class_check.check_classes(
        counts, edges, noise=noise, shares=shares, expected=expected, chance=learned.chance
    )
    if len(shares) > 2:
        # The check's offsets are those of each class against the rest; the softmax of all of them wants others.
        check = replace(check, offsets=offsets_for_shares(check.scale * invented, shares))
    return AdditiveClassifier(curves, check, plan.target.categories, learned.facts)


def fit_regression(batches: Batches, plan: AdditivePlan, account: Account) -> AdditiveRegression:
    """Return the regression learned from rows whose target lies within its public bounds."""
    marginals = _marginals(batches, plan, account)
    bounds = plan.target.low, plan.target.high
    units = UnitDraws(account, plan.unit)
    amount = marginals.n_rows * plan.mu
    centre, spread = _location(batches, plan, marginals, units)
    residuals = squared_residuals(centre, spread)
    loss = GradientLoss(residuals, np.zeros(1), np.array([CURVATURE]), number_clip(amount), NUMBER_STEP)
    learned = learn(batches, plan, units, marginals, loss)
    curves = learned.curves
    cells = number_check.prediction_cells(_invented_scores(curves))
    reach = number_check.REACH_FEW if amount < FEW_NUMBERS else number_check.REACH
    query = number_check.cells_query(learned.batches, *learned.tables, cells, reach=reach, centre=centre, spread=spread)
    answer = learned.units.ask(query, learned.check_draws)
    sums = number_check.read_cells(answer, cells, reach=reach, noise=learned.noise)
    check = number_check.check_numbers(sums, cells, chance=float(learned.chance[0]))
    return AdditiveRegression(curves, check, centre, spread, bounds, learned.facts)


def _location(batches: Batches, plan: AdditivePlan, marginals: Marginals, units: UnitDraws) -> tuple[float, float]:
    """Return centre and spread of a numeric target, from the counts of its levels and a query of their own.

    Of many rows the spread is that of the counts, moved to what the query and its noise allow, and the centre is asked
    for: unless public bounds are far wider than the target, where the counts tell more than the query does.
    """
    few, (low, high) = marginals.n_rows * plan.mu < FEW_NUMBERS, (plan.target.low, plan.target.high)
    centre, spread = _centre_and_spread(plan.target.centres, marginals.target[:-1])
    draws = LOCATION_UNITS_FEW if few else LOCATION_UNITS
    answer = units.ask(number_check.location_query(batches, low, high, centre), draws)
    noise = plan.unit.sigma / math.sqrt(draws)
    asked = number_check.read_location(answer, low, high, centre, n_rows=marginals.n_rows, noise=noise)
    if few:
        return asked.mean, max(asked.spread, number_check.LEAST_SPREAD * (high - low))
    # What is left of the query's spread when its noise is taken off, as by [stein]; nothing where all of it is noise.
    told = max(0.0, 1 - (LOCATION_DEVIATIONS * asked.spread_noise / max(asked.spread, math.ulp(0.0))) ** 2)
    widest = WIDEST * (asked.spread + LOCATION_DEVIATIONS * asked.spread_noise)
    spread = float(np.clip(spread, told * asked.spread, widest))
    return asked.mean if LOCATION_DEVIATIONS * asked.mean_noise < spread else centre, spread


def _marginals(batches: Batches, plan: AdditivePlan, account: Account) -> Marginals:
    size = plan.layout.size - plan.target.size
    counts, n_rows = count_levels(batches, size, plan.target)
    return read_marginals(account.release(plan.marginals, marginal_query(counts, plan.layout, n_rows)), plan.layout)


def class_clip(amount: float) -> float:
    """Return the longest gradient of a row, from rows times mu: shortening costs signal once noise is small."""
    return CLASS_CLIP * _growth(amount / MANY, MOST_CLIP)


def class_step(amount: float) -> float:
    """Return the step size of the descent on classes, from rows times mu."""
    return CLASS_STEP_MANY if amount >= ENLARGED_FROM else CLASS_STEP


def number_clip(amount: float) -> float:
    """Return the longest gradient of a row of a numeric target; see `class_clip`."""
    return NUMBER_CLIP * _growth(amount / MANY_NUMBERS, MOST_NUMBER_CLIP)


def _growth(ratio: float, most: float) -> float:
    return float(np.clip(max(ratio, 0.0) ** CLIP_POWER, 1.0, most))


def _class_shares(counts: FloatArray) -> FloatArray:
    """Return noisy shares of the classes, none of them below a fiftieth of an equal one."""
    shares = np.maximum(counts / max(float(counts.sum()), 1.0), 0.02 / len(counts))
    normalised: FloatArray = shares / shares.sum()
    return normalised


def _centre_and_spread(values: FloatArray, counts: FloatArray) -> tuple[float, float]:
    """Return mean and standard deviation of a target whose tails are moved in to their quantiles."""
    sums = np.cumsum(counts)
    if sums[-1] <= 0:
        return float(values.mean()), float(values.std())
    ends = np.searchsorted(sums / sums[-1], [TRIMMED, 1 - TRIMMED])
    inside = np.clip(values, *values[np.minimum(ends, len(values) - 1)])
    centre = float(counts @ inside / sums[-1])
    variance = float(counts @ (inside - centre) ** 2 / sums[-1])
    return centre, max(math.sqrt(variance), 1e-3 * float(values[-1] - values[0]))


def _invented_scores(curves: AdditiveCurves) -> FloatArray:
    """Return scores [M, K] of rows whose columns are drawn from their noisy shares, independently."""
    public = public_random(0)  # nobody's rows: any seed will do
    drawn = [
        np.searchsorted(np.cumsum(curves.shares[part])[:-1], public.uniform(size=INVENTED_ROWS))
        for part in curves.layout.parts()
    ]
    return curves.scores(np.column_stack(drawn))[0]
