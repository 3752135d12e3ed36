"""Attacks on the noisy class means of the private nearest-mean classifier."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.arrays import FloatArray, IntArray
from tacit.audit.attacks.attacker_view import AttackerView, ClassMoments
from tacit.audit.attacks.target import AttackTarget
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.columns import Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.class_moments.features import count_weight
from tacit.models.class_moments.nearest_mean import PrivateNearestMean
from tacit.releases.file import Release


def target(release: Release, schema: Schema, _rows: Encoded | None) -> AttackTarget:
    """Return the target of noisy class means; rows are encoded as the means are if the release's bounds are 0 and 1."""
    settings, card = release.settings, release.card
    codes = _codes_of(settings["classes"], schema)
    low, high = np.asarray(settings["low"], dtype=float), np.asarray(settings["high"], dtype=float)
    encoded = bool((low == 0).all() and (high == 1).all())
    norm = row_norm_of(float(card.parts[0].mechanism["sensitivity"]))

    def embed(X: FloatArray) -> FloatArray:
        if encoded:
            return X
        cube: FloatArray = np.clip((_in_table_units(X, schema) - low) / (high - low), 0.0, 1.0)
        return cube

    def view(one: Release) -> AttackerView:
        return AttackerView.of_moments(embed, ClassMoments(codes, one.arrays["means"], one.arrays["counts"]))

    def simulate(X: FloatArray, y: IntArray, seed: int | None) -> AttackerView:
        model = PrivateNearestMean(
            card.epsilon,
            bounds=(0, 1),
            delta=card.delta,
            row_norm=norm,
            classes=[schema.classes[code] for code in codes],
            random_state=seed,
        )
        return view(model.fit(embed(X), np.array(schema.classes)[y]).release())

    return AttackTarget(view(release), simulate)


def row_norm_of(sensitivity: float) -> float:
    """Return the row norm r of a release of class sums whose sensitivity is sqrt(r² + w²), w the weight of a count."""
    top = int(np.floor(np.log2(sensitivity)))
    # The weight is a power of two between a quarter and a half of r.
    for weight in (2.0 ** (top - k) for k in range(5)):
        norm = float(np.sqrt(max(sensitivity**2 - weight**2, 0.0)))
        if norm > 0 and weight == count_weight(norm * (1 + 1e-12)):
            return norm
    raise InputError(f"no row norm belongs to a sensitivity of {sensitivity!r}.")


def _codes_of(classes: Sequence[Any], schema: Schema) -> IntArray:
    """Return the schema's code of each class of a release."""
    places = {name: code for code, name in enumerate(schema.classes)}
    unknown = [name for name in classes if str(name) not in places]
    if unknown:
        raise InputError(f"schema must name the classes of the release; it lacks {str(unknown[0])!r}.")
    return np.array([places[str(name)] for name in classes])


def _in_table_units(X: FloatArray, schema: Schema) -> FloatArray:
    """Return encoded rows in the units of the table; one-hot columns and flags stay 0 and 1."""
    ranges = [
        (column.low, column.high) if place == 0 and isinstance(column, Numeric) else (0.0, 1.0)
        for column in schema.features
        for place in range(len(column.encoded_names))
    ]
    low, high = np.array(ranges).T
    rows: FloatArray = low + X * (high - low)
    return rows
