"""A release under attack: its view, and how to make a release like it of other rows."""

from collections.abc import Callable
from typing import Any

from tacit.arrays import FloatArray, IntArray
from tacit.audit.attacks.attacker_view import AttackerView
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.privacy.card import Card
from tacit.records import record
from tacit.releases.file import Release
from tacit.releases.kind import ReleaseKind

# Makes a release of rows [n, p] with class codes [n] by a seed, and returns its view.
SimulateRelease = Callable[[FloatArray, IntArray, int | None], AttackerView]


@record
class AttackTarget:
    """A release under attack."""

    view: AttackerView
    """What the attacker reads from the release."""
    simulate: SimulateRelease
    """Makes a release of the same kind, promise and settings of other rows, and returns its view."""


# Takes a release, the schema of its table and, for a fabricated table, its rows.
MakeTarget = Callable[[Release, Schema, Encoded | None], AttackTarget]


def simulation(
    kind: ReleaseKind, schema: Schema, card: Card, view: Callable[[Release, int | None], AttackerView]
) -> SimulateRelease:
    """Return what makes a release of other rows by the promise of ``card`` and a seed, and returns its ``view``."""
    promise: dict[str, Any] = {"unit": card.unit, "epsilon": card.epsilon, "delta": card.delta}

    def simulate(X: FloatArray, y: IntArray, seed: int | None) -> AttackerView:
        release = kind.release(X, y, schema, **promise, rows_per_person=card.rows_per_person, random_state=seed)
        return view(release, seed)

    return simulate


def schema_of_release(release: Release, schema: Schema) -> Schema:
    """Return the release's own schema; raise InputError unless ``schema`` encodes to the same columns and classes."""
    own = Schema.from_dict(release.schema or {}, source="the release's schema")
    if (own.encoded_names, own.classes) != (schema.encoded_names, schema.classes):
        raise InputError("schema must have the columns and classes of the release. Leave --schema out to use its own.")
    return own
