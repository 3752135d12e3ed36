from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from tacit.errors import InputError
from tacit.models.affine_hull.layers import learn_deep, nearest_images, shifted
from tacit.models.affine_hull.wide import HullSettings, learn_wide, wide_distances, wide_images
from tacit.numerics.kernels import Floats
from tacit.numerics.partition import neighbouring_parts

GOOD: dict[str, Any] = {"n_components": 5, "n_layers": 2, "part_size": 60, "overlap": 2, "rank": 20}


def digits() -> Floats:
    X, _ = load_digits(return_X_y=True)
    return np.asarray(X[:400] / 16)


def test_each_part_is_learned_from_its_own_rows() -> None:
    Y, order = digits(), np.random.default_rng(0).permutation(300)
    (model,) = learn_wide(Y, [order], HullSettings(**GOOD), n_jobs=None)
    parts = neighbouring_parts(Y, order, 60, 2)
    assert len(model) == len(parts) > 3
    for part, members in zip(model, parts, strict=True):
        alone = learn_deep(Y[members], n_components=5, n_layers=2, rank=20)
        assert np.array_equal(part.layers[1].coefficients, alone.layers[1].coefficients)


def test_the_nearest_part_speaks_for_a_row() -> None:
    Y = digits()
    (model,) = learn_wide(Y, [np.arange(300)], HullSettings(**GOOD), n_jobs=None)
    rows = shifted(Y[300:], Y[0])
    squares = np.array([nearest_images(part, rows)[1] for part in model])
    assert len(set(squares.argmin(axis=0).tolist())) > 1
    assert np.allclose(wide_distances(model, rows), np.sqrt(squares.min(axis=0)))
    gaps = np.linalg.norm(Y[300:] - wide_images(model, rows), axis=1)
    assert np.allclose(wide_distances(model, rows), gaps)


def test_groups_do_not_mix() -> None:
    Y, settings = digits(), HullSettings(**{**GOOD, "part_size": None})
    both = learn_wide(Y, [np.arange(100), np.arange(100, 250)], settings, n_jobs=None)
    for model, members in zip(both, (Y[:100], Y[100:250]), strict=True):
        (part,) = model
        assert np.allclose(part.mean, members.mean(axis=0))
        assert part.layers[0].encodings.shape == (len(members), 5)


def test_the_result_does_not_depend_on_the_number_of_jobs() -> None:
    Y, settings = digits(), HullSettings(**GOOD)
    one, two = (learn_wide(Y, [np.arange(300)], settings, n_jobs=jobs)[0] for jobs in (None, 2))
    for first, second in zip(one, two, strict=True):
        assert np.allclose(first.layers[0].coefficients, second.layers[0].coefficients, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_components", 0), ("n_components", 2.5), ("n_layers", 0), ("part_size", 0), ("overlap", 0), ("rank", 0)],
)
def test_a_wrong_setting_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=name):
        HullSettings(**{**GOOD, name: value})
