"""Which attack suits which kind of file: one line for each kind that a release file states."""

from collections.abc import Mapping

from tacit.audit.attacks.kinds import additive, class_means, class_moments, fabricated_rows, marginals
from tacit.audit.attacks.target import AttackTarget, MakeTarget
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.class_moments import ENTRY_FILE, RECORD_FILE
from tacit.kinds.fabricated_rows import FILE as FABRICATED_FILE
from tacit.kinds.marginals import FILE as MARGINALS_FILE
from tacit.models.additive.release import KIND as ADDITIVE_KIND
from tacit.models.class_moments.nearest_mean import KIND as CLASS_MEANS_KIND
from tacit.releases.file import Release

TARGETS: Mapping[str, MakeTarget] = {
    CLASS_MEANS_KIND: class_means.target,
    ADDITIVE_KIND: additive.target,
    RECORD_FILE: class_moments.record_target,
    ENTRY_FILE: class_moments.entry_target,
    FABRICATED_FILE: fabricated_rows.target,
    MARGINALS_FILE: marginals.target,
}


def target_of(release: Release, schema: Schema, rows: Encoded | None = None) -> AttackTarget:
    """Return how to attack ``release``, of a table with ``schema``; raise InputError if no attack suits its kind.

    ``rows`` are the fabricated rows that a release of that kind travels with.
    """
    make_target = TARGETS.get(release.kind)
    if make_target is None:
        kinds = ", ".join(TARGETS)
        raise InputError(f"no attack is known on releases of kind {release.kind!r}; on these: {kinds}.")
    return make_target(release, schema, rows)
