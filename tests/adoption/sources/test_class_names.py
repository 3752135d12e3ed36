"""Classes of releases under the receiver's names."""

from functools import cache

import numpy as np
import pytest

import tacit
from tacit.adoption.sources.class_names import renamed_classes
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.registry import kind_by_name
from tacit.releases.file import Release
from tacit.releases.lesson import owner_schema

COLUMNS = tuple(Numeric(f"x{place}", (0.0, 1.0)) for place in range(3))


def schema(*classes: str) -> Schema:
    return Schema((*COLUMNS, Label("y", classes)))


@cache
def released() -> Release:
    draw = np.random.default_rng(0)
    X = draw.random((3000, 3))
    y = (X[:, 0] + 0.2 * draw.normal(size=3000) > 0.5).astype(np.intp)
    return kind_by_name("additive").release(X, y, schema("no", "yes"), epsilon=1.0, delta=1e-6, random_state=0)


def test_only_the_names_of_classes_change() -> None:
    (found,) = renamed_classes([released()], {"yes": "ill"})
    assert owner_schema(found).classes == ("no", "ill")
    assert all(np.array_equal(array, released().arrays[name]) for name, array in found.arrays.items())
    assert found.card == released().card
    assert renamed_classes([released()], {}) == [released()]


def test_a_release_is_adopted_under_other_names_even_without_labels() -> None:
    ours = schema("ill", "well")
    X = np.random.default_rng(1).random((500, 3))
    rows = Encoded(X, np.full(500, -1), ours.encoded_names, ours.classes)
    model = tacit.adopt([released()], rows, ours, rename={"yes": "ill", "no": "well"})
    ill = model.classifier.predict(X) == 0
    assert ((X[:, 0] > 0.5) == ill).mean() > 0.9
    with pytest.raises(InputError, match="at least two classes by name"):
        tacit.adopt([released()], rows, ours)


def test_unknown_and_clashing_names_are_refused() -> None:
    with pytest.raises(InputError, match="classes of the releases: no, yes; got 'maybe'"):
        renamed_classes([released()], {"maybe": "ill"})
    with pytest.raises(InputError, match="keep the classes of a release apart"):
        renamed_classes([released()], {"yes": "no"})
