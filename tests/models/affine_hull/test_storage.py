from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from tacit.errors import ReleaseError
from tacit.models.affine_hull.classifier import AffineHullClassifier
from tacit.models.affine_hull.storage import classifier_from_model, classifier_to_model
from tacit.releases.file import Model, read_model, write_model

X, CODES = load_digits(n_class=5, return_X_y=True)
ROWS = (X / 16).astype(np.float32)


def fitted(labels: Any = CODES, **settings: Any) -> AffineHullClassifier:
    shape = {"part_size": 60, "n_layers": 2, "rank": 30, **settings}
    return AffineHullClassifier(random_state=0, **shape).fit(ROWS[::2], np.asarray(labels)[::2])


@pytest.mark.parametrize("labels", [CODES, CODES - 2, np.array(list("abcde"))[CODES], CODES > 2])
def test_a_classifier_comes_back_from_its_file(labels: Any, tmp_path: Path) -> None:
    model = fitted(labels)
    write_model(classifier_to_model(model), tmp_path / "hull.tacit")
    back = classifier_from_model(read_model(tmp_path / "hull.tacit"))
    assert np.array_equal(back.classes_, model.classes_)
    assert np.allclose(back.class_distances(ROWS), model.class_distances(ROWS), atol=1e-6)
    assert np.array_equal(back.predict(ROWS), model.predict(ROWS))
    assert back.get_params() == {**model.get_params(), "random_state": None}


def test_parts_of_unequal_shape_are_kept(tmp_path: Path) -> None:
    """A class of one row, one of equal rows, and one of many parts."""
    rows = np.concatenate([ROWS[CODES == 0], ROWS[:1], np.repeat(ROWS[1:2], 20, axis=0)])
    labels = np.repeat([0, 1, 2], [len(rows) - 21, 1, 20])
    model = AffineHullClassifier(part_size=40, n_layers=3, random_state=0).fit(rows, labels)
    write_model(classifier_to_model(model), tmp_path / "hull.tacit")
    back = classifier_from_model(read_model(tmp_path / "hull.tacit"))
    assert [len(parts) for parts in back.hulls_] == [len(parts) for parts in model.hulls_]
    assert np.allclose(back.class_distances(ROWS), model.class_distances(ROWS), atol=1e-6)


def test_a_row_costs_its_encoding_and_its_coefficients() -> None:
    model = fitted(n_layers=1, part_size=None, n_components=10, rank=20)
    size = sum(array.nbytes for array in classifier_to_model(model).arrays.values())
    directions = 5 * 64 * (20 + 1) * 4
    assert size == pytest.approx(len(ROWS[::2]) * (10 + 20 + 1) * 4 + directions, rel=0.02)


def test_another_kind_of_model_is_refused() -> None:
    with pytest.raises(ReleaseError, match="affine_hull_classifier"):
        classifier_from_model(Model("transfer_model", {}, {}))


def with_array(file: Model, name: str, array: Any) -> Model:
    return replace(file, arrays={**file.arrays, name: array})


def test_a_file_whose_arrays_do_not_fit_together_is_refused() -> None:
    file = classifier_to_model(fitted())
    shapes = file.arrays["shapes"]
    broken = [
        replace(file, arrays={name: array for name, array in file.arrays.items() if name != "means"}),
        replace(file, settings={name: value for name, value in file.settings.items() if name != "classes"}),
        replace(file, settings={**file.settings, "classes": [0, 1]}),
        with_array(file, "coefficients", file.arrays["coefficients"][:-1]),
        with_array(file, "directions", file.arrays["directions"][1:]),
        with_array(file, "shapes", shapes[:-1]),
        with_array(file, "shapes", -shapes),
        with_array(file, "shapes", shapes[:, :3]),
        with_array(file, "numbers", file.arrays["numbers"][:-1]),
    ]
    for each in broken:
        with pytest.raises(ReleaseError, match="misses a part"):
            classifier_from_model(each)
