"""Correlations in words: the strongest, what was lost, and nothing that the encoding alone makes."""

import numpy as np
import pytest

from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.pages.correlations import LEAST_NAMED, MOST_NAMED, correlation_part, different_columns, largest_pairs
from tacit.similarity.table_similarity import correlations

SCHEMA = Schema(
    (Numeric("age", (0, 1)), Categorical("sex", ("f", "m")), Numeric("dose", (0, 1)), Label("ill", ("no", "yes")))
)


def rows(slope: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    age, male = rng.random(4000), rng.integers(0, 2, 4000)
    dose = slope * age + (1 - abs(slope)) * rng.random(4000)
    return np.column_stack([age, 1 - male, male, dose])


def said(*tables: np.ndarray) -> str:
    names = ("fabricated", "original")
    return str(correlation_part([(name, correlations(X)) for name, X in zip(names, tables, strict=False)], SCHEMA))


def test_categories_of_one_column_are_no_pair() -> None:
    apart = different_columns(SCHEMA)
    names = SCHEMA.encoded_names
    pairs = {(names[i], names[j]) for i, j in zip(*np.nonzero(apart), strict=True)}
    loops = {
        (first, second)
        for place, first in enumerate(names)
        for second in names[place + 1 :]
        if first.split(" = ")[0] != second.split(" = ")[0]
    }
    assert pairs == loops


def test_the_strongest_pair_is_named_with_its_sign() -> None:
    X = rows(-0.7)
    value = np.corrcoef(X[:, 0], X[:, 3])[0, 1]
    assert f"Strongest: age and dose −{abs(value):.2f}".replace("0.", ".") in said(X)


def test_tables_without_any_dependence_say_so() -> None:
    assert "No two columns are correlated" in said(rows(0.0))


def test_a_lost_correlation_is_named_as_least_kept() -> None:
    text = said(rows(0.0, seed=1), rows(0.7))
    assert "Least kept: age and dose" in text
    assert "instead of +." in text
    assert "Least kept" not in said(rows(0.7), rows(0.7))
    assert "no correlation is off by 0.05 or more" in said(rows(0.7), rows(0.7))


def test_the_mean_difference_is_over_pairs_of_different_columns() -> None:
    first, second = rows(0.0, seed=1), rows(0.7)
    gap = np.abs(correlations(first) - correlations(second))
    pairs = [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)]
    assert f"differ by {np.mean([gap[pair] for pair in pairs]):.2f} on average" in said(first, second)


def test_only_the_largest_pairs_are_named_and_no_small_one() -> None:
    rng = np.random.default_rng(0)
    values = rng.uniform(-1, 1, (10, 10))
    upper = sorted((abs(values[i, j]) for i in range(10) for j in range(i + 1, 10)), reverse=True)
    assert [abs(values[place]) for place in largest_pairs(values)] == pytest.approx(upper[:MOST_NAMED])
    assert largest_pairs(np.full((3, 3), LEAST_NAMED / 2)) == []
    assert largest_pairs(np.ones((1, 1))) == []
