from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from tacit.errors import InputError
from tacit.models import parts
from tacit.models.parts import PartSettings, in_blocks, learn_parts
from tacit.numerics.partition import neighbouring_parts

GOOD: dict[str, Any] = {"n_components": 3, "n_layers": 2, "part_size": 20, "overlap": 1}
Y = np.random.default_rng(0).normal(size=(90, 4))


def test_each_group_is_learned_from_its_own_parts_in_order() -> None:
    groups = [np.arange(50)[::-1], np.arange(50, 90)]
    learned = learn_parts(lambda rows: rows, Y, groups, PartSettings(**GOOD), n_jobs=None)
    for group, models in zip(groups, learned, strict=True):
        expected = [Y[rows] for rows in neighbouring_parts(Y, group, 20, 1)]
        assert len(models) == len(expected) > 1
        assert all(np.array_equal(model, rows) for model, rows in zip(models, expected, strict=True))


def test_without_a_part_size_a_group_is_one_part() -> None:
    settings = PartSettings(**{**GOOD, "part_size": None})
    assert learn_parts(len, Y, [np.arange(60), np.arange(5)], settings, n_jobs=None) == [[60], [5]]


def test_the_models_do_not_depend_on_the_number_of_jobs() -> None:
    one, two = (
        learn_parts(lambda rows: rows.sum(), Y, [np.arange(90)], PartSettings(**GOOD), n_jobs=jobs)
        for jobs in (None, 2)
    )
    assert one == two


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_blocks_come_back_in_order(monkeypatch: pytest.MonkeyPatch, n_jobs: int | None) -> None:
    monkeypatch.setattr(parts, "ROWS_AT_ONCE", 7)
    pieces = in_blocks(lambda block: block.sum(axis=1), Y[:50], n_jobs=n_jobs)
    assert [len(piece) for piece in pieces] == [7] * 7 + [1]
    assert np.array_equal(np.concatenate(pieces), Y[:50].sum(axis=1))


def test_few_rows_are_one_block_and_never_copied() -> None:
    (block,) = in_blocks(lambda block: block, Y, n_jobs=2)
    assert block is Y


def test_settings_are_read_from_an_estimator_by_name() -> None:
    estimator = BaseEstimator()
    for name, value in {**GOOD, "random_state": 0}.items():
        setattr(estimator, name, value)
    assert PartSettings.of(estimator) == PartSettings(**GOOD)


@pytest.mark.parametrize(
    ("name", "value"), [("n_components", 0), ("n_components", 2.5), ("n_layers", 0), ("part_size", 0), ("overlap", 0)]
)
def test_a_wrong_setting_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=name):
        PartSettings(**{**GOOD, name: value})
