"""Every attack on one release, given rows that were in its table and rows that were not."""

import math

import numpy as np
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray, IntArray
from tacit.audit.attacks.difference import difference_without_release
from tacit.audit.attacks.kinds.table import target_of
from tacit.audit.attacks.membership_score import MembershipScore, membership_score
from tacit.audit.attacks.outcome import LEAST_ROWS, AttackOutcome, outcome
from tacit.audit.attacks.shadow import APPEARANCES, ScoreRows, shadow_scores
from tacit.audit.attacks.target import AttackTarget
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.privacy import accounting
from tacit.privacy.budget import Relation, Unit
from tacit.privacy.card_content import Guarantee
from tacit.records import record
from tacit.releases.file import Release

THRESHOLD, NEAREST, SHADOW = "distance threshold", "nearest released row", "shadow releases"


@record
class ReleaseAttack:
    """The outcomes of all attacks on one release, and the promise that they are compared with."""

    outcomes: tuple[AttackOutcome, ...]
    score: MembershipScore
    """Of the distances to the nearest released row. [hull] eq. 69."""
    claim: Guarantee
    """What the card promises to a record; epsilon None if nothing."""
    n_members: int
    n_non_members: int
    n_shared: int
    """Rows on either side, and how many non-members equal some member."""
    before: AttackOutcome | None = None
    """How surely members are told from non-members without any release; None if that was not tried."""

    @property
    def unlike(self) -> bool:
        """Whether the two sides differ without any release: attacks may then find that difference and nothing else."""
        return self.before is not None and self.before.tells_apart

    def contradicts(self, attack: AttackOutcome) -> bool:
        """Whether ``attack`` shows a larger epsilon than the card promises to a record; never if the sides differ."""
        if self.unlike:
            return False
        shown = attack.epsilon_shown(self.claim.delta)
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
    """Return what every attack reaches on ``release``, made of the table ``members``.

    The attacker knows the rows with their labels, the schema and the card, but not which rows are members. Shadow
    releases are made in memory, charge nothing and are thrown away; 0 ``appearances`` leave that attack out. ``rows``
    are the fabricated rows, of a release of such.
    """
    sides = [_labelled("members", members), _labelled("non_members", non_members)]
    X, y = np.vstack([side[0] for side in sides]), np.concatenate([side[1] for side in sides])
    n, tables = len(sides[0][0]), [np.column_stack(side).astype(np.float64) for side in sides]
    target = target_of(release, schema, rows)
    nearest = target.view.nearest(X)
    scores = {THRESHOLD: -target.view.distances(X, y), NEAREST: -nearest}
    if appearances:
        scores[SHADOW] = _membership_log_ratios(target, (X, y), size=n, appearances=appearances, seed=seed)
    return ReleaseAttack(
        tuple(outcome(name, values[:n], values[n:]) for name, values in scores.items()),
        membership_score(nearest[:n], nearest[n:], random_state=seed or 0),
        record_claim(release),
        n,
        len(X) - n,
        _shared(*tables),
        difference_without_release(*tables, seed=seed),
    )


def record_claim(release: Release) -> Guarantee:
    """Return what the release's card promises to one record; an epsilon of None where it promises nothing."""
    card = release.card
    if card.unit == Unit.RECORD:
        return Guarantee("record", card.epsilon, card.delta)
    if card.unit is Unit.PERSON and card.relation is Relation.ADD_REMOVE:
        # The person without the row out, the person with it in; bounding may then pick other rows.
        pair = accounting.epsilon(accounting.at_group(card.event, 2), delta=card.delta)
        return Guarantee("record", pair if math.isfinite(pair) else None, card.delta)
    of_record = (guarantee for guarantee in card.coarser if guarantee.unit.startswith("record"))
    return next(of_record, Guarantee("record", None, 0.0))


def _membership_log_ratios(
    target: AttackTarget, rows: tuple[FloatArray, IntArray], *, size: int, appearances: int, seed: int | None
) -> FloatArray:
    """Return the log likelihood ratio of membership of each row, from releases of tables of ``size`` rows."""
    X, y = rows
    seeds = None if seed is None else check_random_state(seed)
    Z = target.view.embed(X)
    centres = _class_means(Z, y)

    def train(table: FloatArray, codes: IntArray) -> ScoreRows:
        view = target.simulate(table, codes, None if seeds is None else int(seeds.randint(2**31)))
        return lambda _, labels: view.match(Z, labels, centres)

    shadows = shadow_scores(train, X, y, size=size, appearances=appearances, random_state=seed or 0)
    return shadows.log_ratio(target.view.match(Z, y, centres))


def _class_means(Z: FloatArray, y: IntArray) -> FloatArray:
    """Return the mean of all rows of each class, members or not: what the attacker expects without the release."""
    means = np.zeros((int(y.max()) + 1, Z.shape[1]))
    for code in np.unique(y):
        means[code] = Z[y == code].mean(axis=0)
    return means


def _labelled(name: str, rows: Encoded) -> tuple[FloatArray, IntArray]:
    labelled = rows.y >= 0
    if labelled.sum() < LEAST_ROWS:
        raise InputError(f"{name} must hold at least {LEAST_ROWS} labelled rows; got {int(labelled.sum())}.")
    return rows.X[labelled].astype(np.float64), rows.y[labelled].astype(np.int64)


def _shared(members: FloatArray, non_members: FloatArray) -> int:
    """Return how many non-members equal some member in every column."""
    distinct = {row.tobytes() for row in members}
    return sum(row.tobytes() in distinct for row in non_members)
