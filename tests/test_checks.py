"""Argument checks return the value they were given, or name the parameter, the rule and the value."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tacit import checks
from tacit.errors import BudgetError, InputError


@dataclass
class Settings:
    scale: Any = 1.0
    width: Any = 2.0


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, "1", b"1", True, None, 10**400])
def test_positive_refuses_what_is_no_finite_number_above_0(value: Any) -> None:
    with pytest.raises(InputError, match="scale must be a finite number above 0"):
        checks.positive("scale", value)


def test_positive_returns_a_float_of_any_kind_of_number() -> None:
    for value in (3, 3.0, np.float32(3), np.int64(3)):
        number = checks.positive("scale", value)
        assert type(number) is float
        assert number == 3.0


def test_an_error_is_of_the_kind_asked_for() -> None:
    with pytest.raises(BudgetError, match="epsilon must be"):
        checks.positive("epsilon", 0, error=BudgetError)


@pytest.mark.parametrize(("settings", "name"), [(Settings(scale=0), "scale"), (Settings(width=-1.0), "width")])
def test_the_attribute_that_is_not_positive_is_named(settings: Settings, name: str) -> None:
    with pytest.raises(InputError, match=f"{name} must be a finite number above 0"):
        checks.positive_attributes(settings, "scale", "width")
    checks.positive_attributes(Settings(), "scale", "width")


@pytest.mark.parametrize(("zero", "one", "allowed"), [(False, False, ()), (True, False, (0,)), (True, True, (0, 1))])
def test_the_ends_of_a_fraction_are_allowed_on_request(zero: bool, one: bool, allowed: tuple[int, ...]) -> None:
    for value in (0, 1):
        if value in allowed:
            assert checks.fraction("share", value, zero=zero, one=one) == value
        else:
            with pytest.raises(InputError, match="share must be in"):
                checks.fraction("share", value, zero=zero, one=one)
    assert checks.fraction("share", 0.5, zero=zero, one=one) == 0.5


@pytest.mark.parametrize("value", [0, 1.0, 1.5, True, "2", None])
def test_a_whole_number_is_no_boolean_fraction_or_text(value: Any) -> None:
    with pytest.raises(InputError, match="rows must be a whole number of at least 1"):
        checks.whole("rows", value)
    assert checks.whole("rows", np.int32(1)) == 1
    assert checks.whole("rows", 0, least=0) == 0


def test_one_of_returns_the_member_and_lists_the_others() -> None:
    assert checks.one_of("unit", "record", ("record", "pair")) == "record"
    with pytest.raises(InputError, match="unit must be one of 'record', 'pair'; got 'row'"):
        checks.one_of("unit", "row", ("record", "pair"))


@pytest.mark.parametrize("values", [[1.0, math.nan], [math.inf], ["a"], [[1.0], [2.0, 3.0]]])
def test_arrays_must_be_numeric_and_finite(values: Any) -> None:
    with pytest.raises(InputError, match="values must"):
        checks.finite_array("values", values)
    assert checks.finite_array("values", [1, 2]).dtype == np.float64
