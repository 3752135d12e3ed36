"""Encoded columns that two schemas share, and the change of units between their encodings."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tacit.arrays import FloatArray, IntArray
from tacit.data.schemas.columns import Categorical, Feature, Label, Numeric
from tacit.records import record


@record
class Pairing:
    """One encoded column of ours and the corresponding one of theirs: ``ours = shift + scale * theirs``."""

    ours: int
    theirs: int
    scale: float = 1.0
    shift: float = 0.0


@record
class SharedColumns:
    """The columns and classes that two schemas, ours and theirs, have in common."""

    names: tuple[str, ...]
    """Feature columns that both tables have, with the same kind."""
    pairings: tuple[Pairing, ...]
    """The encoded columns that correspond, with the change of scale where bounds differ."""
    differences: tuple[str, ...]
    """A sentence for each column of the same name that differs in kind, bounds or categories."""
    only_ours: tuple[str, ...]
    only_theirs: tuple[str, ...]
    """Feature columns that one table has alone."""
    classes: Mapping[int, int]
    """Our class codes and theirs for the classes that both labels list."""
    images: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    """Both image shapes where they differ: resample one picture before comparing pixels."""

    @property
    def ours(self) -> IntArray:
        """Positions of the shared columns in our encoding."""
        return np.array([pairing.ours for pairing in self.pairings], dtype=np.int64)

    @property
    def theirs(self) -> IntArray:
        """Positions of the shared columns in their encoding."""
        return np.array([pairing.theirs for pairing in self.pairings], dtype=np.int64)

    def to_ours(self, X_theirs: FloatArray) -> FloatArray:
        """Return the shared columns of their matrix in our units: shift + scale · X_theirs[:, theirs]."""
        scale, shift = self._units()
        return shift + scale * X_theirs[:, self.theirs]

    def to_theirs(self, X_ours: FloatArray) -> FloatArray:
        """Return the shared columns of our matrix in their units: (X_ours[:, ours] − shift) / scale."""
        scale, shift = self._units()
        return (X_ours[:, self.ours] - shift) / scale

    def _units(self) -> tuple[FloatArray, FloatArray]:
        scale = np.array([pairing.scale for pairing in self.pairings], dtype=np.float64)
        shift = np.array([pairing.shift for pairing in self.pairings], dtype=np.float64)
        return scale, shift


def share_columns(
    ours: Sequence[Feature], theirs: Sequence[Feature], *, positions: tuple[Mapping[str, range], Mapping[str, range]]
) -> SharedColumns:
    """Return the features that two lists share by name; ``positions`` are those of the encoded columns of each."""
    by_name = {column.name: column for column in theirs}
    names: list[str] = []
    pairings: list[Pairing] = []
    differences: list[str] = []
    for column in ours:
        other = by_name.get(column.name)
        if other is None:
            continue
        differences.extend(_differences(column, other))
        if _comparable(column, other):
            names.append(column.name)
            pairings.extend(_pair(column, other, positions[0][column.name].start, positions[1][column.name].start))
    own = {column.name for column in ours}
    return SharedColumns(
        names=tuple(names),
        pairings=tuple(pairings),
        differences=tuple(differences),
        only_ours=tuple(column.name for column in ours if column.name not in by_name),
        only_theirs=tuple(column.name for column in theirs if column.name not in own),
        classes={},
    )


def share_classes(ours: Label | None, theirs: Label | None) -> dict[int, int]:
    """Return our class codes with their codes for the classes that both lists name."""
    if ours is None or theirs is None:
        return {}
    return {code: theirs.classes.index(name) for code, name in enumerate(ours.classes) if name in theirs.classes}


def _pair(ours: Feature, theirs: Feature, start: int, other_start: int) -> Iterator[Pairing]:
    if isinstance(ours, Numeric) and isinstance(theirs, Numeric):
        span = ours.high - ours.low
        yield Pairing(start, other_start, scale=(theirs.high - theirs.low) / span, shift=(theirs.low - ours.low) / span)
        if ours.flagged and theirs.flagged:
            yield Pairing(start + 1, other_start + 1)
        return
    for position, name in enumerate(ours.encoded_names):
        if name in theirs.encoded_names:
            yield Pairing(start + position, other_start + theirs.encoded_names.index(name))


def _comparable(ours: Feature, theirs: Feature) -> bool:
    """Return whether two columns are of one kind; dates also of one step, and codes of one pattern."""
    units = [each.unit if isinstance(each, Numeric) else None for each in (ours, theirs)]
    return type(ours) is type(theirs) and units[0] == units[1]


def _differences(ours: Feature, theirs: Feature) -> Iterator[str]:
    if not _comparable(ours, theirs):
        what = " with another step or pattern" if ours.kind == theirs.kind else ""
        yield f"{ours.name}: ours is {ours.kind}, theirs is {theirs.kind}{what}; not matched"
        return
    if isinstance(ours, Numeric) and isinstance(theirs, Numeric):
        if ours.bounds != theirs.bounds:
            own, others = (", ".join(map(each.shown, each.bounds)) for each in (ours, theirs))
            yield f"{ours.name}: bounds differ, ours [{own}], theirs [{others}]; values are rescaled"
    elif isinstance(ours, Categorical) and isinstance(theirs, Categorical):
        only_ours = [category for category in ours.categories if category not in theirs.categories]
        only_theirs = [category for category in theirs.categories if category not in ours.categories]
        if only_ours or only_theirs:
            yield (
                f"{ours.name}: categories differ, only ours {only_ours}, only theirs {only_theirs}; "
                "the common ones are matched"
            )
    if ours.flagged != theirs.flagged:
        yield f"{ours.name}: only {'our' if ours.flagged else 'their'} encoding marks missing values"
