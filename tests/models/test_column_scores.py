import numpy as np
import pytest

from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.models.column_scores import ColumnMatch, ColumnScores, stored_column_scores

LABEL = Label("c", ("0", "1"))
OURS = Schema((Numeric("b", (0, 10)), Numeric("only ours", (0, 1)), Numeric("a", (0, 1)), LABEL))
THEIRS = Schema((Numeric("a", (0, 1)), Numeric("only theirs", (0, 1)), Numeric("b", (0, 20)), LABEL))
MATCH = ColumnMatch.of(OURS.shared_with(THEIRS))
ROWS = np.array([[1.0, 0.3, 0.25], [0.5, 0.9, 1.0]])  # b = 10 and 5, a = 0.25 and 1 in natural units


def test_shared_columns_come_in_the_owners_units() -> None:
    columns = dict(zip(MATCH.theirs.tolist(), MATCH(ROWS).T.tolist(), strict=True))
    assert columns == {0: pytest.approx([0.25, 1.0]), 2: pytest.approx([0.5, 0.25])}


def test_columns_that_we_lack_hold_the_middle() -> None:
    placed = MATCH.placed(ROWS, np.array([9.0, 0.5, 9.0]))
    assert placed == pytest.approx(np.array([[0.25, 0.5, 0.5], [1.0, 0.5, 0.25]]))


def test_scores_are_affine_in_the_shared_columns_and_are_stored() -> None:
    W, b = np.array([[1.0, -1.0], [2.0, 0.5]]), np.array([0.1, 0.2])
    scores = ColumnScores(MATCH, W, b)
    assert scores(ROWS) == pytest.approx(MATCH(ROWS) @ W + b)
    again = stored_column_scores(*scores.to_parts())
    assert np.array_equal(again(ROWS), scores(ROWS))


def test_tables_that_share_nothing_have_an_empty_match() -> None:
    match = ColumnMatch.of(OURS.shared_with(Schema((Numeric("z", (0, 1)), LABEL))))
    assert match(ROWS).shape == (2, 0)
