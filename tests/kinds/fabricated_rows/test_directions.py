import numpy as np
import pytest

from tacit.data.public.schemas import image_schema
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Image, Schema
from tacit.kinds.fabricated_rows.deformations import deformed
from tacit.kinds.fabricated_rows.directions import BLOCK, MOST_COLUMNS, directions_of, waves

MIXED = Schema(
    (
        Numeric("age", (0, 100)),
        Categorical("sex", ("f", "m", "x")),
        Numeric("dose", (0, 1), missing="flag"),
        Label("ill", ("no", "yes")),
    )
)


@pytest.mark.parametrize("shape", [(8, 8), (5, 9), (4, 4, 3), (1, 7)])
def test_waves_are_orthonormal_and_the_first_is_constant(shape: tuple[int, ...]) -> None:
    V = waves(shape, 12)
    np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-12)
    first_channel = V[:: (*shape, 1)[2], 0]
    assert np.ptp(first_channel) < 1e-12


def test_waves_are_the_cosines_of_a_slow_formula() -> None:
    V = waves((4, 6), 24)
    rows, columns = np.indices((4, 6)).reshape(2, -1)
    for column in V.T:
        spectrum = [
            abs(column @ (np.cos(np.pi * (rows + 0.5) * u / 4) * np.cos(np.pi * (columns + 0.5) * v / 6)))
            for u in range(4)
            for v in range(6)
        ]
        assert sum(value > 1e-9 for value in spectrum) == 1


def test_no_row_of_a_table_is_longer_than_the_public_norm() -> None:
    directions = directions_of(MIXED)
    corners = [np.r_[a, np.eye(3)[k], b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1) for k in range(3)]
    lengths = np.linalg.norm(directions.coordinates(np.array(corners)), axis=1)
    assert lengths.max() <= directions.row_norm
    assert lengths.max() == pytest.approx(directions.row_norm)


def test_pixels_may_stand_in_any_order() -> None:
    names = ("a", "b", "c", "d")
    columns = tuple(Numeric(name, (0, 1)) for name in names)
    turned = Schema((*columns, Label("y", ("0", "1"))), image=Image(("d", "b", "a", "c"), (2, 2)))
    axes = directions_of(turned).axes
    assert axes is not None
    np.testing.assert_allclose(axes[[3, 1, 0, 2]], waves((2, 2), 100))


def test_coordinates_of_a_row_depend_on_that_row_alone() -> None:
    directions = directions_of(image_schema((6, 6), ("0", "1")))
    X = np.random.default_rng(0).random((BLOCK + 3, 36))
    assert np.array_equal(directions.coordinates(X)[:-1], directions.coordinates(X[:-1]))
    np.testing.assert_allclose(directions.rows(directions.coordinates(X[:5])), X[:5], atol=1e-9)


def test_wide_tables_have_no_correlations() -> None:
    wide = Schema((*(Numeric(f"x{k}", (0, 1)) for k in range(MOST_COLUMNS + 1)), Label("y", ("0", "1"))))
    assert not directions_of(wide).correlated
    assert directions_of(MIXED).correlated


def test_deformations_leave_a_flat_picture_and_move_others() -> None:
    pictures = np.stack([np.full(64, 0.5), np.eye(8).ravel()])
    made = deformed(pictures, (8, 8), 5, np.random.RandomState(0))
    assert made.shape == (5, 2, 64)
    np.testing.assert_allclose(made[:, 0], 0.5)
    assert (np.abs(made[:, 1] - pictures[1]).max(axis=1) > 0.05).all()
    assert made.min() >= 0
    assert made.max() <= 1
