"""What each kind of release tells of a row, and how to make one like it of other rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import FloatArray
from tacit.audit.attacks.attacker_view import ClassMoments, Seen, moments_of_rows, same_place
from tacit.audit.attacks.released_rows import Codes
from tacit.data.columns import Numeric
from tacit.data.encoding import Encoded
from tacit.data.schema import Schema
from tacit.errors import InputError
from tacit.kinds import class_moments, fabricated_rows
from tacit.kinds.fabricated_rows import make as fabrication
from tacit.models.class_moments import nearest_mean as class_means
from tacit.models.class_moments.features import features_of
from tacit.models.class_moments.nearest_mean import PrivateNearestMean
from tacit.privacy.budget import Unit
from tacit.privacy.card import Guarantee
from tacit.releases.file import Release


@dataclass(frozen=True, eq=False)
class Target:
    """A release under attack: what is seen of it, and how another one of other rows, by a seed, would be seen."""

    seen: Seen
    make: Callable[[FloatArray, Codes, int | None], Seen]


def target_of(release: Release, schema: Schema, rows: Encoded | None = None) -> Target:
    """Return how to attack ``release``, of a table with ``schema``.

    ``rows`` are the fabricated rows that a release of that kind travels with.
    """
    if release.kind == fabricated_rows.FILE:
        return _fabricated(release, schema, rows)
    if release.kind == class_means.KIND:
        return _class_means(release, schema)
    if release.kind in {class_moments.RECORD_FILE, class_moments.ENTRY_FILE}:
        return _transfer(release, schema)
    known = (class_means.KIND, class_moments.RECORD_FILE, class_moments.ENTRY_FILE, fabricated_rows.FILE)
    raise InputError(f"no attack is known on releases of kind {release.kind!r}; on these: {', '.join(known)}.")


def record_claim(release: Release) -> Guarantee:
    """Return what the release's card promises to one record; an epsilon of None where it promises nothing."""
    card = release.card
    if card.unit == Unit.RECORD:
        return Guarantee("record", card.epsilon, card.delta)
    return next((each for each in card.coarser if each.unit.startswith("record")), Guarantee("record", None, 0.0))


def _class_means(release: Release, schema: Schema) -> Target:
    """Attack noisy class means; rows are encoded as the means are if the release's bounds are 0 and 1."""
    settings, card = release.settings, release.card
    codes = _codes_of(settings["classes"], schema)
    low, high = np.asarray(settings["low"], dtype=float), np.asarray(settings["high"], dtype=float)
    scaled = bool((low == 0).all() and (high == 1).all())
    norm = row_norm_of(float(card.parts[0].mechanism["sensitivity"]))

    def place(X: FloatArray) -> FloatArray:
        if scaled:
            return X
        cube: FloatArray = np.clip((_raw(X, schema) - low) / (high - low), 0.0, 1.0)
        return cube

    def see(one: Release) -> Seen:
        return Seen.of_moments(place, ClassMoments(codes, one.arrays["means"], one.arrays["counts"]))

    def make(X: FloatArray, y: Codes, seed: int | None) -> Seen:
        model = PrivateNearestMean(
            card.epsilon,
            bounds=(0, 1),
            delta=card.delta,
            row_norm=norm,
            classes=[schema.classes[code] for code in codes],
            random_state=seed,
        )
        names = np.array(schema.classes)[y]
        return see(model.fit(place(X), names).release())

    return Target(see(release), make)


def row_norm_of(sensitivity: float) -> float:
    """Return the row norm r of a release of class sums whose sensitivity is sqrt(r² + w²), w the weight of a count."""
    top = int(np.floor(np.log2(sensitivity)))
    # The weight is a power of two between a quarter and a half of r.
    for weight in (2.0 ** (top - k) for k in range(5)):
        norm = float(np.sqrt(max(sensitivity**2 - weight**2, 0.0)))
        if norm > 0 and weight == class_means.count_weight(norm * (1 + 1e-12)):
            return norm
    raise InputError(f"no row norm belongs to a sensitivity of {sensitivity!r}.")


def _transfer(release: Release, schema: Schema) -> Target:
    theirs, card = _same_columns(release, schema), release.card
    unit = Unit.RECORD if release.kind == class_moments.RECORD_FILE else Unit.ENTRY
    labels, features = np.arange(len(theirs.classes)), features_of(theirs)

    def see(one: Release) -> Seen:
        arrays = one.arrays
        if unit is Unit.ENTRY:
            moments = ClassMoments(labels, arrays["means"], arrays["counts"], arrays["covariances"], arrays["noise"])
            return Seen.of_moments(same_place, moments)
        counts = np.maximum(arrays["counts"], 1.0)
        moments = ClassMoments(labels, arrays["sums"] / counts[:, None], counts)
        return Seen.of_moments(lambda X: features(X).astype(np.float64), moments)

    def make(X: FloatArray, y: Codes, seed: int | None) -> Seen:
        made = class_moments.KIND.release(
            X, y, theirs, unit=unit, epsilon=card.epsilon, delta=card.delta, random_state=seed
        )
        return see(made)

    return Target(see(release), make)


def _fabricated(release: Release, schema: Schema, rows: Encoded | None) -> Target:
    """Attack fabricated rows: by their moments if they were drawn from such, else one by one."""
    theirs, card = _same_columns(release, schema), release.card
    if rows is None:
        raise InputError("rows must be given: a fabricated release travels with its table, which is attacked.")
    method = str(release.settings["method"])

    def see(X: FloatArray, y: Codes) -> Seen:
        return Seen(same_place, X, y, moments_of_rows(X, y) if method == "moments" else None)

    def make(X: FloatArray, y: Codes, seed: int | None) -> Seen:
        made = fabrication.fabricate(
            X,
            y,
            theirs,
            unit=card.unit,
            epsilon=card.epsilon,
            delta=card.delta,
            rows=min(len(rows.y), len(y)) if method == "hull" else len(rows.y),
            method=method,
            accounting="paper" if card.warning else "sound",
            random_state=seed,
        )
        return see(made.X, made.y)

    return Target(see(rows.X.astype(np.float64), rows.y), make)


def _same_columns(release: Release, schema: Schema) -> Schema:
    """Return the release's own schema if ``schema`` encodes to the same columns and classes."""
    theirs = Schema.from_dict(release.schema or {}, source="the release's schema")
    if (theirs.encoded_names, theirs.classes) != (schema.encoded_names, schema.classes):
        raise InputError("schema must have the columns and classes of the release. Leave --schema out to use its own.")
    return theirs


def _codes_of(classes: Sequence[Any], schema: Schema) -> Codes:
    """Return the schema's code of each class of a release."""
    places = {name: code for code, name in enumerate(schema.classes)}
    unknown = [name for name in classes if str(name) not in places]
    if unknown:
        raise InputError(f"schema must name the classes of the release; it lacks {str(unknown[0])!r}.")
    return np.array([places[str(name)] for name in classes])


def _raw(X: FloatArray, schema: Schema) -> FloatArray:
    """Return encoded rows in the units of the table; one-hot columns and flags stay 0 and 1."""
    ranges = [
        (column.low, column.high) if place == 0 and isinstance(column, Numeric) else (0.0, 1.0)
        for column in schema.features
        for place in range(len(column.encoded_names))
    ]
    low, high = np.array(ranges).T
    raw: FloatArray = low + X * (high - low)
    return raw
