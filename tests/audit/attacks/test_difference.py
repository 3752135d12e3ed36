"""Whether two sides differ by themselves, before any attack is believed."""

import numpy as np
import pytest

from tacit.audit.attacks.difference import MOST_ROWS, difference_without_release
from tacit.errors import InputError

DRAW = np.random.default_rng(0)


def test_rows_of_one_law_are_not_told_apart() -> None:
    rows = DRAW.normal(size=(600, 4))
    result = difference_without_release(rows[:300], rows[300:], seed=0)
    assert not result.tells_apart
    assert abs(result.area - 0.5) < 0.1


@pytest.mark.parametrize("kind", ["moved", "folded"])
def test_sides_that_differ_are_told_apart_by_a_line_or_by_trees(kind: str) -> None:
    members, others = DRAW.normal(size=(2, 400, 3))
    if kind == "moved":
        members[:, 0] += 1.0
    else:  # the same mean and no line between them
        members[:, 0] = np.abs(members[:, 0]) * np.sign(members[:, 1])
    result = difference_without_release(members, others, seed=0)
    assert result.tells_apart
    assert result.area > 0.6


def test_a_seed_repeats_the_answer_and_another_one_may_not() -> None:
    members, others = DRAW.normal(size=(2, 80, 2))
    areas = [difference_without_release(members, others, seed=seed).area for seed in (3, 3, 4)]
    assert areas[0] == areas[1]
    assert areas[0] != areas[2]


def test_one_row_a_side_is_refused() -> None:
    with pytest.raises(InputError, match="at least"):
        difference_without_release(np.zeros((1, 2)), np.ones((5, 2)))


def test_of_large_tables_a_part_is_looked_at() -> None:
    members = DRAW.normal(size=(MOST_ROWS + 500, 1))
    result = difference_without_release(members, members[:200], seed=0)
    assert len(result.members) == MOST_ROWS
