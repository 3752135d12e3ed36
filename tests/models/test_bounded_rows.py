import numpy as np
import pytest

from tacit.errors import InputError
from tacit.models.bounded_rows import (
    bound_assumptions,
    bound_lists,
    clip_rows,
    public_row_norm,
    row_quantum,
    scaled_rows,
    shortened_rows,
    whole_sum,
)

LOW, HIGH = np.array([0.0, -1.0]), np.array([4.0, 1.0])


def test_no_row_of_the_cube_is_longer_than_the_default_norm() -> None:
    assert public_row_norm(None, 9) == 3.0
    assert public_row_norm(0.5, 9) == 0.5
    with pytest.raises(InputError, match="row_norm"):
        public_row_norm(0.0, 9)


def test_rows_are_cut_to_the_bounds_and_shortened_one_by_one() -> None:
    X = np.array([[4.0, 1.0], [1.0, -1.0], [99.0, -99.0], [2.0, 0.0]])
    cube = np.array([[1.0, 1.0], [0.25, 0.0], [1.0, 0.0], [0.5, 0.5]])
    rows = shortened_rows(X, (LOW, HIGH), 0.8)
    for row, full in zip(rows, cube, strict=True):
        length = np.linalg.norm(full)
        assert np.linalg.norm(row) <= 0.8
        assert row == pytest.approx(full * min(1.0, 0.8 / length), abs=1e-6)
    assert np.array_equal(scaled_rows(X, (LOW, HIGH), 0.8), rows / 0.8)
    assert (np.linalg.norm(scaled_rows(X, (LOW, HIGH), 0.8), axis=1) <= 1).all()


@pytest.mark.parametrize("norm", [0.3, 1.0, 7.0])
def test_shortened_rows_are_whole_and_their_sum_is_that_of_a_loop(norm: float) -> None:
    rows = clip_rows(np.random.default_rng(0).normal(size=(200, 4)), norm)
    quanta = rows / row_quantum(norm)
    assert (quanta == np.rint(quanta)).all()
    assert np.abs(quanta).max() < 2**27
    assert whole_sum(rows, norm).tolist() == [sum(int(row[j]) for row in quanta) for j in range(4)]
    assert whole_sum(rows[:0], norm).tolist() == [0, 0, 0, 0]


def test_bounds_become_numbers_and_lists() -> None:
    assert bound_lists((0, HIGH)) == {"low": 0.0, "high": [4.0, 1.0]}


def test_the_card_names_the_norm() -> None:
    assert "rows are shortened to norm 2.5, a public number" in bound_assumptions(2.5)
