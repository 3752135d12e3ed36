"""Releases of several owners that hold the same sums are read as one, unless the receiver's labels speak against it."""

from collections.abc import Sequence

import numpy as np

from tacit.adoption.pictures.source_scores import source_scores
from tacit.adoption.pictures.weighting import GATE, fitted_weights, negative_log_likelihood
from tacit.arrays import FloatArray
from tacit.kinds.registry import kind_of
from tacit.records import record
from tacit.releases.file import Release
from tacit.releases.lesson import ReceiverTable

# Releases stay together unless one of them alone makes the labels more likely by so much in log: less than that, chance
# in few labels often makes one of several look better than all.
MOST_LOSS = GATE


@record
class ReleasePool:
    """One release, or several that are read as one."""

    release: Release
    places: tuple[int, ...]
    """Of the releases among all."""
    shares: tuple[float, ...]
    """How much each of them counts, of sum 1."""


def poolable(releases: Sequence[Release], places: Sequence[int]) -> list[list[int]]:
    """Return the ``places`` of releases in groups of those that can be read as one."""
    groups: list[list[int]] = []
    for place in places:
        for group in groups:
            together = [releases[each] for each in (*group, place)]
            kinds = {kind_of(each).name for each in together}
            if len(kinds) == 1 and kind_of(releases[place]).pool(together) is not None:
                group.append(place)
                break
        else:
            groups.append([place])
    return groups


def pooled(releases: Sequence[Release], places: Sequence[int]) -> ReleasePool:
    """Return the releases of one group as one."""
    chosen = [releases[place] for place in places]
    together = kind_of(chosen[0]).pool(chosen) if len(chosen) > 1 else None
    if together is None:
        return ReleasePool(chosen[0], (places[0],), (1.0,))
    return ReleasePool(together.release, tuple(places), together.shares)


def pools_by_labels(releases: Sequence[Release], table: ReceiverTable) -> list[ReleasePool]:
    """Return each release, or several as one where the labels of ``table`` do not speak against it.

    Of a group that makes the labels less likely than its best release alone does, the release that does so least is
    left to itself, one at a time.
    """
    pools: list[ReleasePool] = []
    for group in poolable(releases, range(len(releases))):
        together, apart = _agreeing(releases, group, table) if len(group) > 1 else (group, [])
        pools += [pooled(releases, together), *(pooled(releases, [place]) for place in apart)]
    return pools


def _agreeing(releases: Sequence[Release], group: list[int], table: ReceiverTable) -> tuple[list[int], list[int]]:
    """Return the places of releases that are read together, and of the others."""
    losses = {place: label_loss(releases[place], table) for place in group}
    ordered = sorted(group, key=lambda place: losses[place])
    for size in range(len(ordered), 1, -1):
        if label_loss(pooled(releases, ordered[:size]).release, table) <= losses[ordered[0]] + MOST_LOSS:
            return sorted(ordered[:size]), sorted(ordered[size:])
    return ordered[:1], sorted(ordered[1:])


def label_loss(release: Release, table: ReceiverTable) -> float:
    """Return minus the penalised log-likelihood of the receiver's labels by the scores of ``release``."""
    scores = source_scores(release, table)(table.X[table.labelled])
    return negative_log_likelihood(fitted_weights([scores], table.codes), [scores], table.codes)


def by_release(pools: Sequence[ReleasePool], weights: FloatArray) -> FloatArray:
    """Return the weight of each release [R] from those of the pools: a pool's is divided by the shares in it."""
    divided = np.zeros(sum(len(pool.places) for pool in pools))
    for pool, weight in zip(pools, weights, strict=True):
        divided[list(pool.places)] = weight * np.asarray(pool.shares)
    return divided


def notes_by_release(pools: Sequence[ReleasePool], notes: Sequence[str]) -> tuple[str, ...]:
    """Return the note on each release [R] from those on the pools; one that is read with others says so."""
    divided = [""] * sum(len(pool.places) for pool in pools)
    for pool, note in zip(pools, notes, strict=True):
        more = f"; read as one with {len(pool.places) - 1} more" if len(pool.places) > 1 else ""
        for place in pool.places:
            divided[place] = note + more
    return tuple(divided)
