"""Whether fabricated rows lie nearer to the private rows they stand for than to other real rows."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray
from tacit.audit.attacks.outcome import AttackOutcome, outcome
from tacit.audit.attacks.released_rows import nearest_distances, own_class_distances
from tacit.data.rows.encoding import Encoded
from tacit.records import record

# Rows of each table that are compared, at most; distances of all pairs are taken.
MOST_ROWS = 3000
MOST_FABRICATED = 20_000
SEED = 0


@record
class Closeness:
    """Distances to the closest record, and a membership attack by distances."""

    nearer_share: float
    """Share of fabricated rows nearer to a private row than to any of equally many held-out rows; 1/2 if nothing was
    copied."""
    to_private: float
    to_held_out: float
    """Median distance of a fabricated row to the nearest of either."""
    copies: float
    """Share of fabricated rows that equal a private row in every column."""
    attack: AttackOutcome
    """Of "a private row lies nearer to a fabricated one of its class than a held-out row does"."""

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "nearer_share": self.nearer_share,
            "to_private": self.to_private,
            "to_held_out": self.to_held_out,
            "copies": self.copies,
            "membership_auc": self.attack.area,
            "membership_interval": list(self.attack.area_interval),
        }


def closeness(private: Encoded, held_out: Encoded, fabricated: Encoded) -> Closeness:
    """Return how close fabricated rows are to ``private`` rows, of which they were made, and to ``held_out`` ones."""
    random = check_random_state(SEED)
    count = min(len(private.y), len(held_out.y), MOST_ROWS)
    members, others = (_sample(rows, count, random) for rows in (private, held_out))
    invented = _sample(fabricated, min(len(fabricated.y), MOST_ROWS), random)
    to_private, to_held_out = (nearest_distances(_numbers(invented), _numbers(rows)) for rows in (members, others))
    equal = to_private == to_held_out
    nearer = float(np.where(equal, 0.5, to_private < to_held_out).mean())
    released = _sample(fabricated, min(len(fabricated.y), MOST_FABRICATED), random)
    scores = [
        -own_class_distances(_numbers(rows), rows.y, _numbers(released), released.y) for rows in (members, others)
    ]
    return Closeness(
        nearer,
        float(np.median(to_private)),
        float(np.median(to_held_out)),
        float((to_private == 0).mean()),
        outcome("distance to the closest fabricated row", *scores),
    )


def _numbers(rows: Encoded) -> FloatArray:
    return rows.X.astype(np.float64)


def _sample(rows: Encoded, count: int, random: Any) -> Encoded:
    kept = np.zeros(len(rows.y), dtype=bool)
    kept[random.permutation(len(rows.y))[:count]] = True
    return rows.where(kept)
