"""Draws the sums of a pair metric and builds the release."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Rows
from tacit.kinds.pair_metric.plan import KAPPA, TOPOLOGY
from tacit.models.pair_metric.diagonal import Diagonal
from tacit.models.pair_metric.inputs import from_classes
from tacit.models.pair_metric.release import PairFacts, metric_release, pair_card
from tacit.privacy.ledger import LedgerLike
from tacit.releases.file import Release
from tacit.releases.kind import ReleasePlan, checked_rows


def make(
    plan: ReleasePlan[Diagonal],
    X: Rows,
    y: NDArray[Any],
    *,
    ledger: LedgerLike = None,
    random_state: int | None = None,
    purpose: str = "",
) -> Release:
    """Charge the ledger, then return the metric of rows ``X`` [N, p] in [0, 1] with class codes ``y`` [N].

    Rows are compared along a random chain, similar where their classes agree.
    """
    codes, solver = checked_rows(X, y, plan.schema), plan.details
    pairs = from_classes(np.asarray(X, dtype=np.float64), codes, TOPOLOGY, random_state)
    account = plan.charge(ledger=ledger, random_state=random_state, purpose=purpose or "pair metric")
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
