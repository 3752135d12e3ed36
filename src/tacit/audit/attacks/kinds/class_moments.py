"""Attacks on releases of class moments, per record and per entry."""

from collections.abc import Callable

import numpy as np

from tacit.audit.attacks.attacker_view import AttackerView, ClassMoments, unchanged
from tacit.audit.attacks.target import AttackTarget, schema_of_release, simulation
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.schema import Schema
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.models.class_moments.features import features_of
from tacit.releases.file import Release


def record_target(release: Release, schema: Schema, _rows: Encoded | None) -> AttackTarget:
    """Return the target of noisy class sums and counts of public features."""
    own = schema_of_release(release, schema)
    codes, features = np.arange(len(own.classes)), features_of(own)

    def view(one: Release) -> AttackerView:
        counts = np.maximum(one.arrays["counts"], 1.0)
        moments = ClassMoments(codes, one.arrays["sums"] / counts[:, None], counts)
        return AttackerView.of_moments(lambda X: features(X).astype(np.float64), moments)

    return _target(release, own, view)


def entry_target(release: Release, schema: Schema, _rows: Encoded | None) -> AttackTarget:
    """Return the target of class means and covariances of noisy rows."""
    own = schema_of_release(release, schema)
    codes = np.arange(len(own.classes))

    def view(one: Release) -> AttackerView:
        arrays = one.arrays
        moments = ClassMoments(codes, arrays["means"], arrays["counts"], arrays["covariances"], arrays["noise"])
        return AttackerView.of_moments(unchanged, moments)

    return _target(release, own, view)


def _target(release: Release, schema: Schema, view: Callable[[Release], AttackerView]) -> AttackTarget:
    return AttackTarget(view(release), simulation(CLASS_MOMENTS, schema, release.card, lambda one, _: view(one)))
