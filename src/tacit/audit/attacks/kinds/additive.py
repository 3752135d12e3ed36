"""The attack on additive releases: the noisy numbers of rows at each level of each column, against a known row."""

import numpy as np

from tacit.arrays import FloatArray
from tacit.audit.attacks.attacker_view import AttackerView, ClassMoments
from tacit.audit.attacks.target import AttackTarget, schema_of_release, simulation
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.schema import Schema
from tacit.kinds.additive import KIND as ADDITIVE
from tacit.models.additive.levels import encoded_codes
from tacit.models.additive.release import read_additive
from tacit.models.additive.rows import RowLayout
from tacit.releases.file import Release


def target(release: Release, schema: Schema, _rows: Encoded | None) -> AttackTarget:
    """Return the target: shares of rows at each level, and per class what the curves say for and against it.

    A row is embedded as ones at its levels. What a release holds of class c is n times the shares of all rows, to
    which the class's part of the summed gradients, its curve, is added: both grow along the levels of a member.
    """
    own = schema_of_release(release, schema)
    levels = read_additive(release).curves.levels
    layout, codes = RowLayout(levels), np.arange(len(own.classes))

    def embed(X: FloatArray) -> FloatArray:
        return np.asarray(layout.indicator(encoded_codes(X, own.features, levels)).toarray())

    def view(one: Release) -> AttackerView:
        model = read_additive(one)
        values, n_rows = model.curves.values, float(model.facts["n_rows"])
        speaks = np.column_stack([-values, values]) if values.shape[1] == 1 else values  # [L, C]
        means = model.curves.shares + speaks.T / n_rows
        return AttackerView.of_moments(embed, ClassMoments(codes, means, np.full(len(codes), n_rows)))

    return AttackTarget(view(release), simulation(ADDITIVE, own, release.card, lambda one, _: view(one)))
