"""Attacks on fabricated rows: by their moments if they were drawn from such, else row by row."""

import numpy as np

from tacit.arrays import FloatArray, IntArray
from tacit.audit.attacks.attacker_view import AttackerView, moments_of_rows, unchanged
from tacit.audit.attacks.kinds import marginals
from tacit.audit.attacks.target import AttackTarget, schema_of_release
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.fabricated_rows.make import fabricate
from tacit.releases.file import Release


def target(release: Release, schema: Schema, rows: Encoded | None) -> AttackTarget:
    """Return the target of ``rows``, the fabricated table that the release travels with."""
    own, card = schema_of_release(release, schema), release.card
    if rows is None:
        raise InputError("rows must be given: a fabricated release travels with its table, which is attacked.")
    method, n_rows = str(release.settings["method"]), len(rows.y)

    def view(X: FloatArray, y: IntArray) -> AttackerView:
        return AttackerView(unchanged, X, y, moments_of_rows(X, y) if method in {"moments", "marginals"} else None)

    if method == "marginals":
        return AttackTarget(view(rows.X.astype(np.float64), rows.y), marginals.simulated(own, card, n_rows))

    def simulate(X: FloatArray, y: IntArray, seed: int | None) -> AttackerView:
        fabricated = fabricate(
            X,
            y,
            own,
            unit=card.unit,
            epsilon=card.epsilon,
            delta=card.delta,
            rows_per_person=card.rows_per_person,
            rows=min(n_rows, len(y)) if method == "hull" else n_rows,
            method=method,
            accounting="paper" if card.warning else "sound",
            random_state=seed,
        )
        return view(fabricated.X, fabricated.y)

    return AttackTarget(view(rows.X.astype(np.float64), rows.y), simulate)
