from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

from tacit.arrays import FloatArray
from tacit.records import record


@record
class Point:
    place: FloatArray
    name: str = ""


def test_a_record_cannot_be_changed_and_has_fields() -> None:
    point = Point(np.zeros(2), "origin")
    assert [field.name for field in fields(point)] == ["place", "name"]
    with pytest.raises(FrozenInstanceError):
        point.name = "elsewhere"  # type: ignore[misc]


def test_a_record_equals_itself_alone_so_that_arrays_are_never_asked_for_one_truth() -> None:
    point = Point(np.zeros(2))
    assert point == point
    assert point != Point(np.zeros(2))
    assert len({point, Point(np.zeros(2))}) == 2
