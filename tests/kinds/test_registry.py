"""Which kind a table gets when none is named."""

from dataclasses import replace

import pytest

from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Image, Schema
from tacit.errors import InputError
from tacit.kinds.registry import DEFAULT_RULE, MOST_CURVES, default_kind, kind_for

LABEL = Label("class", ("a", "b"))


def numbers(count: int) -> Schema:
    return Schema((*(Numeric(f"x{place}", (0, 1)) for place in range(count)), LABEL))


def test_a_mixed_table_gets_curves() -> None:
    mixed = Schema((Numeric("age", (0, 100)), Categorical("sex", ("f", "m")), LABEL))
    assert default_kind(mixed).method == "additive"
    wide = replace(numbers(200), columns=(*numbers(200).features, Categorical("sex", ("f", "m")), LABEL))
    assert default_kind(wide).method == "additive"


def test_few_numbers_get_curves_and_many_get_class_sums() -> None:
    assert default_kind(numbers(MOST_CURVES)).method == "additive"
    assert default_kind(numbers(MOST_CURVES + 1)).method == "moments"


def test_pictures_and_entries_get_class_moments() -> None:
    few = numbers(4)
    picture = replace(few, image=Image(tuple(f"x{place}" for place in range(4)), (2, 2)))
    assert default_kind(picture).method == "moments"
    assert default_kind(few, "entry").method == "moments"
    assert default_kind(few, "person").method == "additive"


def test_a_named_method_is_taken() -> None:
    assert kind_for("linear", numbers(3)).method == "linear"
    assert kind_for(None, numbers(3)).method == "additive"
    with pytest.raises(InputError, match="method must be"):
        kind_for("telepathy", numbers(3))


def test_the_rule_in_words_names_both_kinds_and_the_limit() -> None:
    assert "additive" in DEFAULT_RULE
    assert "moments" in DEFAULT_RULE
    assert str(MOST_CURVES) in DEFAULT_RULE
