import json

import numpy as np
import pytest

from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Image, Schema
from tacit.models.class_moments.frames import (
    SCALES,
    ColumnFrame,
    Frame,
    ImageFrame,
    frame_parts,
    frames_between,
    stored_frame,
)

LABEL = Label("c", ("0", "1"))


def pictures(side: int) -> Schema:
    names = tuple(f"p{place}" for place in range(side * side))
    return Schema((*(Numeric(name, (0, 1)) for name in names), LABEL), image=Image(names, (side, side)))


def test_shared_columns_come_in_the_owners_units_and_places() -> None:
    ours = Schema((Numeric("b", (0, 10)), Numeric("only ours", (0, 1)), Numeric("a", (0, 1)), LABEL))
    theirs = Schema((Numeric("a", (0, 1)), Numeric("b", (0, 20)), LABEL))
    (frame,) = frames_between(ours, theirs)
    assert isinstance(frame, ColumnFrame)
    rows = np.array([[1.0, 0.3, 0.25]])  # b = 10, a = 0.25 in natural units
    values = dict(zip(frame.theirs.tolist(), frame(rows)[0].tolist(), strict=True))
    assert values == pytest.approx({0: 0.25, 1: 0.5})
    assert frame(rows).dtype == np.float32
    assert frame.note.startswith("2 columns shared by name")


def test_tables_without_a_common_column_have_no_frame() -> None:
    assert frames_between(Schema((Numeric("a", (0, 1)), LABEL)), Schema((Numeric("b", (0, 1)), LABEL))) == []


def test_pictures_of_one_shape_are_taken_as_they_are_up_to_rounding() -> None:
    (frame,) = frames_between(pictures(8), pictures(8))
    assert isinstance(frame, ImageFrame)
    rows = np.random.default_rng(0).random((3, 64))
    assert frame(rows) == pytest.approx(rows, abs=1e-5)
    assert frame.theirs.tolist() == list(range(64))


def test_pictures_of_another_shape_are_placed_at_several_scales() -> None:
    frames = frames_between(pictures(8), pictures(16))
    assert [frame.scale for frame in frames if isinstance(frame, ImageFrame)] == list(SCALES)
    rows = np.random.default_rng(0).random((3, 64))
    for frame in frames:
        assert frame(rows).shape == (3, 256)
        assert "8 x 8 placed in a frame of 16 x 16" in frame.note


@pytest.mark.parametrize(
    "frame",
    [
        ColumnFrame(np.array([2, 0]), np.array([2.0, 1.0]), np.array([0.5, 0.0]), np.array([1, 3]), "two columns"),
        ImageFrame(np.arange(64), (8, 8), (16, 16), 0.8, centred=True, note="pictures"),
    ],
)
def test_the_parts_of_a_file_give_the_frame_back(frame: Frame) -> None:
    arrays, settings = frame_parts(frame)
    again = stored_frame(arrays, json.loads(json.dumps(settings)))
    assert type(again) is type(frame)
    assert again.note == frame.note
    rows = np.random.default_rng(0).random((3, 64))
    assert np.array_equal(again(rows), frame(rows))
    assert np.array_equal(again.theirs, frame.theirs)
