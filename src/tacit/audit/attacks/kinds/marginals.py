"""Attacks on releases of tables: by the class moments of rows that are drawn from them, which hold their tables."""

from tacit.arrays import FloatArray, IntArray
from tacit.audit.attacks.attacker_view import AttackerView, moments_of_rows, unchanged
from tacit.audit.attacks.target import AttackTarget, schema_of_release
from tacit.data.encoding import Encoded
from tacit.data.schema import Schema
from tacit.kinds.marginals import KIND
from tacit.kinds.marginals.make import model_of
from tacit.releases.file import Release

# Rows that stand for a release: their chance must not hide what its tables say.
ROWS = 20_000
SEED = 0


def target(release: Release, schema: Schema, rows: Encoded | None) -> AttackTarget:  # noqa: ARG001 - one signature for all kinds
    """Return the target of a release of tables."""
    own, card = schema_of_release(release, schema), release.card

    def simulate(X: FloatArray, y: IntArray, seed: int | None) -> AttackerView:
        made = KIND.release(X, y, own, unit=card.unit, epsilon=card.epsilon, delta=card.delta, random_state=seed)
        return view_of(made)

    return AttackTarget(view_of(release), simulate)


def view_of(release: Release) -> AttackerView:
    """Return what an attacker reads from a release: the moments of many rows drawn from it."""
    model = model_of(release)
    places, y = model.places(ROWS, random_state=SEED)
    X = model.layout.encoded(places)
    return AttackerView(unchanged, X, y, moments_of_rows(X, y))
