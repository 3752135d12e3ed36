"""Releases of several owners of pictures read as one."""

from functools import cache

import numpy as np
import pytest

from tacit.adoption.pictures.classifier import TransferClassifier
from tacit.adoption.pictures.label_free_sources import joint_scores, label_free_sources, pooled_sources
from tacit.adoption.pictures.pooled_releases import (
    ReleasePool,
    by_release,
    notes_by_release,
    poolable,
    pooled,
    pools_by_labels,
)
from tacit.data.public.datasets import ImageSet, load_digits
from tacit.data.public.splits import few_labels
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.pair_metric import KIND as PAIR_METRIC
from tacit.releases.file import Release
from tacit.releases.lesson import ReceiverTable


@cache
def digits() -> ImageSet:
    return load_digits()


@cache
def owner(place: int, epsilon: float = 2.0, *, rows: int = 300, shuffled: bool = False) -> Release:
    data, part = digits(), slice(rows * place, rows * place + rows)
    y = np.random.RandomState(place).permutation(data.y_train[part]) if shuffled else data.y_train[part]
    return CLASS_MOMENTS.release(
        data.X_train[part], y, data.schema, unit="record", epsilon=epsilon, delta=1e-6, random_state=place
    )


@cache
def metric() -> Release:
    data = digits()
    return PAIR_METRIC.release(
        data.X_train[:200], data.y_train[:200], data.schema, unit="pair", epsilon=4.0, delta=1e-6, random_state=0
    )


def table(n_labels: int = 60) -> ReceiverTable:
    data, places = digits(), np.arange(n_labels)
    return ReceiverTable(data.schema, data.X_test, places, data.y_test[places])


def accuracy(release: Release) -> float:
    source = label_free_sources([release], digits().schema, digits().X_test)
    return float((joint_scores(source, digits().X_test).argmax(axis=1) == digits().y_test).mean())


def test_releases_are_grouped_by_what_can_be_read_as_one() -> None:
    assert poolable([owner(0), metric(), owner(1), metric()], range(4)) == [[0, 2], [1], [3]]


def test_three_owners_know_more_than_each_of_them() -> None:
    together = accuracy(pooled([owner(0), owner(1), owner(2)], [0, 1, 2]).release)
    assert together > max(accuracy(owner(place)) for place in range(3))


def test_owners_who_agree_are_read_as_one() -> None:
    (pool,) = pools_by_labels([owner(0), owner(1), owner(2)], table())
    assert pool.places == (0, 1, 2)
    assert sum(pool.shares) == pytest.approx(1)


def test_an_owner_of_shuffled_labels_is_left_to_itself() -> None:
    wrong = owner(2, 30.0, shuffled=True)  # hardly any noise: it would count most
    pools = pools_by_labels([owner(0), wrong, owner(1)], table())
    assert sorted(pool.places for pool in pools) == [(0, 2), (1,)]


def test_one_release_is_read_as_before() -> None:
    (pool,) = pools_by_labels([owner(0)], table())
    assert pool.release is owner(0)


def test_without_labels_owners_are_pooled_and_noise_stays_out() -> None:
    releases, X = [owner(0), owner(1, 0.01), owner(2)], digits().X_test
    sources = label_free_sources(releases, digits().schema, X)
    assert [source.weight > 0 for source in sources] == [True, False, True]
    (together,) = pooled_sources(releases, sources, digits().schema, X)
    right = (joint_scores([together], X).argmax(axis=1) == digits().y_test).mean()
    assert right > max(accuracy(owner(0)), accuracy(owner(2)))


def test_drop_out_of_one_of_four_owners_changes_little() -> None:
    releases, X, truth = [owner(place, 4.0) for place in range(4)], digits().X_test[:300], digits().y_test[:300]

    def predicted(chosen: list[Release]) -> np.ndarray:
        sources = label_free_sources(chosen, digits().schema, X)
        return np.asarray(joint_scores(pooled_sources(chosen, sources, digits().schema, X), X).argmax(axis=1))

    everybody = predicted(releases)
    for gone in (0, 3):
        rest = predicted([each for place, each in enumerate(releases) if place != gone])
        assert (rest == everybody).mean() > 0.9
        assert (rest == truth).mean() > (everybody == truth).mean() - 0.04


def test_evidence_tells_the_weight_of_each_release() -> None:
    pools = [ReleasePool(owner(0), (0, 2), (0.75, 0.25)), ReleasePool(metric(), (1,), (1.0,))]
    assert by_release(pools, np.array([2.0, 0.5])).tolist() == [1.5, 0.5, 0.5]
    assert notes_by_release(pools, ["a", "b"]) == ("a; read as one with 1 more", "b", "a; read as one with 1 more")


def test_a_model_of_two_owners_says_what_each_weighs() -> None:
    data = digits()
    y = few_labels(data.y_test, per_class=3, random_state=0)
    releases = [owner(0, 4.0, rows=600), owner(1, 4.0, rows=600)]
    model = TransferClassifier(releases, schema=data.schema, evidence=False, random_state=0).fit(data.X_test, y)
    assert len(model.sources_) == 1
    assert len(model.evidence_.weights) == len(model.evidence_.notes) == 2
    assert min(model.evidence_.weights) > 0
