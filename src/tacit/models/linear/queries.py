"""The planned queries of a table: weights of each group, to be averaged or stacked."""

import numpy as np

from tacit.arrays import FloatArray, IntArray
from tacit.models.linear.planning import SplitPlan
from tacit.models.two_class_problems import query_of
from tacit.privacy.account import Account
from tacit.records import record


@record
class GroupedTable:
    """A private table as the mechanisms of the groups want it."""

    parts: list[FloatArray]
    """list of arrays [N, d_k]: the columns of each group."""
    factors: list[FloatArray]
    """list of arrays [N]: what makes their rows short enough."""
    signs: FloatArray
    """[R, N]: the label of each row in each two-class table."""
    start: FloatArray
    """[R, p]: prior weights."""
    n_rows: int
    """The public number of rows."""
    halves: IntArray
    """[n_rows]: in which half each row lies if the groups are stacked; by what the rows hold."""

    def query(self, problem: int, group: int, prior: FloatArray) -> FloatArray:
        """Return the input of one group's objective perturbation [n_rows, d_k + 1]."""
        return query_of(self.parts[group], self.factors[group] * self.signs[problem], prior, self.n_rows)


@record
class SplitWeights:
    """Weights of the problems [R, p], and of the groups' scores [R, K]."""

    weights: FloatArray
    combination: FloatArray


def average_weights(account: Account, plan: SplitPlan, table: GroupedTable) -> SplitWeights:
    """Return the weights of each group from all rows, to be averaged with public weights."""
    weights = table.start.copy()
    for r in range(len(weights)):
        for k, (group, step) in enumerate(zip(plan.split.positions, plan.steps, strict=True)):
            places = list(group)
            weights[r, places] += account.release(step.mechanism, table.query(r, k, table.start[r, places]))
    # The groups' scores add up to the scale of one group's.
    return SplitWeights(weights, np.tile(plan.split.weights, (len(weights), 1)))


def stacked_weights(account: Account, plan: SplitPlan, table: GroupedTable) -> SplitWeights:
    """Return the weights of each group from one half of the rows, and stacking weights from the other."""
    weights, tops = table.start.copy(), []
    groups = [list(group) for group in plan.split.positions]
    for r in range(len(weights)):
        queries = [table.query(r, k, table.start[r, places]) for k, places in enumerate(groups)]
        drawn = account.release(plan.steps[0].mechanism, np.column_stack([table.halves, *queries]))
        ends = np.cumsum([len(places) for places in groups])
        for places, new in zip(groups, np.split(drawn[: ends[-1]], ends[:-1]), strict=True):
            weights[r, places] += new
        tops.append(drawn[ends[-1] :])
    return SplitWeights(weights, np.stack(tops))
