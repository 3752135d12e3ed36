"""What the transfer tables share: one receiver measured with and without a release of pictures."""

from collections.abc import Callable

import numpy as np
import pytest

from tacit.adoption.pictures.classifier import TransferClassifier
from tacit.data.public.datasets import ImageSet
from tacit.data.public.splits import few_labels
from tacit.experiments.results import ADOPTED, PUBLIC_VIEW, RELEASE_ALONE, TARGET_ONLY
from tacit.experiments.transfer_runs import measure, measure_releases, receiver, release_images, training_receiver
from tacit.privacy.budget import Unit

METHODS = [TARGET_ONLY, PUBLIC_VIEW, RELEASE_ALONE, ADOPTED]


@pytest.fixture
def images(digits: Callable[..., ImageSet]) -> ImageSet:
    return digits(8, 600, 400)


def split(images: ImageSet) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    y = few_labels(images.y_test[:250], per_class=4, random_state=0)
    return (images.X_test[:250], y), (images.X_test[250:], images.y_test[250:])


def test_a_release_of_pictures_protects_what_it_says(images: ImageSet) -> None:
    release = release_images(images, unit="entry", epsilon=2.0, delta=1e-6, seed=0)
    assert (release.card.unit, release.card.epsilon, release.card.delta) == (Unit.ENTRY, 2.0, 1e-6)
    again = release_images(images, unit="entry", epsilon=2.0, delta=1e-6, seed=0)
    other = release_images(images, unit="entry", epsilon=2.0, delta=1e-6, seed=1)
    np.testing.assert_array_equal(release.arrays["means"], again.arrays["means"])
    assert not np.array_equal(release.arrays["means"], other.arrays["means"])


def test_each_way_to_learn_is_measured_and_a_good_release_helps(images: ImageSet) -> None:
    train, test = split(images)
    release = release_images(images, unit="record", epsilon=20.0, delta=1e-5, seed=0)
    accuracies = measure(release, images.schema, train, test, seed=0)
    assert list(accuracies) == METHODS
    assert accuracies[RELEASE_ALONE] > 0.8
    assert accuracies[ADOPTED] >= accuracies[TARGET_ONLY] - 0.03
    assert min(accuracies.values()) > 0.5


def test_several_releases_are_measured_like_one(images: ImageSet) -> None:
    train, test = split(images)
    releases = {
        unit: release_images(images, unit=unit, epsilon=epsilon, delta=1e-6, seed=0)
        for unit, epsilon in (("record", 20.0), ("entry", 5.0))
    }
    together = measure_releases(releases, images.schema, train, test, seed=0)
    assert list(together["record"]) == METHODS
    assert list(together["entry"]) == METHODS
    assert together["record"][TARGET_ONLY] == together["entry"][TARGET_ONLY]
    alone = measure(releases["record"], images.schema, train, test, seed=0)
    assert together["record"] == pytest.approx(alone)


def test_releases_that_choose_other_frames_are_measured_by_themselves(digits: Callable[..., ImageSet]) -> None:
    owner, receiver_images = digits(24, 600, 50), digits(16, 50, 400)
    train, test = split(receiver_images)
    releases = {
        f"{unit} {epsilon:g}": release_images(owner, unit=unit, epsilon=epsilon, delta=1e-6, seed=0)
        for unit, epsilon in (("entry", 5.0), ("entry", 0.01), ("record", 0.01))
    }
    together = measure_releases(releases, receiver_images.schema, train, test, seed=0)
    views = {
        name: TransferClassifier([release], schema=receiver_images.schema, evidence=False, random_state=0)
        .fit(*train)
        .sources_[0]
        .note
        for name, release in releases.items()
    }
    assert len(set(views.values())) > 1
    for name, release in releases.items():
        assert together[name] == pytest.approx(measure(release, receiver_images.schema, train, test, seed=0))


def test_nobody_is_both_received_and_tested_on(images: ImageSet) -> None:
    (X, y), (X_test, truth) = receiver(images, 250, 5, seed=0)
    assert (len(X), len(X_test)) == (250, 150)
    assert not {row.tobytes() for row in X} & {row.tobytes() for row in X_test}
    assert np.bincount(y[y >= 0]).tolist() == [5] * 10
    assert (truth >= 0).all()


def test_a_receiver_of_training_pictures_has_some_of_them_and_labels_of_every_class(images: ImageSet) -> None:
    X, y = training_receiver(images, 300, 4, 1)
    assert X.shape == (300, 64)
    assert np.bincount(y[y >= 0]).tolist() == [4] * 10
    assert {row.tobytes() for row in X} <= {row.tobytes() for row in images.X_train}
    assert not np.array_equal(X, training_receiver(images, 300, 4, 2)[0])
