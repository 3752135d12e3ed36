from dataclasses import replace

import pytest
from tests.models.marginals.conftest import SCHEMA, people

from tacit.audit.table_comparison import compare_tables
from tacit.data.rows.encoding import encode
from tacit.data.schemas.schema import Schema

REAL, HELD_OUT, OTHER = (encode(people(900, seed), SCHEMA) for seed in (0, 1, 2))


def test_rows_of_the_same_kind_are_as_far_apart_as_held_out_ones() -> None:
    found = compare_tables(REAL, OTHER, SCHEMA, HELD_OUT)
    for count in (1, 2, 3):
        assert found.variations[count] == pytest.approx(found.held_out_variations[count], rel=0.25)
    assert found.impossible < 0.02
    assert found.closeness is not None
    assert all(abs(each.real - each.fabricated) < 0.03 for each in found.learned.values())


def test_without_held_out_rows_closeness_is_not_measured() -> None:
    found = compare_tables(REAL, OTHER, SCHEMA)
    assert found.closeness is None
    assert found.held_out_variations == {}
    assert set(found.learned) == {"logistic regression", "boosting"}


def test_broken_constraints_are_counted() -> None:
    stated = replace(SCHEMA, constraints=("outcome = well implies age < 30",))
    found = compare_tables(REAL, OTHER, stated)
    truth = people(900, 2)
    expected = ((truth["outcome"] == "well") & (truth["age"] >= 30)).mean()
    assert found.broken == pytest.approx(expected)


def test_a_table_without_a_label_is_compared() -> None:
    schema = Schema(SCHEMA.columns[:-1])
    first, second = (encode(people(200, seed).drop("outcome"), schema) for seed in (0, 1))
    found = compare_tables(first, second, schema)
    assert found.learned == {}
    assert "outcome" not in found.names
