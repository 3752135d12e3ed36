"""Draws the sums of a pair metric and builds the release."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Rows
from tacit.kinds.pair_metric.plan import KAPPA, TOPOLOGY
from tacit.models.pair_metric.diagonal import Diagonal
from tacit.models.pair_metric.inputs import from_classes
from tacit.models.pair_metric.release import PairFacts, metric_release, pair_card
from tacit.releases.file import Release
from tacit.releases.kind import ReleasePlan, Spend, checked_rows


def make(plan: ReleasePlan[Diagonal], X: Rows, y: NDArray[Any], spend: Spend) -> Release:
    """Charge the ledger, then return the metric of rows ``X`` [N, p] in [0, 1] with class codes ``y`` [N].

    Rows are compared along a random chain, similar where their classes agree.
    """
    codes, solver = checked_rows(X, y, plan.schema), plan.details
    pairs = from_classes(np.asarray(X, dtype=np.float64), codes, TOPOLOGY, spend.random_state)
    account = spend.open(plan, "pair metric")
    components, fell_back = solver.learn(account, pairs.differences((0, 1)), pairs.dissimilar)
    card = pair_card(account, PairFacts(KAPPA, pairs.graph, transitive=True, public=pairs.public))
    return metric_release(
        components,
        card,
        bounds=(0, 1),
        kappa=KAPPA,
        transitive=True,
        fell_back=fell_back,
        settings={"solver": "diagonal", "mechanism": solver.mechanism, "n_pairs": len(pairs.dissimilar)},
        schema=plan.schema.to_dict(),
    )
