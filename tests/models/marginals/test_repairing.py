"""Rows that are changed to keep constraints."""

import numpy as np
import pytest

from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.models.marginals.conditioning import Rules
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.repairing import Repair
from tacit.models.marginals.tables import ColumnTable

COLUMNS = (
    Numeric("low", (0, 9), integer=True),
    Numeric("high", (0, 9), integer=True, missing="flag"),
    Categorical("sex", ("f", "m")),
    Categorical("pregnant", ("yes", "no"), missing="category"),
    Label("outcome", ("born", "other")),
)
CONSTRAINTS = ("low <= high", "pregnant = yes implies sex = f", "outcome = born implies pregnant = yes")


def layout(*constraints: str) -> Layout:
    return Layout.of(Schema(COLUMNS, constraints=constraints))


def table(*groups: int) -> ColumnTable:
    """Return a column with one fine cell for each level, in the given coarse cells."""
    levels = np.arange(len(groups))
    return ColumnTable(np.column_stack([levels, levels + 1]), np.ones((2, len(groups))), np.array(groups))


TABLES = (table(*[0] * 5, *[1] * 5), table(*[0] * 5, *[1] * 5, 2), table(0, 1), table(0, 1, 2))


def every_row() -> tuple[np.ndarray, np.ndarray]:
    grids = np.meshgrid(np.arange(10), np.arange(11), np.arange(2), np.arange(3), np.arange(2), indexing="ij")
    cells = np.stack([grid.ravel() for grid in grids], axis=1)
    return cells[:, :4] + 0.5, cells[:, 4]


def test_every_row_can_be_changed_to_keep_all_constraints() -> None:
    rules = layout(*CONSTRAINTS)
    places, classes = every_row()
    kept = Rules(rules).kept(places, classes)
    assert 0 < kept.mean() < 0.5
    changed, labels = Repair(rules, TABLES)(places, classes, np.random.RandomState(0))
    assert Rules(rules).kept(changed, labels).all()
    # Rows that kept them stay as they were, and so do the arguments.
    assert np.array_equal(changed[kept], places[kept])
    assert np.array_equal(places, every_row()[0])


def test_a_class_may_be_implied() -> None:
    rules = layout("sex = m implies outcome = other")
    places, classes = every_row()
    changed, labels = Repair(rules, TABLES)(places, classes, np.random.RandomState(0))
    assert np.array_equal(changed, places)
    assert (labels[places[:, 2] > 1] == 1).all()


def test_numbers_in_the_wrong_order_are_exchanged() -> None:
    places = np.array([[7.5, 3.5, 0.5, 1.5]])
    changed, _ = Repair(layout("low <= high"), TABLES)(places, np.array([1]), np.random.RandomState(0))
    assert np.floor(changed[0, :2]).tolist() == [3, 7]


@pytest.mark.parametrize("bounds", [(5, 9.5), (0, 4)])
def test_bounds_that_overlap_in_part_are_no_obstacle(bounds: tuple[float, float]) -> None:
    schema = Schema((Numeric("low", (0, 9)), Numeric("high", bounds)), constraints=("low <= high",))
    rules = Layout.of(schema)
    places = np.random.RandomState(0).uniform(size=(500, 2)) * [column.count for column in rules.columns]
    tables = [table(*[0] * column.count) for column in rules.columns]
    changed, classes = Repair(rules, tables)(places, np.zeros(500, dtype=np.int64), np.random.RandomState(1))
    assert Rules(rules).kept(changed, classes).all()


def test_numbers_in_the_wrong_order_are_exchanged_and_nothing_else_changes() -> None:
    places, classes = every_row()
    ordered = Repair(layout(*CONSTRAINTS), TABLES).ordered(places, classes)
    wrong = (places[:, 1] < 10) & (places[:, 0] > places[:, 1])
    assert wrong.any()
    assert np.array_equal(np.floor(ordered[wrong][:, :2]), np.floor(places[wrong][:, 1::-1]))
    assert np.array_equal(ordered[~wrong], places[~wrong])
    assert np.array_equal(ordered[:, 2:], places[:, 2:])
