import json
from enum import StrEnum
from typing import Any

import numpy as np
import pytest

from tacit.errors import ReleaseError
from tacit.files import strict_json


class Colour(StrEnum):
    RED = "red"


def nested(depth: int) -> dict[str, Any]:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return {"a": value}


def test_equal_values_give_equal_bytes_whatever_their_order() -> None:
    left = strict_json.dump({"b": 1, "a": [True, None, "é", 0.1]})
    right = strict_json.dump({"a": [True, None, "é", 0.1], "b": 1})
    assert left == right == '{"a":[true,null,"é",0.1],"b":1}'.encode()


def test_what_is_dumped_is_loaded() -> None:
    value: dict[str, strict_json.Json] = {
        "numbers": [0, -1, 2**64 - 1, -(2**63), 0.1, -0.0, 5e-324, 1.7976931348623157e308],
        "text": ["", "\x00", "é", "𝄞", '"\\'],
        "rest": {"true": True, "null": None, "empty": {}},
    }
    assert strict_json.load(strict_json.dump(value), "it") == value


def test_tuples_numpy_scalars_and_enums_become_plain() -> None:
    given = {"a": (1, np.float64(0.5)), "b": np.int64(3), "c": np.bool_(True), "d": Colour.RED, "e": np.str_("x")}
    plain = strict_json.plain_object(given, "settings")
    assert plain == {"a": [1, 0.5], "b": 3, "c": True, "d": "red", "e": "x"}
    assert [type(plain[name]) for name in "abcde"] == [list, int, bool, str, str]


def test_a_plain_copy_shares_nothing_that_can_change() -> None:
    given: dict[str, Any] = {"a": {"b": [1]}}
    plain = strict_json.plain_object(given, "settings")
    given["a"]["b"].append(2)
    assert plain == {"a": {"b": [1]}}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), r"settings\.a must hold finite numbers only"),
        (np.float64("inf"), r"settings\.a must hold finite numbers only"),
        ([1, {"b": -float("inf")}], r"settings\.a must hold finite numbers only"),
        (2**64, r"settings\.a must hold whole numbers of at most 64 bits"),
        (-(2**63) - 1, "64 bits"),
        (np.zeros(2), "got ndarray. Arrays belong in 'arrays'"),
        (b"x", "got bytes"),
        (1j, "got complex"),
        ({1: 2}, r"each name in settings\.a must be text; got int"),
        ("\ud800", "valid Unicode"),
        ({"\ud800": 1}, "valid Unicode"),
        (nested(64), "nested deeper than 64"),
    ],
)
def test_what_json_cannot_hold_is_refused_with_its_place(value: Any, message: str) -> None:
    with pytest.raises(ReleaseError, match=message):
        strict_json.plain_object({"a": value}, "settings")


def test_something_else_than_a_mapping_is_refused() -> None:
    with pytest.raises(ReleaseError, match="settings must be a mapping of names to values; got list"):
        strict_json.plain_object([1], "settings")
    with pytest.raises(ReleaseError, match="each name in settings must be text; got int"):
        strict_json.plain_object({1: 1}, "settings")
    assert strict_json.optional_object(None, "schema") is None


def test_values_that_contain_themselves_are_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ReleaseError, match="nested deeper"):
        strict_json.plain_object({"a": endless}, "settings")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[1]",
        b"1",
        b"\xff",
        b'\xef\xbb\xbf{"a":1}',
        b'{"a":1,"a":1}',
        b'{"a":{"b":1,"b":2}}',
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":-Infinity}',
        b'{"a":1e999}',
        b'{"a":1} {"b":2}',
        b'{"a":18446744073709551616}',
        b'{"a":' + b"9" * 4000 + b"}",
        b'{"a":' + b"9" * 100_000 + b"}",
        b'{"a":"\\ud800"}',
        b'{"a":' + b"[" * 65 + b"]" * 65 + b"}",
        b"[" * 1_000_000,
        b'{"a":' * 1_000_000,
        b"[" * 1_000_000 + b"]" * 1_000_000,
    ],
    ids=lambda raw: repr(raw[:24]),
)
def test_loose_json_is_refused(raw: bytes) -> None:
    with pytest.raises(ReleaseError, match="it"):
        strict_json.load(raw, "it")


def test_64_levels_are_read_and_written() -> None:
    assert strict_json.load(json.dumps(nested(63)).encode(), "it") == nested(63)


def test_a_document_too_large_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(ReleaseError, match="at most 16777216 are allowed"):
        strict_json.load(b'{"a":1}' + b" " * 2**24, "it")
    with pytest.raises(ReleaseError, match="more than 1048576 values"):
        strict_json.load(b'{"a":[' + b"[]," * 600_000 + b"[]]}", "it")


def test_a_long_name_before_many_values_is_quick() -> None:
    raw = b'{"' + b"a" * 2_000_000 + b'":[' + b"1," * 500_000 + b"1]}"
    (value,) = strict_json.load(raw, "it").values()
    assert isinstance(value, list)
    assert len(value) == 500_001


def test_exact_names_says_what_is_missing_and_refuses_the_rest() -> None:
    strict_json.exact_names({"a": 1, "b": 2}, ("a", "b"), "it")
    with pytest.raises(ReleaseError, match="it must name a, b; it lacks b"):
        strict_json.exact_names({"a": 1}, ("a", "b"), "it")
    with pytest.raises(ReleaseError, match="it may name only a, b; it names something else as well"):
        strict_json.exact_names({"a": 1, "b": 2, "c": 3}, ("a", "b"), "it")
