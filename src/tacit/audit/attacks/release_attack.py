"""Every attack on one release, given rows that were in its table and rows that were not."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray
from tacit.audit.attacks.membership_score import MembershipScore, membership_score
from tacit.audit.attacks.outcome import LEAST_ROWS, Outcome, outcome
from tacit.audit.attacks.released_rows import Codes
from tacit.audit.attacks.releases import Target, record_claim, target_of
from tacit.audit.attacks.shadow import APPEARANCES, ScoreRows, cast_shadows
from tacit.data.encoding import Encoded
from tacit.data.schema import Schema
from tacit.errors import InputError
from tacit.privacy.card import Guarantee
from tacit.releases.file import Release

THRESHOLD, NEAREST, SHADOW = "distance threshold", "nearest released row", "shadow releases"


@dataclass(frozen=True, eq=False)
class ReleaseAttack:
    """What attacks on a release found.

    Attributes
    ----------
    outcomes : tuple of Outcome
        One for each attack.
    score : MembershipScore
        Of the distances to the nearest released row. [hull] eq. 69.
    claim : Guarantee
        What the card promises to a record; epsilon None if nothing.
    n_members, n_non_members, n_shared : int
        Rows on either side, and how many non-members equal some member.
    """

    outcomes: tuple[Outcome, ...]
    score: MembershipScore
    claim: Guarantee
    n_members: int
    n_non_members: int
    n_shared: int

    def contradicts(self, each: Outcome) -> bool:
        """Whether an attack shows a larger epsilon than the card promises to a record."""
        shown = each.epsilon_shown(self.claim.delta)
        return shown is not None and self.claim.epsilon is not None and shown > self.claim.epsilon


def attack_release(
    release: Release,
    members: Encoded,
    non_members: Encoded,
    schema: Schema,
    *,
    rows: Encoded | None = None,
    appearances: int = APPEARANCES,
    seed: int | None = None,
) -> ReleaseAttack:
    """Return what every attack reaches on ``release``, made of the table ``members``; 0 ``appearances`` cast no shadow.

    The attacker knows the rows with their labels, the schema and the card, but not which rows are members. Shadow
    releases are made in memory, charge nothing and are thrown away. ``rows`` are the fabricated rows, of a release of
    such.
    """
    sides = [_labelled("members", members), _labelled("non_members", non_members)]
    X, y = np.vstack([side[0] for side in sides]), np.concatenate([side[1] for side in sides])
    n = len(sides[0][0])
    target = target_of(release, schema, rows)
    seen = target.seen
    nearest = seen.nearest(X)
    scores = {THRESHOLD: -seen.distances(X, y), NEAREST: -nearest}
    if appearances:
        scores[SHADOW] = _shadow_scores(target, (X, y), size=n, appearances=appearances, seed=seed)
    return ReleaseAttack(
        tuple(outcome(name, found[:n], found[n:]) for name, found in scores.items()),
        membership_score(nearest[:n], nearest[n:], random_state=seed or 0),
        record_claim(release),
        n,
        len(X) - n,
        _shared(np.column_stack(sides[0]), np.column_stack(sides[1])),
    )


def _shadow_scores(
    target: Target, rows: tuple[FloatArray, Codes], *, size: int, appearances: int, seed: int | None
) -> FloatArray:
    """Return the evidence of membership of each row, from releases of tables of ``size`` rows."""
    X, y = rows
    seeds = None if seed is None else check_random_state(seed)
    Z = target.seen.place(X)
    centres = _centres(Z, y)

    def train(table: FloatArray, codes: Codes) -> ScoreRows:
        made = target.make(table, codes, None if seeds is None else int(seeds.randint(2**31)))
        return lambda _, labels: made.match(Z, labels, centres)

    shadows = cast_shadows(train, X, y, size=size, appearances=appearances, random_state=seed or 0)
    return shadows.evidence(target.seen.match(Z, y, centres))


def _centres(Z: FloatArray, y: Codes) -> FloatArray:
    """Return the mean of all rows of each class, members or not: what the attacker expects without the release."""
    centres = np.zeros((int(y.max()) + 1, Z.shape[1]))
    for code in np.unique(y):
        centres[code] = Z[y == code].mean(axis=0)
    return centres


def _labelled(name: str, rows: Encoded) -> tuple[FloatArray, Codes]:
    known = rows.y >= 0
    if known.sum() < LEAST_ROWS:
        raise InputError(f"{name} must hold at least {LEAST_ROWS} labelled rows; got {int(known.sum())}.")
    return rows.X[known].astype(np.float64), rows.y[known].astype(np.int64)


def _shared(members: FloatArray, non_members: FloatArray) -> int:
    known = {row.tobytes() for row in members}
    return sum(row.tobytes() in known for row in non_members)
