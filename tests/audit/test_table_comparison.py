import json
import math
from dataclasses import replace

import pytest
from tests.models.marginals.conftest import SCHEMA, people

from tacit.audit.table_comparison import LearnerAreas, compare_tables
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


def test_copied_rows_are_told_from_rows_of_the_same_law() -> None:
    copied, drawn = (compare_tables(REAL, each, SCHEMA, HELD_OUT) for each in (REAL, OTHER))
    assert copied.closeness is not None
    assert drawn.closeness is not None
    assert copied.closeness.copies > 0.99 > drawn.closeness.copies
    assert all(value == 0 for value in copied.variations.values())
    assert copied.correlation_gap == 0
    assert copied.impossible == 0


def test_json_holds_every_figure_and_says_that_it_is_not_to_be_handed_out() -> None:
    found = compare_tables(REAL, OTHER, SCHEMA, HELD_OUT)
    content = json.loads(json.dumps(found.to_dict()))
    assert "not to be handed out" in content["private"]
    assert content["rows"] == {"private": 900, "fabricated": 900}
    assert set(content["total_variation"]) == set(content["total_variation_of_held_out_rows"]) == {"1", "2", "3"}
    assert content["closest_record"]["membership_auc"] == found.closeness.attack.area  # type: ignore[union-attr]
    assert content["auc"]["boosting"]["real"] == found.learned["boosting"].real
    assert compare_tables(REAL, OTHER, SCHEMA).to_dict()["closest_record"] is None


def test_an_area_that_is_not_known_is_null_in_json() -> None:
    found = replace(compare_tables(REAL, OTHER, SCHEMA), learned={"boosting": LearnerAreas(0.9, math.nan)})
    assert found.to_dict()["auc"] == {"boosting": {"real": 0.9, "fabricated": None}}


def test_a_notebook_warns_that_the_figures_are_of_private_rows() -> None:
    page = compare_tables(REAL, OTHER, SCHEMA)._repr_html_()
    assert "For the owner alone: not private." in page
    for words in ("900 real, 900 fabricated", "Distance of 3-way tables", "AUC by boosting"):
        assert words in page


def test_a_pair_of_columns_that_never_meets_is_named() -> None:
    """Points follow the grade in the real rows; drawn apart from each other, they meet where no real row does."""
    table = people(900, 2)
    apart = encode(table.with_columns(points=table["points"].shuffle(seed=1)), SCHEMA)
    found = compare_tables(REAL, apart, SCHEMA)
    assert found.impossible > 0.1
    assert found.impossible_pairs[0].columns == ("grade", "points")
    shares = [each.share for each in found.impossible_pairs]
    assert shares == sorted(shares, reverse=True)
    grade, points = (found.names.index(name) for name in ("grade", "points"))
    assert found.pairs[grade, points] > 3 * max(found.pairs[grade, grade], found.pairs[points, points])
    assert found.pairs == pytest.approx(found.pairs.T)
