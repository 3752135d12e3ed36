"""Argument checks whose messages name the parameter, the rule, the value and the way out."""

import math
import operator
from collections.abc import Collection
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from tacit.arrays import FloatArray
from tacit.errors import InputError

T = TypeVar("T")


def positive(name: str, value: Any, *, hint: str = "", error: type[InputError] = InputError) -> float:
    """Return ``value`` as a float if it is finite and above 0."""
    number = _number(name, value, f"a finite number above 0{hint}", error)
    if not (math.isfinite(number) and number > 0):
        raise error(f"{name} must be a finite number above 0{hint}; got {value!r}.")
    return number


def positive_attributes(owner: Any, *names: str) -> None:
    """Raise InputError unless each of these attributes of ``owner`` is finite and above 0."""
    for name in names:
        positive(name, getattr(owner, name))


def fraction(
    name: str, value: Any, *, zero: bool = False, one: bool = False, error: type[InputError] = InputError
) -> float:
    """Return ``value`` as a float in (0, 1), with either end allowed on request."""
    rule = f"in {'[' if zero else '('}0, 1{']' if one else ')'}"
    number = _number(name, value, rule, error)
    inside = 0 < number < 1 or (zero and number == 0) or (one and number == 1)
    if not inside:
        raise error(f"{name} must be {rule}; got {value!r}.")
    return number


def whole(name: str, value: Any, *, least: int = 1, error: type[InputError] = InputError) -> int:
    """Return ``value`` as an int of at least ``least``; booleans and fractions are refused."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < least:
        raise error(f"{name} must be a whole number of at least {least}; got {value!r}.")
    return number


def one_of(name: str, value: Any, allowed: Collection[T], *, error: type[InputError] = InputError) -> T:
    """Return the member of ``allowed`` that equals ``value``."""
    for member in allowed:
        if member == value:
            return member
    listed = ", ".join(repr(str(member)) for member in allowed)
    raise error(f"{name} must be one of {listed}; got {value!r}.")


def finite_array(name: str, values: ArrayLike) -> FloatArray:
    """Return ``values`` as a float64 array without NaN or infinity."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise InputError(f"{name} must be numeric; got {type(values).__name__}.") from problem
    if not np.isfinite(array).all():
        raise InputError(f"{name} must hold finite numbers only; got NaN or infinity. Impute or drop them first.")
    return array


def _number(name: str, value: Any, rule: str, error: type[InputError]) -> float:
    try:
        if isinstance(value, bool | str | bytes):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise error(f"{name} must be {rule}; got {value!r}.") from None
