"""Draws class sums per record, or class moments of noisy rows per entry, and builds the release."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Codes, Rows
from tacit.data.schema import PUBLIC, Schema
from tacit.kinds.class_moments import ENTRY_FILE, RECORD_FILE
from tacit.kinds.class_moments.plan import ROW_NORM
from tacit.models.bounded_rows import clip_rows
from tacit.models.class_moments.features import ADJACENCY, class_sums, count_weight, features_of
from tacit.models.class_moments.moments import class_moments
from tacit.models.entry_noise import ENTRY_ADJACENCY, noisy_rows
from tacit.privacy.account import Account
from tacit.privacy.budget import Unit
from tacit.releases.file import Release
from tacit.releases.kind import ReleasePlan, Spend, checked_rows

BLOCK = 4096


def make(plan: ReleasePlan[None], X: Rows, y: NDArray[Any], spend: Spend) -> Release:
    """Charge the ledger, then return the release of rows ``X`` [N, p] in [0, 1] with class codes ``y`` [N]."""
    codes = checked_rows(X, y, plan.schema)
    unit = plan.budget.unit
    account = plan.charge(spend, f"transfer release per {unit}")
    draw = release_moments if unit is Unit.ENTRY else release_sums
    return draw(account, X, codes, plan.schema)


def release_sums(account: Account, X: Rows, codes: Codes, schema: Schema) -> Release:
    """Return noisy class sums of the rows' features, and noisy class counts, with their card."""
    features, n_classes = features_of(schema), len(schema.classes)
    sums, counts = np.zeros((n_classes, features.size)), np.zeros(n_classes)
    for start in range(0, len(X), BLOCK):
        block = codes[start : start + BLOCK]
        rows = clip_rows(features(_full_block(X[start : start + BLOCK]))[: len(block)].astype(np.float64), ROW_NORM)
        more_sums, more_counts = class_sums(rows, block, n_classes)
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
    return Release(RECORD_FILE, arrays, {"sigma": sigma}, card, schema.to_dict())


def _full_block(rows: Rows) -> Rows:
    """Return ``rows`` with blank ones added up to a full block.

    Matrix products round the rows of a ragged block differently; in full blocks a row's features depend on that row
    alone, so that adding one row does not move the last digits of all others.
    """
    return np.concatenate([rows, np.zeros((BLOCK - len(rows), rows.shape[1]), rows.dtype)])


def release_moments(account: Account, X: Rows, codes: Codes, schema: Schema) -> Release:
    """Return class means and covariances of rows with noise in every entry, without its known bias."""
    noisy, scale = noisy_rows(account, X, schema)
    moments = class_moments(noisy, codes, len(schema.classes), scale)
    card = account.card(
        "class means and covariances of rows with noise in every entry",
        adjacency=ENTRY_ADJACENCY,
        assumptions=[PUBLIC, "entries outside their public bounds are clipped to them"],
        not_protected=[
            PUBLIC,
            "labels and class counts",
            "whole records, beyond the weaker guarantee stated for a record",
            f"about {account.budget.delta * X.size:.3g} entries that keep their value, by the noise's atom at zero",
        ],
        n_features=len(schema.features),
    )
    arrays: dict[str, NDArray[Any]] = {
        "means": moments.means,
        "counts": moments.counts,
        "covariances": moments.covariances,
        "noise": moments.noise,
    }
    return Release(ENTRY_FILE, arrays, {}, card, schema.to_dict())
