from functools import cache

import numpy as np
import pytest

from tacit.adoption.pictures.label_free_sources import joint_scores, label_free_source, label_free_sources
from tacit.data.public.datasets import ImageSet, load_digits
from tacit.errors import InputError
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.pair_metric import KIND as PAIR_METRIC
from tacit.releases.file import Release


@cache
def digits() -> ImageSet:
    return load_digits()


@cache
def release(epsilon: float, *, shuffled: bool = False) -> Release:
    data = digits()
    y = np.random.RandomState(1).permutation(data.y_train) if shuffled else data.y_train
    return CLASS_MOMENTS.release(
        data.X_train, y, data.schema, unit="record", epsilon=epsilon, delta=1e-6, random_state=0
    )


def test_parts_of_a_good_release_agree_and_its_scores_know_the_classes() -> None:
    source = label_free_source(release(4.0), digits().schema, digits().X_test)
    assert source.agreement is not None
    assert source.agreement.kappa > 0.5
    assert source.weight == source.agreement.kappa
    scores = joint_scores([source], digits().X_test)
    assert scores.std() == pytest.approx(1)
    assert (scores.argmax(axis=1) == digits().y_test).mean() > 0.8


def test_noise_is_refused() -> None:
    with pytest.raises(InputError, match="more of your rows than chance"):
        label_free_sources([release(0.01)], digits().schema, digits().X_test)


def test_a_release_at_chance_beside_a_good_one_counts_nothing() -> None:
    good, noise = label_free_sources([release(4.0), release(0.01)], digits().schema, digits().X_test)
    assert noise.weight == 0
    alone = joint_scores([good], digits().X_test)
    assert joint_scores([good, noise], digits().X_test) == pytest.approx(alone)


def test_without_releases_or_class_scores_there_is_nothing_to_learn_from() -> None:
    with pytest.raises(InputError, match="there is no release"):
        label_free_sources([], digits().schema, digits().X_test)
    data = digits()
    metric = PAIR_METRIC.release(
        data.X_train[:200], data.y_train[:200], data.schema, unit="pair", epsilon=4.0, delta=1e-6, random_state=0
    )
    assert label_free_source(metric, data.schema, data.X_test).weight == 0
