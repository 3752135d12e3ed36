"""Rows as networks read them: pictures, tables with and without a schema, and what does not fit."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from tacit.arrays import Float32Array
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Image, Schema
from tacit.errors import InputError
from tacit.models.semi_supervised.inputs import ColumnLayout, PictureLayout, flat_rows, lay_out
from tacit.models.semi_supervised.training import augmentation_of

RNG = np.random.default_rng(0)


def rows(n: int, p: int) -> Float32Array:
    return RNG.random((n, p)).astype(np.float32)


def test_pictures_are_scaled_to_0_and_1_with_channels_first() -> None:
    flat = 255 * rows(5, 4 * 3 * 2)
    layout = lay_out(flat, image_shape=(4, 3, 2), schema=None)
    assert isinstance(layout, PictureLayout)
    assert layout.network_shape == (2, 4, 3)
    read = layout.read(flat)
    assert read.min() == 0
    assert read.max() == 1
    scaled = (flat - flat.min()) / (flat.max() - flat.min())
    assert_allclose(read[3, 1], scaled[3].reshape(4, 3, 2)[:, :, 1], atol=1e-6)
    assert layout.read(flat + 1000).max() == 1


def test_pictures_that_are_all_alike_are_read_too() -> None:
    flat = np.full((3, 4), 7.0, dtype=np.float32)
    assert np.isfinite(lay_out(flat, image_shape=(2, 2), schema=None).read(flat)).all()


@pytest.mark.parametrize("shape", [(6, 4, 5), (6, 3, 4, 5)])
def test_pictures_may_come_as_arrays_of_their_own_shape(shape: tuple[int, ...]) -> None:
    pictures = RNG.random(shape).astype(np.float32)
    flat, found = flat_rows(pictures)
    assert found == (4, 5, 1 if len(shape) == 3 else 3)
    read = PictureLayout(found, 0.0, 1.0).read(flat)
    assert_allclose(read, pictures.reshape(6, -1, 4, 5))


def test_columns_are_standardised_and_constant_ones_do_not_divide_by_0() -> None:
    table = rows(50, 3) * [1, 100, 0] + [0, -5, 3]
    layout = lay_out(table.astype(np.float32), image_shape=None, schema=None)
    assert isinstance(layout, ColumnLayout)
    read = layout.read(table.astype(np.float32))
    assert_allclose(read.mean(axis=0), 0, atol=1e-5)
    assert_allclose(read[:, :2].std(axis=0), 1, atol=1e-4)
    assert_allclose(read[:, 2], 0, atol=1e-6)
    varied = augmentation_of(layout).strong(torch.from_numpy(read)).numpy()
    assert (varied >= read.min(axis=0) - 1e-5).all()
    assert (varied <= read.max(axis=0) + 1e-5).all()


def test_a_rare_flag_stays_one_apart_from_its_absence() -> None:
    table = np.column_stack([np.arange(100) == 3, np.linspace(0, 1, 100)]).astype(np.float32)
    layout = lay_out(table, image_shape=None, schema=None)
    read = layout.read(table)
    assert np.ptp(read[:, 0]) == 1.0
    assert read[:, 1].std() == pytest.approx(1.0, abs=1e-4)


SCHEMA = Schema((Numeric("age", (0, 110), missing="flag"), Categorical("job", ("a", "b", "c")), Label("y", ("n", "y"))))


def test_a_schema_says_which_columns_belong_together_and_which_get_noise() -> None:
    layout = lay_out(rows(20, 5), image_shape=None, schema=SCHEMA)
    assert isinstance(layout, ColumnLayout)
    assert SCHEMA.encoded_names[1] != "job = a"  # a missing age has a flag of its own
    assert layout.features.tolist() == [0, 0, 1, 1, 1]
    assert layout.spread.tolist() == [1, 0, 0, 0, 0]
    assert_allclose(layout.low * layout.scale + layout.centre, 0, atol=1e-6)
    assert_allclose(layout.high * layout.scale + layout.centre, 1, atol=1e-6)


def test_a_schema_that_is_one_picture_needs_no_shape() -> None:
    names = tuple(f"p{place}" for place in range(6))
    schema = Schema((*(Numeric(name, (0, 1)) for name in names), Label("y", ("n", "y"))), image=Image(names, (2, 3)))
    layout = lay_out(rows(4, 6), image_shape=None, schema=schema)
    assert isinstance(layout, PictureLayout)
    assert layout.shape == (2, 3, 1)


@pytest.mark.parametrize(
    ("shape", "rule"),
    [
        ((28, 27), "as many values as X has columns, 784"),
        ((784,), r"must be \(height, width\)"),
        (28, r"must be \(height, width\)"),
        ((28, -28), "whole number of at least 1"),
        ("28x28", r"must be \(height, width\)"),
    ],
)
def test_a_wrong_image_shape_is_refused(shape: object, rule: str) -> None:
    with pytest.raises(InputError, match=f"image_shape .*{rule}"):
        lay_out(rows(2, 784), image_shape=shape, schema=None)


def test_columns_that_are_not_the_schemas_are_refused() -> None:
    with pytest.raises(InputError, match="5 encoded columns of the schema; got 4"):
        lay_out(rows(2, 4), image_shape=None, schema=SCHEMA)
