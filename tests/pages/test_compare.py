"""The page of a comparison says what the comparison found, and what it could not find."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from tests.models.marginals.conftest import SCHEMA, people

from tacit.audit.table_comparison import LearnerAreas, TableComparison, compare_tables
from tacit.data.rows.encoding import encode
from tacit.pages.charts import percent
from tacit.pages.compare import KEEP, MOST_IMPOSSIBLE, MOST_MAPPED, compare_page, headline
from tacit.pages.named_map import DARKEST
from tacit.similarity.joint_cells import ImpossiblePair

REAL, HELD_OUT, OTHER = (encode(people(300, seed), SCHEMA) for seed in (0, 1, 2))


@pytest.fixture(scope="module")
def comparison() -> TableComparison:
    return compare_tables(REAL, OTHER, SCHEMA, HELD_OUT)


def page(comparison: TableComparison) -> str:
    return compare_page(comparison, REAL, OTHER, SCHEMA)


def test_the_page_warns_that_it_is_computed_from_private_rows(comparison: TableComparison) -> None:
    text = page(comparison)
    assert KEEP in text
    assert 'role="alert"' in text
    assert "300 fabricated rows beside 300 private ones" in text


def test_the_page_loads_nothing(comparison: TableComparison) -> None:
    text = page(comparison)
    assert not re.search(r'(src|href)="https?:', text)
    assert "<script src" not in text


def test_the_headline_holds_the_figures(comparison: TableComparison) -> None:
    words = headline(comparison)
    assert percent(comparison.variations[2]) in words
    assert percent(comparison.impossible, 2) in words
    for name, areas in comparison.learned.items():
        assert f"{name} {areas.fabricated:.3f} (real rows {areas.real:.3f})" in words


def test_without_a_label_nothing_is_said_about_learning(comparison: TableComparison) -> None:
    text = page(replace(comparison, learned={}))
    assert "Area under the ROC curve on real rows" not in text
    assert "Trained on fabricated rows" not in text


def test_an_area_that_could_not_be_measured_is_a_dash(comparison: TableComparison) -> None:
    text = page(replace(comparison, learned={"boosting": LearnerAreas(0.7, math.nan)}))
    assert "<td>–</td>" in text
    assert "<td>0.700</td>" in text


def test_held_out_rows_have_a_column_of_their_own(comparison: TableComparison) -> None:
    assert "held-out real rows" in page(comparison)
    alone = page(replace(comparison, held_out_variations={}, closeness=None))
    assert "held-out real rows" not in alone
    assert "Give --holdout" in alone


def test_the_pair_that_is_furthest_apart_is_named(comparison: TableComparison) -> None:
    size = len(comparison.names)
    pairs = np.full((size, size), 0.01)
    pairs[0, 2] = pairs[2, 0] = 0.4
    # A single column that is further apart still is no pair.
    pairs[1, 1] = 0.9
    text = page(replace(comparison, pairs=pairs))
    assert f"Furthest apart: {comparison.names[0]} and {comparison.names[2]}, {percent(0.4)}." in text


def test_every_cell_of_the_map_names_its_columns_and_is_as_dark_as_it_is_far(comparison: TableComparison) -> None:
    size = len(comparison.names)
    pairs = np.full((size, size), 0.1)
    pairs[0, 1] = 0.2
    text = page(replace(comparison, pairs=pairs))
    assert f'title="{comparison.names[0]} and {comparison.names[1]}: {percent(0.2)}"' in text
    strengths = [int(value) for value in re.findall(r'class="apart" style="--strength: (\d+)%"', text)]
    assert sorted(set(strengths)) == [DARKEST // 2, DARKEST]
    assert strengths.count(DARKEST) == 1


def test_tables_that_are_equal_divide_by_nothing(comparison: TableComparison) -> None:
    text = page(replace(comparison, pairs=np.zeros_like(comparison.pairs)))
    assert "nan" not in text


def test_wide_tables_show_their_first_columns(comparison: TableComparison) -> None:
    names = tuple(f"c{place}" for place in range(MOST_MAPPED + 5))
    wide = replace(comparison, names=names, pairs=np.zeros((len(names), len(names))))
    text = page(wide)
    assert f"c{MOST_MAPPED - 1}" in text
    assert f">c{MOST_MAPPED - 1} {MOST_MAPPED}<" in text
    assert f"c{MOST_MAPPED} " not in text


def test_impossible_pairs_are_listed_up_to_a_number(comparison: TableComparison) -> None:
    assert "None: every combination" in page(replace(comparison, impossible_pairs=()))
    many = tuple(ImpossiblePair((f"first{place}", "second"), 0.01) for place in range(MOST_IMPOSSIBLE + 3))
    text = page(replace(comparison, impossible_pairs=many))
    assert f"first{MOST_IMPOSSIBLE - 1} and second" in text
    assert f"first{MOST_IMPOSSIBLE} and second" not in text


def test_broken_constraints_are_said_only_where_there_are_some(comparison: TableComparison) -> None:
    assert "break a constraint" not in page(replace(comparison, broken=0.0))
    assert f"{percent(0.25, 2)} of rows break a constraint" in page(replace(comparison, broken=0.25))


def test_names_of_columns_are_text(comparison: TableComparison) -> None:
    names = ("<script>alert(1)</script>", *comparison.names[1:])
    assert "<script>alert" not in page(replace(comparison, names=names))
