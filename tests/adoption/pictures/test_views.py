import numpy as np
import pytest

from tacit.adoption.pictures.views import GRADIENTS, PLAIN, SHARES, PrincipalAxes, RowView, own_views, released_views
from tacit.models.class_moments.frames import ColumnFrame, ImageFrame
from tacit.numerics.images import oriented_gradients

ROWS = np.random.default_rng(0).random((30, 16)).astype(np.float32)
PIXELS = np.arange(16)


def frame(*shape: int) -> ImageFrame:
    return ImageFrame(PIXELS, (4, 4), shape, note="a frame")


def test_shares_are_of_unit_length_and_forget_the_total() -> None:
    seen = RowView(SHARES)(ROWS)
    assert np.allclose((seen**2).sum(axis=1), 1)
    assert np.allclose(seen, RowView(SHARES)(3 * ROWS), atol=1e-6)
    for row, image in zip(ROWS[:3], seen[:3], strict=True):
        assert np.allclose(image, [np.sqrt(each / sum(row)) for each in row], atol=1e-6)


def test_an_empty_row_has_no_shares() -> None:
    assert not RowView(SHARES)(np.zeros((1, 4), np.float32)).any()


def test_gradients_are_taken_in_the_owners_frame() -> None:
    view = RowView(GRADIENTS, frame(8, 8))
    placed = frame(8, 8)(ROWS)
    assert np.array_equal(view(ROWS), oriented_gradients(placed, (8, 8)))
    assert "oriented gradients" in view.note
    assert "a frame" in view.note


def test_releases_of_pictures_bring_views_and_tables_bring_none() -> None:
    columns = ColumnFrame(PIXELS, np.ones(16), np.zeros(16), PIXELS)
    assert list(released_views([columns, None])) == []
    assert [view.form for view in released_views([frame(4, 4)])] == [GRADIENTS]
    assert [view.form for view in released_views([frame(8, 8)])] == [PLAIN, GRADIENTS]


def test_only_amounts_have_shares() -> None:
    forms = [[view.form for view in own_views(rows, pictures=False)] for rows in (ROWS, ROWS - 1)]
    assert forms == [[PLAIN, SHARES], [PLAIN]]
    assert [view.form for view in own_views(ROWS, pictures=True)] == [PLAIN]


@pytest.mark.parametrize("form", [PLAIN, SHARES])
def test_a_basis_keeps_distances_between_rows(form: str) -> None:
    basis = PrincipalAxes.of(ROWS, RowView(form))
    seen, coordinates = RowView(form)(ROWS), basis(ROWS)
    assert np.allclose(np.linalg.norm(coordinates[0] - coordinates[1]), np.linalg.norm(seen[0] - seen[1]), atol=1e-5)
