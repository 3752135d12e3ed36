"""The printed transfer on small digits: its rows are the owner's, with the noise that is asked for, or without any."""

from collections.abc import Callable

import numpy as np
import pytest

from tacit.data.public.datasets import ImageSet
from tacit.data.public.splits import few_labels
from tacit.experiments.printed_transfer import (
    NOISE_ONLY,
    PRINTED,
    SOURCE_PRINTED,
    TARGET_PRINTED,
    measure_printed,
    owner_rows,
    setting_of,
)


@pytest.fixture
def images(digits: Callable[..., ImageSet]) -> ImageSet:
    return digits(8, 400, 300)


def test_rows_carry_the_noise_of_their_epsilon_and_none_without_one(images: ImageSet) -> None:
    still = owner_rows(images, epsilon=None, delta=1e-5, seed=0)
    np.testing.assert_array_equal(still.rows, images.X_train)
    np.testing.assert_array_equal(still.codes, images.y_train)
    noisy = owner_rows(images, epsilon=2.0, delta=1e-9, seed=0)
    # Laplace noise of scale 1/epsilon has the standard deviation sqrt(2)/epsilon.
    assert (noisy.rows - images.X_train).std() == pytest.approx(np.sqrt(2) / 2.0, rel=0.05)
    np.testing.assert_array_equal(noisy.codes, images.y_train)
    assert not np.array_equal(noisy.rows, owner_rows(images, epsilon=2.0, delta=1e-9, seed=1).rows)


def test_without_noise_the_source_is_good_and_with_much_noise_it_is_worth_no_more_than_noise(images: ImageSet) -> None:
    y = few_labels(images.y_test[:200], per_class=4, random_state=0)
    train, test = (images.X_test[:200], y), (images.X_test[200:], images.y_test[200:])
    clean, noisy, noise = (
        measure_printed(owner_rows(images, epsilon=epsilon, delta=1e-9, seed=0), images.schema, train, test, seed=0)
        for epsilon in (None, 0.1, NOISE_ONLY)
    )
    assert list(clean) == [SOURCE_PRINTED, TARGET_PRINTED, PRINTED]
    assert clean[TARGET_PRINTED] == noisy[TARGET_PRINTED] == noise[TARGET_PRINTED]
    assert clean[SOURCE_PRINTED] > 0.75
    assert max(noisy[SOURCE_PRINTED], noise[SOURCE_PRINTED]) < 0.3
    assert clean[PRINTED] > noisy[PRINTED] + 0.2
    # Whatever the bridge of eq. 84-86 gains, it gains from rows of noise as well.
    assert noisy[PRINTED] == pytest.approx(noise[PRINTED], abs=0.12)


def test_settings_are_named_by_epsilon() -> None:
    assert (setting_of(0.1), setting_of(1.0), setting_of(None)) == (
        "entry epsilon 0.1",
        "entry epsilon 1",
        "not private",
    )
