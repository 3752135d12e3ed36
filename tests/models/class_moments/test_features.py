import numpy as np
import pytest

from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Image, Schema
from tacit.models.bounded_rows import clip_rows
from tacit.models.class_moments.features import (
    IMAGE_FEATURES,
    ImageFeatures,
    ScaledColumns,
    class_sums_query,
    count_weight,
    features_of,
)

PIXELS = tuple(f"p{place}" for place in range(64))
PICTURE = Schema((*(Numeric(name, (0, 1)) for name in PIXELS), Label("digit", ("0", "1"))), image=Image(PIXELS, (8, 8)))


def test_no_row_of_a_table_is_longer_than_one() -> None:
    rows = np.random.default_rng(0).random((50, 7))
    features = ScaledColumns(7)
    assert features.size == 7
    assert features(rows) == pytest.approx((2 * rows - 1) / np.sqrt(7), abs=1e-6)
    corners = np.array([np.zeros(7), np.ones(7)])
    assert np.linalg.norm(features(corners), axis=1) == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("norm", [0.7, 1.0, 6.0])
def test_class_sums_and_counts_are_whole_and_those_of_a_loop(norm: float) -> None:
    rng = np.random.default_rng(1)
    rows, codes = clip_rows(rng.random((40, 3)), norm), rng.integers(0, 2, 40)
    weights = np.trunc(rng.random(40) * 2**26) / 2**26
    for shares in (None, weights):
        query = class_sums_query(rows, codes, 3, shares, row_norm=norm)
        factors = np.ones(40) if shares is None else shares
        for code in range(3):
            inside = codes == code
            assert query.values[code, :-1] == pytest.approx((rows * factors[:, None])[inside].sum(axis=0), abs=1e-5)
            assert query.values[code, -1] == count_weight(norm) * factors[inside].sum()


def test_pictures_have_rows_of_length_one_whatever_their_shape() -> None:
    features = ImageFeatures((8, 8))
    rows = np.random.default_rng(0).random((5, 64))
    assert features(rows).shape == (5, IMAGE_FEATURES) == (5, features.size)
    assert np.linalg.norm(features(rows), axis=1) == pytest.approx(np.ones(5), abs=0.1)
    larger = np.kron(rows.reshape(5, 8, 8), np.ones((2, 2))).reshape(5, 256)
    assert features(larger, (16, 16)).shape == (5, IMAGE_FEATURES)


def test_owner_and_receiver_compute_the_same_features() -> None:
    rows = np.random.default_rng(0).random((3, 64))
    assert np.array_equal(ImageFeatures((8, 8))(rows), ImageFeatures((8, 8))(rows))


def test_a_schema_of_pixels_has_features_of_pictures_and_any_other_of_columns() -> None:
    assert features_of(PICTURE) == ImageFeatures((8, 8))
    table = Schema((Numeric("a", (0, 1)), Categorical("b", ("x", "y", "z")), Label("c", ("0", "1"))))
    assert features_of(table) == ScaledColumns(4)
