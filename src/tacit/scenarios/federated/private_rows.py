"""What a party draws once: its rows with noise in every entry, kept as a release and answered from ever after."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.data.schema import Schema
from tacit.errors import InputError, ReleaseError
from tacit.privacy.account import Account
from tacit.privacy.budget import Unit
from tacit.privacy.card import Card
from tacit.privacy.ledger import Ledger
from tacit.privacy.mechanisms import EntryNoise
from tacit.release.file import Release
from tacit.scenarios.transfer.owner import ENTRY_ADJACENCY, PUBLIC, entry_weights, plan_release

KIND = "federated_rows"
Rows = NDArray[np.floating[Any]]
Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PrivateRows:
    """Rows with noise in every entry, and the public law of that noise.

    Attributes
    ----------
    rows : array of float32 [N, p]
    codes : array of int [N]
        Class codes; labels are not protected at the level of one entry.
    scale : array [p]
        Scale of each column's Laplace noise.
    n_classes : int
        Of all parties together; this one need not hold every class.
    """

    rows: NDArray[np.float32]
    codes: Codes
    scale: Rows
    n_classes: int


def release_rows(
    X: Rows,
    codes: NDArray[Any],
    schema: Schema,
    *,
    epsilon: float,
    delta: float,
    ledger: Ledger | str | PathLike[str] | None = None,
    random_state: int | None = None,
    purpose: str = "rows of one party of a federation",
) -> Release:
    """Charge the ledger, then return rows ``X`` [N, p] in [0, 1] with noise in every entry, and their class codes.

    The release is what [hull] Remark 6 transfers; a party that answers distances keeps it and answers from it.
    """
    plan = plan_release(schema, unit=Unit.ENTRY, epsilon=epsilon, delta=delta)
    mine = _checked(X, codes, schema)
    account = Account.open(
        plan.steps,
        budget=plan.budget,
        ledger=ledger,
        random_state=random_state,
        purpose=purpose,
        n_features=plan.n_features,
        exact=plan.exact,
    )
    mechanism = plan.steps[0].mechanism
    if not isinstance(mechanism, EntryNoise):
        raise InputError("an entry-level plan holds entry noise.")
    # With numbers only, the mechanism's unit is one column and nothing needs doubling.
    weights = entry_weights(schema) if mechanism.coordinates > 1 else np.ones(X.shape[1])
    noisy = account.release(mechanism, X * weights) / weights
    arrays: dict[str, NDArray[Any]] = {
        "rows": noisy.astype(np.float32),
        "codes": mine.astype(np.int64),
        "scale": mechanism.scale / weights,
    }
    card = _card(account, kept=mechanism.delta * X.size, n_features=plan.n_features)
    return Release(KIND, arrays, {"n_classes": len(schema.classes)}, card, schema.to_dict())


def _card(account: Account, *, kept: float, n_features: int | None) -> Card:
    """Return the card of noisy rows, about ``kept`` entries of which keep their value."""
    return account.card(
        "rows with noise in every entry",
        adjacency=ENTRY_ADJACENCY,
        assumptions=[PUBLIC, "entries outside their public bounds are clipped to them"],
        not_protected=[
            PUBLIC,
            "labels, class counts and the number of rows",
            "whole records, beyond the weaker guarantee stated for a record",
            f"about {kept:.3g} entries that keep their value, by the noise's atom at zero",
        ],
        n_features=n_features,
    )


def private_rows(release: Release) -> PrivateRows:
    """Return what ``release`` holds; one of another kind, or whose arrays do not fit together, is refused."""
    if release.kind != KIND:
        raise ReleaseError(f"a release of kind {KIND!r} is needed; got {release.kind!r}.")
    try:
        rows, codes, scale = (release.arrays[name] for name in ("rows", "codes", "scale"))
        n_classes = int(release.settings["n_classes"])
    except (KeyError, TypeError, ValueError) as problem:
        raise ReleaseError(f"the release of kind {KIND!r} is incomplete: {problem}.") from problem
    fits = rows.ndim == 2 and codes.shape == rows.shape[:1] and scale.shape == rows.shape[1:] and len(rows) > 0
    if not (fits and np.issubdtype(codes.dtype, np.integer) and np.isin(codes, np.arange(n_classes)).all()):
        raise ReleaseError(f"the release of kind {KIND!r} holds arrays that do not fit together.")
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


def _checked(X: Rows, codes: NDArray[Any], schema: Schema) -> Codes:
    given, width = np.asarray(codes), len(schema.encoded_names)
    if X.ndim != 2 or X.shape[1] != width or given.shape != (len(X),) or not len(X):
        raise InputError(
            f"X must have at least one row of {width} encoded columns and codes one number for each; "
            f"got shapes {X.shape} and {given.shape}."
        )
    if not (np.isfinite(X).all() and X.min() >= 0 and X.max() <= 1):
        raise InputError("X must be encoded by the schema: finite and in [0, 1].")
    if not np.isin(given, np.arange(len(schema.classes))).all():
        raise InputError("codes must be class codes of the schema: rows without a label cannot take part. Drop them.")
    return given.astype(np.intp)
