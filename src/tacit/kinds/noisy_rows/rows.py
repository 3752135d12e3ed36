"""Noisy rows read from a release, and those of several parties gathered."""

from collections.abc import Sequence

import numpy as np

from tacit.arrays import Codes, Float32Array, Rows
from tacit.errors import InputError, ReleaseError
from tacit.kinds.noisy_rows import FILE
from tacit.records import record
from tacit.releases.file import Release


@record
class PrivateRows:
    """Rows with noise in every entry, and the public law of that noise."""

    rows: Float32Array
    """[N, p]"""
    codes: Codes
    """[N]: class codes; labels are not protected at the level of one entry."""
    scale: Rows
    """[p]: scale of each column's Laplace noise."""
    n_classes: int
    """Of all parties together; this one need not hold every class."""


def private_rows(release: Release) -> PrivateRows:
    """Return what ``release`` holds; one of another kind, or whose arrays do not fit together, is refused."""
    if release.kind != FILE:
        raise ReleaseError(f"a release of kind {FILE!r} is needed; got {release.kind!r}.")
    try:
        rows, codes, scale = (release.arrays[name] for name in ("rows", "codes", "scale"))
        n_classes = int(release.settings["n_classes"])
    except (KeyError, TypeError, ValueError) as problem:
        raise ReleaseError(f"the release of kind {FILE!r} is incomplete: {problem}.") from problem
    fits = rows.ndim == 2 and codes.shape == rows.shape[:1] and scale.shape == rows.shape[1:] and len(rows) > 0
    if not (fits and np.issubdtype(codes.dtype, np.integer) and np.isin(codes, np.arange(n_classes)).all()):
        raise ReleaseError(f"the release of kind {FILE!r} holds arrays that do not fit together.")
    return PrivateRows(rows.astype(np.float32, copy=False), codes.astype(np.intp), scale, n_classes)


def gathered(parties: Sequence[PrivateRows]) -> list[PrivateRows]:
    """Return the rows of all ``parties`` as if one had drawn them, one set for each level of noise: [hull] Remark 6.

    Noise is drawn entry by entry, so the rows of many parties have the law of one party's rows: nothing is lost by
    splitting a table, if the parties hand the noisy rows out.
    """
    if len({(each.n_classes, each.rows.shape[1]) for each in parties}) != 1:
        raise InputError("parties must be at least one, and agree on columns and classes.")
    alike: dict[bytes, list[PrivateRows]] = {}
    for each in parties:
        alike.setdefault(each.scale.astype(np.float64).tobytes(), []).append(each)
    return [
        PrivateRows(
            np.concatenate([each.rows for each in group]),
            np.concatenate([each.codes for each in group]),
            group[0].scale,
            group[0].n_classes,
        )
        for group in alike.values()
    ]
