"""Cells that constraints forbid."""

import numpy as np
from tests.models.marginals.test_repairing import CONSTRAINTS, TABLES, layout, table

from tacit.data.schemas.columns import Numeric
from tacit.data.schemas.schema import Schema
from tacit.models.marginals.constraint_cells import LevelCells, constraint_zeros, ruled_out_cells
from tacit.models.marginals.layout import Layout


def test_cells_in_which_every_row_breaks_a_constraint_are_forbidden() -> None:
    order, implied = constraint_zeros(layout(*CONSTRAINTS), TABLES)
    assert order.columns == (0, 1)
    assert order.forbidden.tolist() == [[False, False, False], [True, False, False]]
    # Columns stand in the order of the schema: sex before pregnant.
    assert implied.columns == (2, 3)
    assert implied.forbidden.tolist() == [[False, False, False], [True, False, False]]


def test_a_missing_cell_contradicts_nothing_unless_it_is_asked_for() -> None:
    (zeros,) = constraint_zeros(layout("sex = m implies pregnant = missing"), TABLES)
    assert zeros.forbidden.tolist() == [[False, False, False], [True, True, False]]


def test_pooled_cells_that_hold_one_allowed_level_are_allowed() -> None:
    tables = (*TABLES[:2], table(0, 0), TABLES[3])
    assert constraint_zeros(layout("pregnant = yes implies sex = f"), tables) == []


def test_a_level_that_may_meet_what_is_implied_is_allowed() -> None:
    # One level of the second number holds the integers 12340 to 12349, some of which meet the condition.
    columns = (Numeric("a", (0, 1), integer=True), Numeric("b", (0, 30_000), integer=True))
    wide = Layout.of(Schema(columns, constraints=("a = 1 implies b <= 12345",)))
    b = wide.columns[1]
    cells = [LevelCells.single(column) for column in wide.columns]
    ruled_out = ruled_out_cells(cells, wide.schema.parsed_constraints)
    last = int(b.levels_at(np.array([12345.0]))[0])
    assert b.values(np.array([last + 0.9999]))[0] > 12345
    assert not ruled_out[1, : last + 1].any()
    assert ruled_out[1, last + 1 :].all()
    assert not ruled_out[0].any()


def test_constraints_rule_out_cells_of_larger_tables_and_with_the_label() -> None:
    rules = layout(*CONSTRAINTS)
    assert rules.label is not None
    sex, pregnant = (LevelCells.coarse(rules.columns[place], TABLES[place]) for place in (2, 3))
    ruled_out = ruled_out_cells([pregnant, LevelCells.single(rules.label), sex], rules.schema.parsed_constraints)
    assert ruled_out.shape == (3, 2, 2)
    yes, no, missing = ruled_out
    # A man is not pregnant, and nobody is born without a pregnancy; a missing cell contradicts nothing.
    assert yes.tolist() == [[False, True], [False, True]]
    assert no.tolist() == [[True, True], [False, False]]
    assert not missing.any()


def test_what_all_counted_rows_have_rules_out_cells_of_other_columns() -> None:
    rules = layout(*CONSTRAINTS)
    sex = LevelCells.single(rules.columns[2])
    pregnant = LevelCells(rules.columns[3], np.array([0, 1, 1]))
    constraints = rules.schema.parsed_constraints
    assert ruled_out_cells([sex], constraints, [pregnant]).tolist() == [False, True]
    assert not ruled_out_cells([sex], constraints).any()
