"""Digits adopted without any label, measured small."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from tacit.adoption.pictures.label_free_transfer import label_free_network
from tacit.data.public.datasets import ImageSet
from tacit.experiments.results import ADOPTED, RELEASE_ALONE, TARGET_ONLY, ResultRow
from tacit.experiments.tables import adoption_none
from tacit.privacy.accounting import gaussian_epsilon

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def test_every_receiver_is_measured_and_knows_digits_without_a_label(
    shrink: Callable[..., None], digits: Callable[..., ImageSet], checked: Checked
) -> None:
    adoption_none._release.cache_clear()
    network = label_free_network()
    shrink(
        adoption_none,
        _mnist=lambda: digits(24, 600, 350),
        SEEDS=1,
        SCANS_SEEDS=1,
        RECEIVED=250,
        SETTINGS=(("MNIST", 5.0),),
        SECOND_ROUND=("MNIST", 5.0),
        TOTAL_EPSILON=8.0,
        label_free_network=lambda: network.set_params(n_steps=40),
    )
    rows = checked(adoption_none.rows())
    by_setting = {row.setting: {other.method: other for other in rows if other.setting == row.setting} for row in rows}
    assert len(by_setting) == 2
    for setting, by_method in by_setting.items():
        assert by_method[ADOPTED].mean > 0.5
        assert by_method[ADOPTED].mean > by_method[TARGET_ONLY].mean + 0.3
        assert RELEASE_ALONE in by_method
        assert ("scans" in setting) != (adoption_none.ANSWERED in by_method)
        assert ("scans" in setting) != (adoption_none.ADOPTED_ANSWER in by_method)


def test_release_and_answer_cost_the_total_together() -> None:
    left = adoption_none.left_epsilon(0.5, 0.1, 1e-5)
    assert 0.48 < left < 0.5
    squares = sum(1 / adoption_none._multiplier(epsilon, 1e-5) ** 2 for epsilon in (0.1, left))
    assert gaussian_epsilon(1 / np.sqrt(squares), 1e-5) == pytest.approx(0.5)


def test_five_classes_keep_a_fifth_of_their_rows(shrink: Callable[..., None], digits: Callable[..., ImageSet]) -> None:
    shrink(adoption_none, _mnist=lambda: digits(24, 50, 450), RECEIVED=330)
    _, (X, y), (X_test, _) = adoption_none._received("MNIST, five classes cut to a fifth", 0)
    assert (y < 5).sum() < 0.3 * (y >= 5).sum()
    whole = {row.tobytes() for row in X}
    assert not any(row.tobytes() in whole for row in X_test)
