"""The owner's side: what is released of a private table, at the level of a record or of an entry."""

import math
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.checks import FloatArray, one_of
from tacit.data.bounds import clip_rows
from tacit.data.schema import Schema
from tacit.errors import InputError, SchemaError
from tacit.models.class_means import ADJACENCY, class_sums, count_weight, sums_mechanism
from tacit.privacy.account import Account, Plan, Step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.conversions import Exact
from tacit.privacy.ledger import Ledger
from tacit.privacy.mechanisms import EntryNoise
from tacit.release.file import Release
from tacit.scenarios.transfer.features import features_of
from tacit.scenarios.transfer.moments import class_moments

RECORD_KIND, ENTRY_KIND = "transfer_record", "transfer_entry"
ROW_NORM = 1.0
BLOCK = 4096
ENTRY_ADJACENCY = "two tables are neighbours if one entry of one row differs, within its public bounds or categories"
PUBLIC = "the schema: columns, bounds, categories and classes"

Rows = NDArray[np.floating[Any]]
Codes = NDArray[np.intp]


def plan_release(schema: Schema, *, unit: Unit | str, epsilon: float, delta: float) -> Plan:
    """Return what releasing a table with ``schema`` will draw; nothing is charged.

    ``unit="record"``: noisy class sums of public features and noisy class counts, one Gaussian query.
    ``unit="entry"``: every entry with noise of its own ([membership] Alg. 5).
    """
    schema.require_public_bounds()
    if len(schema.classes) < 2:
        raise SchemaError("the schema must name a label with at least two classes: a release speaks of classes.")
    unit = one_of("unit", unit, [Unit.RECORD, Unit.ENTRY])
    step = _record_step(schema, epsilon, delta) if unit is Unit.RECORD else _entry_step(schema, epsilon, delta)
    exact = () if unit is Unit.RECORD else tuple(Exact)
    return Plan(Budget(epsilon, delta, unit=unit), (step,), len(schema.features), exact)


def make_release(
    X: Rows,
    y: NDArray[Any],
    schema: Schema,
    *,
    unit: Unit | str,
    epsilon: float,
    delta: float,
    ledger: Ledger | str | PathLike[str] | None = None,
    random_state: int | None = None,
    purpose: str = "",
) -> Release:
    """Charge the ledger, then return the release of rows ``X`` [N, p] in [0, 1] with class codes ``y`` [N].

    ``X`` is encoded by ``schema``, which travels with the release and must be public.
    """
    plan = plan_release(schema, unit=unit, epsilon=epsilon, delta=delta)
    codes = _checked(X, y, schema)
    account = Account.open(
        plan.steps,
        budget=plan.budget,
        ledger=ledger,
        random_state=random_state,
        purpose=purpose or f"transfer release per {plan.budget.unit}",
        n_features=plan.n_features if plan.budget.unit is Unit.ENTRY else None,
        exact=plan.exact,
    )
    if plan.budget.unit is Unit.RECORD:
        return _release_records(account, X, codes, schema)
    return _release_entries(account, X, codes, schema)


def entry_weights(schema: Schema) -> FloatArray:
    """Return by what each encoded column is multiplied so that any entry moves its columns by at most 2 in 1-norm.

    A number alone in its column moves it by at most 1 and is doubled; a category moves two columns by 1 each, and a
    number with a flag for missing moves both by at most 1.
    """
    lone = [len(column.encoded_names) == 1 for column in schema.features for _ in column.encoded_names]
    return np.where(lone, 2.0, 1.0)


def _record_step(schema: Schema, epsilon: float, delta: float) -> Step:
    n_features = features_of(schema).size
    mechanism = sums_mechanism(epsilon, delta, row_norm=ROW_NORM, n_features=n_features)
    return Step(
        mechanism,
        "class sums of public features of the rows, and class counts",
        f"adding one row moves one class sum of {n_features} features by at most {ROW_NORM:g}, to which its features "
        f"are shortened, and one count by 1, weighted {count_weight(ROW_NORM):g}",
    )


def _entry_step(schema: Schema, epsilon: float, delta: float) -> Step:
    plain = bool((entry_weights(schema) == 2).all())
    mechanism = EntryNoise(epsilon, delta, 1.0) if plain else EntryNoise(epsilon, delta, 2.0, coordinates=2)
    because = (
        "an entry scaled to [0, 1] changes by at most 1"
        if plain
        else "an entry moves the columns that encode it by at most 2 in 1-norm: a doubled number or two one-hot columns"
    )
    return Step(mechanism, "every entry of every row, of which class means and covariances are handed out", because)


def _checked(X: Rows, y: NDArray[Any], schema: Schema) -> Codes:
    codes = np.asarray(y)
    if X.ndim != 2 or X.shape[1] != len(schema.encoded_names) or len(codes) != len(X) or not len(X):
        raise InputError(
            f"X must have rows of {len(schema.encoded_names)} encoded columns and y one code for each; "
            f"got shapes {X.shape} and {codes.shape}."
        )
    if not np.isin(codes, np.arange(len(schema.classes))).all():
        raise InputError("y must hold class codes of the schema only: an owner releases labelled rows. Drop others.")
    return codes.astype(np.intp)


def _release_records(account: Account, X: Rows, codes: Codes, schema: Schema) -> Release:
    features, n_classes = features_of(schema), len(schema.classes)
    sums, counts = np.zeros((n_classes, features.size)), np.zeros(n_classes)
    for start in range(0, len(X), BLOCK):
        mine = codes[start : start + BLOCK]
        rows = clip_rows(features(_full_block(X[start : start + BLOCK]))[: len(mine)].astype(np.float64), ROW_NORM)
        more_sums, more_counts = class_sums(rows, mine, n_classes)
        sums += more_sums
        counts += more_counts
    weight = count_weight(ROW_NORM)
    mechanism = account.steps[0].mechanism
    noisy = account.release(mechanism, np.column_stack([sums, weight * counts]))
    card = account.card(
        "class sums of public features",
        adjacency=ADJACENCY,
        assumptions=[PUBLIC, f"features of a row are shortened to norm {ROW_NORM:g}, a public number"],
        not_protected=[PUBLIC],
    )
    arrays = {"sums": noisy[:, :-1], "counts": noisy[:, -1] / weight}
    sigma = float(getattr(mechanism, "sigma", math.nan))
    return Release(RECORD_KIND, arrays, {"sigma": sigma}, card, schema.to_dict())


def _full_block(rows: Rows) -> Rows:
    """Return ``rows`` with blank ones added up to a full block.

    Matrix products round the rows of a ragged block differently; in full blocks a row's features depend on that row
    alone, so that adding one row does not move the last digits of all others.
    """
    return np.concatenate([rows, np.zeros((BLOCK - len(rows), rows.shape[1]), rows.dtype)])


def _release_entries(account: Account, X: Rows, codes: Codes, schema: Schema) -> Release:
    mechanism = account.steps[0].mechanism
    if not isinstance(mechanism, EntryNoise):
        raise InputError("an entry-level plan holds entry noise.")
    # With numbers only, the mechanism's unit is one column and nothing needs doubling.
    weights = entry_weights(schema) if mechanism.coordinates > 1 else np.ones(X.shape[1])
    noisy = account.release(mechanism, X * weights) / weights
    moments = class_moments(noisy, codes, len(schema.classes), mechanism.scale / weights)
    card = account.card(
        "class means and covariances of rows with noise in every entry",
        adjacency=ENTRY_ADJACENCY,
        assumptions=[PUBLIC, "entries outside their public bounds are clipped to them"],
        not_protected=[
            PUBLIC,
            "labels and class counts",
            "whole records, beyond the weaker guarantee stated for a record",
            f"about {mechanism.delta * X.size:.3g} entries that keep their value, by the noise's atom at zero",
        ],
        n_features=len(schema.features),
    )
    arrays: dict[str, NDArray[Any]] = {
        "means": moments.means,
        "counts": moments.counts,
        "covariances": moments.covariances,
        "noise": moments.noise,
    }
    return Release(ENTRY_KIND, arrays, {}, card, schema.to_dict())
