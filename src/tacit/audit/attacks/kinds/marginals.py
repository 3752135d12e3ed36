"""Attacks on releases of tables: by the class moments of rows that are drawn from them, which hold their tables."""

from tacit.audit.attacks.attacker_view import AttackerView, moments_of_rows, unchanged
from tacit.audit.attacks.target import AttackTarget, SimulateRelease, schema_of_release, simulation
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.schema import Schema
from tacit.kinds.marginals import KIND
from tacit.kinds.marginals.make import model_of
from tacit.privacy.card import Card
from tacit.releases.file import Release

# Rows that stand for a release: their chance must not hide what its tables say.
ROWS = 20_000
SEED = 0


def target(release: Release, schema: Schema, rows: Encoded | None) -> AttackTarget:  # noqa: ARG001 - one signature for all kinds
    """Return the target of a release of tables."""
    own = schema_of_release(release, schema)
    return AttackTarget(view_of(release, ROWS, SEED), simulated(own, release.card, ROWS))


def simulated(schema: Schema, card: Card, n_rows: int) -> SimulateRelease:
    """Return what makes releases of other rows by the promise of ``card`` and views of ``n_rows`` rows of them."""
    return simulation(KIND, schema, card, lambda release, seed: view_of(release, n_rows, seed))


def view_of(release: Release, n_rows: int, seed: int | None) -> AttackerView:
    """Return what an attacker reads from a release: the moments of rows drawn from it."""
    model = model_of(release)
    places, y = model.places(n_rows, random_state=seed)
    X = model.layout.encoded(places)
    return AttackerView(unchanged, X, y, moments_of_rows(X, y))
