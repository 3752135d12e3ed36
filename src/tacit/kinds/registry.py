"""Every kind of release, one line each; nothing else in the package decides by a kind's name."""

from tacit.checks import one_of
from tacit.data.schemas.columns import Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds import (
    additive,
    answer,
    class_moments,
    encoder,
    fabricated_rows,
    linear,
    marginals,
    noisy_rows,
    pair_metric,
)
from tacit.privacy.budget import Unit
from tacit.releases.file import Release
from tacit.releases.kind import ReleaseKind

# A curve for each of more numbers than this costs more noise than class sums of them: digits, sensors, spectra.
MOST_CURVES = 40
DEFAULT_RULE = (
    f"additive; moments for classes of pictures, for classes of more than {MOST_CURVES} columns that are all numbers, "
    "and per entry"
)
_KINDS: dict[str, ReleaseKind] = {}


def register(kind: ReleaseKind) -> None:
    """Make ``kind`` known to release, adopt, card, report and audit."""
    taken = {file for other in _KINDS.values() if other.name != kind.name for file in other.files}
    if taken & set(kind.files):
        raise InputError(
            f"files of kind {kind.name!r} must not be those of another kind; got {sorted(taken & set(kind.files))}."
        )
    _KINDS[kind.name] = kind


def unregister(name: str) -> None:
    """Forget the kind called ``name``."""
    _KINDS.pop(name, None)


def all_kinds() -> tuple[ReleaseKind, ...]:
    """Return every registered kind that `tacit release` can make, in the order of registration."""
    return tuple(kind for kind in _KINDS.values() if kind.method)


def kind_by_method(method: str) -> ReleaseKind:
    """Return the kind that ``tacit release --method`` calls ``method``."""
    kinds = {kind.method: kind for kind in all_kinds()}
    return kinds[one_of("method", method, list(kinds))]


def fabricating_kinds() -> dict[str, ReleaseKind]:
    """Return the kinds whose rows `tacit fabricate` writes, by its methods; those that hold tables first."""
    kinds = sorted(_KINDS.values(), key=lambda kind: not kind.holds_tables)
    return {method: kind for kind in kinds for method in kind.fabricates}


def default_kind(schema: Schema, unit: Unit | str = Unit.RECORD) -> ReleaseKind:
    """Return the kind for a table of which only ``schema`` is known: `DEFAULT_RULE`."""
    if schema.target is not None:
        return additive.KIND
    numbers = all(isinstance(column, Numeric) for column in schema.features)
    wide = numbers and len(schema.features) > MOST_CURVES
    mixed = schema.image is None and not wide and Unit(unit) in additive.KIND.protects
    return additive.KIND if mixed else class_moments.KIND


def kind_for(method: str | None, schema: Schema, unit: Unit | str = Unit.RECORD) -> ReleaseKind:
    """Return the kind called ``method``, or for None the default of a table with ``schema``."""
    return default_kind(schema, unit) if method is None else kind_by_method(method)


def kind_by_name(name: str) -> ReleaseKind:
    """Return the kind whose package is called ``name``."""
    return _KINDS[one_of("kind", name, list(_KINDS))]


def kind_of(release: Release) -> ReleaseKind:
    """Return the kind that ``release`` states in its file."""
    for kind in _KINDS.values():
        if release.kind in kind.files:
            return kind
    file_names = ", ".join(file for kind in _KINDS.values() for file in kind.files)
    raise InputError(f"a release of kind {release.kind!r} is not known to this version; known are {file_names}.")


register(class_moments.KIND)
register(additive.KIND)
register(linear.KIND)
register(pair_metric.KIND)
register(fabricated_rows.KIND)
register(encoder.KIND)
register(noisy_rows.KIND)
register(marginals.KIND)
register(answer.KIND)
