"""The small table of replays, and its neighbours."""

import numpy as np
import pytest

from tacit.audit.neighbours import MIXED_SCHEMA, mixed_table, neighbouring_table
from tacit.privacy.budget import Unit


def test_the_table_is_one_of_its_schema() -> None:
    X, y = mixed_table()
    assert X.shape == (40, len(MIXED_SCHEMA.encoded_names))
    assert set(y.tolist()) == {0, 1}
    np.testing.assert_array_equal(X[:, 1] + X[:, 2], 1)
    assert X.min() >= 0
    assert X.max() <= 1


def test_a_record_more_is_one_row_at_the_end() -> None:
    (X, y), (more, labels) = mixed_table(), neighbouring_table(Unit.RECORD)
    np.testing.assert_array_equal(more[:-1], X)
    np.testing.assert_array_equal(labels[:-1], y)
    assert len(more) == len(X) + 1


def test_an_entry_changed_is_one_category_of_one_row() -> None:
    (X, y), (other, labels) = mixed_table(), neighbouring_table(Unit.ENTRY)
    assert np.flatnonzero((other != X).any(axis=1)).tolist() == [7]
    assert other[7, 0] == X[7, 0]
    assert other[7, 1:].tolist() == X[7, :0:-1].tolist()
    np.testing.assert_array_equal(y, labels)


@pytest.mark.parametrize("unit", [Unit.RECORD, Unit.ENTRY])
def test_a_neighbour_leaves_the_table_itself_as_it_was(unit: Unit) -> None:
    before = mixed_table()[0]
    neighbouring_table(unit)
    np.testing.assert_array_equal(mixed_table()[0], before)
