"""A receiver's columns and categories, matched by name to the owner's levels."""

import numpy as np

from tacit.data.schemas.columns import Categorical, Numeric
from tacit.data.schemas.schema import Schema
from tacit.models.additive.levels import levels_of
from tacit.models.additive.matching import (
    UNKNOWN,
    CategorySource,
    NumberSource,
    column_sources,
    source_codes,
    sources_from_list,
    sources_to_list,
)

OWNER = Schema(
    (
        Numeric("age", (0, 100)),
        Categorical("city", ("Oslo", "Rome"), missing="category"),
        Numeric("dose", (0, 1)),
        Categorical("ward", ("a", "b")),
    )
)
LEVELS = levels_of(OWNER.features)
OURS = Schema(
    (
        Categorical("city", ("Rome", "Paris", "Oslo"), missing="category"),
        Numeric("age", (20, 70), missing="flag"),
        Categorical("dose", ("low", "high")),
    )
)


def test_columns_are_matched_by_name_and_kind() -> None:
    age, city, dose, ward = column_sources(OURS, OWNER)
    assert age == NumberSource(4, 20.0, 70.0, 5)
    assert city == CategorySource(0, (1, UNKNOWN, 0, 2))
    assert dose is None, "ours is a category, theirs a number"
    assert ward is None, "we have none"


def test_cells_get_the_owners_levels() -> None:
    X = np.zeros((4, len(OURS.encoded_names)))
    X[:, 4] = [0.0, 0.5, 1.0, 0.5]
    X[3, 5] = 1.0
    X[[0, 1, 2, 3], [0, 1, 2, 3]] = 1.0
    codes = source_codes(X, column_sources(OURS, OWNER), LEVELS)
    assert codes[:3, 0].tolist() == LEVELS[0].codes(np.array([20.0, 45.0, 70.0])).tolist()
    assert codes[3, 0] == LEVELS[0].size - 1
    assert codes[:, 1].tolist() == [1, UNKNOWN, 0, 2]
    assert (codes[:, 2:] == UNKNOWN).all()


def test_categories_without_a_common_name_are_no_source() -> None:
    other = Schema((Categorical("ward", ("x", "y")),))
    assert column_sources(other, OWNER) == (None, None, None, None)


def test_sources_survive_their_file_form() -> None:
    sources = column_sources(OURS, OWNER)
    assert sources_from_list(sources_to_list(sources)) == sources
