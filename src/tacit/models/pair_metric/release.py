"""The release of a pair metric: its card in words, its file, and how to read it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import FloatArray
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError
from tacit.models.bounded_rows import bound_lists
from tacit.models.pair_metric.sums import ADJACENCY
from tacit.numerics.pair_graph import KappaBounds
from tacit.privacy.account import Account
from tacit.privacy.card import Card
from tacit.privacy.card_content import CENTRAL
from tacit.releases.file import Release

KIND = "pair_metric"
LOCAL_TRUST = "local: each pair is randomised before anyone collects it"


@dataclass(frozen=True)
class PairFacts:
    """What a card says of the pairs: κ, the graph's bounds if the graph is known, and what of it is public."""

    kappa: int
    graph: KappaBounds | None
    transitive: bool
    public: str


def pair_card(account: Account, facts: PairFacts, *, local: bool = False) -> Card:
    """Return the card of a metric learned through ``account``."""
    return account.card(
        "pair metric",
        adjacency=ADJACENCY.format(kappa=facts.kappa),
        assumptions=_assumptions(facts),
        not_protected=_not_protected(facts),
        trust=LOCAL_TRUST if local else CENTRAL,
        groups=_people(facts),
    )


def metric_release(
    components: FloatArray,
    card: Card,
    *,
    bounds: tuple[Any, Any],
    kappa: int,
    transitive: bool,
    fell_back: bool,
    settings: Mapping[str, Any],
    schema: Mapping[str, Any] | None = None,
) -> Release:
    """Return the file to hand out: the transformation, κ, whether relationships pass on, and the card."""
    facts = {**bound_lists(bounds), "kappa": kappa, "transitive": transitive, "fell_back": fell_back}
    return Release(KIND, {"components": components}, {**facts, **settings}, card, schema)


def released_metric(release: Release) -> tuple[FloatArray, Mapping[str, Any]]:
    """Return the transformation and the settings of a release of this kind; any other is refused."""
    if release.kind != KIND:
        raise InputError(f"release must be of kind {KIND!r}; got {release.kind!r}.")
    components = np.asarray(release.arrays.get("components"), dtype=np.float64)
    missing = {"low", "high", "kappa", "fell_back", "n_pairs"} - set(release.settings)
    if components.ndim != 2 or missing:
        raise InputError("release must hold a matrix 'components' and its settings; it is malformed.")
    return components, release.settings


def metric_of_columns(release: Release) -> tuple[FloatArray, Schema]:
    """Return the transformation of a release and the schema of its columns, one for each encoded column."""
    components, _ = released_metric(release)
    if release.schema is None:
        raise InputError(
            "a release of a metric needs its schema here, which `tacit release` writes. Without one, use "
            "PairMetric.from_release(...) before nearest neighbours; see docs/pairs.md."
        )
    schema = Schema.from_dict(release.schema, source="the release's schema")
    if components.shape[1] != len(schema.encoded_names):
        raise ReleaseError("the release's metric and its schema differ in their columns; it is malformed.")
    return components, schema


def bound_widths(bounds: tuple[Any, Any]) -> FloatArray:
    """Return high - low of the public bounds."""
    low, high = (np.asarray(bound, dtype=np.float64) for bound in bounds)
    return np.asarray(high - low)


def _assumptions(facts: PairFacts) -> list[str]:
    kind = "pass on to third people" if facts.transitive else "say nothing about third people"
    return [
        "the bounds of the features are public",
        f"relationships {kind}, and one of them shows in at most κ = {facts.kappa} pairs",
        facts.public,
    ]


def _people(facts: PairFacts) -> dict[str, int]:
    """Return what a person is made of: so many relationships as their pairs fall into."""
    if facts.graph is None:
        return {}
    degree = facts.graph.max_degree
    pairs = "1 pair" if degree == 1 else f"{degree} pairs"
    return {f"person in up to {pairs}": max(-(-degree // facts.kappa), 1)}


def _not_protected(facts: PairFacts) -> list[str]:
    if facts.graph is None:
        person = "a whole person: how many pairs one person is in is not known"
    else:
        person = "a whole person, beyond the line above that names one"
    return ["who is compared with whom, and the number of pairs", person]
