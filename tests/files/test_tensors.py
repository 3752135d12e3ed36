import json
import struct
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray

from tacit.errors import ReleaseError
from tacit.files import tensors

DTYPES = ["float64", "float32", "float16", "bool"] + [
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
]


def arrays() -> st.SearchStrategy[dict[str, NDArray[Any]]]:
    dtypes = st.sampled_from(DTYPES).map(np.dtype)
    shapes = npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
    elements = {"allow_nan": False, "allow_infinity": False}
    one = st.tuples(dtypes, shapes).flatmap(lambda each: npst.arrays(*each, elements=_elements(each[0], elements)))
    return st.dictionaries(st.from_regex(r"[a-z_][a-zA-Z0-9_]{0,8}", fullmatch=True), one, max_size=5)


def _elements(dtype: np.dtype[Any], options: dict[str, Any]) -> st.SearchStrategy[Any]:
    return npst.from_dtype(dtype, **options) if dtype.kind == "f" else npst.from_dtype(dtype)


def joined(given: dict[str, NDArray[Any]]) -> bytes:
    return b"".join(tensors.encode(given))


def member(entries: dict[str, Any], content: bytes) -> bytes:
    header = json.dumps(entries).encode()
    return struct.pack("<Q", len(header)) + header + content


@given(arrays())
@settings(max_examples=200)
def test_the_member_is_the_one_that_safetensors_writes_and_survives_the_way_back(
    given: dict[str, NDArray[Any]],
) -> None:
    checked = tensors.checked_arrays(given)
    raw = joined(checked)
    assert raw == safetensors.numpy.save({name: np.array(array, order="C") for name, array in given.items()})
    assert tensors.equal(safetensors.numpy.load(raw), given)
    assert tensors.equal(tensors.decode(raw, tensors.describe(checked)), given)


def test_any_layout_and_byte_order_is_stored_in_one_form() -> None:
    plain = np.arange(24.0).reshape(4, 6)
    others = [np.asfortranarray(plain), plain.astype(">f8"), np.repeat(plain, 2, axis=1)[:, ::2], plain[::-1][::-1]]
    assert {joined(tensors.checked_arrays({"a": other})) for other in others} == {
        joined(tensors.checked_arrays({"a": plain}))
    }


def test_a_contiguous_array_is_viewed_not_copied_and_cannot_be_written_through() -> None:
    given = np.arange(3.0)
    kept = tensors.checked_arrays({"a": given})["a"]
    assert np.shares_memory(kept, given)
    assert given.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 1


def test_arrays_read_are_aligned_views_of_the_file_and_read_only() -> None:
    given = tensors.checked_arrays({"a": np.zeros(3, np.int8), "b": np.zeros(5, np.float32), "c": np.zeros(2)})
    raw = joined(given)
    for array in tensors.decode(raw, tensors.describe(given)).values():
        assert np.shares_memory(array, np.frombuffer(raw, np.uint8))
        assert array.flags.aligned
        assert not array.flags.writeable


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("place", [0, 500, 999])
def test_a_value_that_is_not_finite_is_refused(bad: float, dtype: str, place: int) -> None:
    array = np.zeros((10, 100), dtype)
    array.reshape(-1)[place] = bad
    with pytest.raises(ReleaseError, match="array 'a' must hold finite numbers only"):
        tensors.checked_arrays({"a": array})


@pytest.mark.parametrize(
    "array",
    [
        np.array(["x"]),
        np.array([object()]),
        np.array([b"x"]),
        np.zeros(2, complex),
        np.zeros(2, "datetime64[s]"),
        np.zeros(2, [("a", float)]),
        np.zeros(2, np.longdouble),
    ],
    ids=lambda array: array.dtype.name,
)
def test_other_types_are_refused(array: NDArray[Any]) -> None:
    with pytest.raises(ReleaseError, match="array 'a' must be of one of the types"):
        tensors.checked_arrays({"a": array})


@pytest.mark.parametrize("value", [[1.0], 1.0, None, np.float64(1), np.ma.masked_array([1.0, 2.0], [True, False])])
def test_what_is_no_plain_array_is_refused(value: Any) -> None:
    with pytest.raises(ReleaseError, match="array 'a' must be a plain numpy array"):
        tensors.checked_arrays({"a": value})


@pytest.mark.parametrize("name", ["", "a b", "a.b", "../a", "1a", "é", "__metadata__ ", "a" * 129, 3, None])
def test_a_name_that_is_no_identifier_is_refused(name: Any) -> None:
    with pytest.raises(ReleaseError, match="the name of an array must be an identifier"):
        tensors.checked_arrays({name: np.zeros(1)})


def test_too_many_arrays_or_axes_are_refused() -> None:
    with pytest.raises(ReleaseError, match="at most 8 axes; got 9"):
        tensors.checked_arrays({"a": np.zeros((1,) * 9)})
    with pytest.raises(ReleaseError, match="at most 10000; got 10001"):
        tensors.checked_arrays({f"a{i}": np.zeros(1) for i in range(10_001)})
    with pytest.raises(ReleaseError, match="shape too large"):
        tensors.checked_arrays({"a": np.zeros((0, 2**33))})
    with pytest.raises(ReleaseError, match="arrays must be a mapping"):
        tensors.checked_arrays([np.zeros(1)])  # type: ignore[arg-type]


FLOATS = np.arange(4.0).tobytes()
HONEST = {
    "a": {"dtype": "F64", "shape": [2], "data_offsets": [0, 16]},
    "b": {"dtype": "F64", "shape": [2], "data_offsets": [16, 32]},
}
DESCRIBED: dict[str, Any] = {"a": {"dtype": "float64", "shape": [2]}, "b": {"dtype": "float64", "shape": [2]}}


def with_offsets(name: str, start: int, stop: int) -> dict[str, Any]:
    return {**HONEST, name: {**HONEST[name], "data_offsets": [start, stop]}}


def compact(entries: dict[str, Any], content: bytes = FLOATS) -> bytes:
    header = json.dumps(entries, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + content


def test_the_forgers_of_these_tests_can_write_an_honest_member() -> None:
    assert set(tensors.decode(compact(HONEST), DESCRIBED)) == {"a", "b"}


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\x01", id="cut header length"),
        pytest.param(struct.pack("<Q", 2**63) + b"{}", id="huge header length"),
        pytest.param(struct.pack("<Q", 100_000_000) + b"{}", id="header longer than the member"),
        pytest.param(compact(HONEST)[:-1], id="cut"),
        pytest.param(compact(HONEST) + b"\x00", id="trailing byte"),
        pytest.param(compact(with_offsets("b", 0, 16)), id="overlapping"),
        pytest.param(compact(with_offsets("b", 24, 40), FLOATS + bytes(8)), id="gap"),
        pytest.param(compact(with_offsets("b", 16, 2**62)), id="outside"),
        pytest.param(compact(with_offsets("b", -16, 0)), id="negative"),
        pytest.param(compact({**HONEST, "__metadata__": {"x": "y"}}), id="metadata"),
        pytest.param(compact({**HONEST, "c": {"dtype": "F64", "shape": [0], "data_offsets": [32, 32]}}), id="extra"),
        pytest.param(compact({"a": HONEST["a"]}, FLOATS[:16]), id="missing"),
        pytest.param(compact({**HONEST, "b": {"dtype": "I64", "shape": [2], "data_offsets": [16, 32]}}), id="type"),
        pytest.param(compact({**HONEST, "b": {"dtype": "F64", "shape": [1, 2], "data_offsets": [16, 32]}}), id="shape"),
        pytest.param(member(HONEST, FLOATS), id="spaces"),
        pytest.param(struct.pack("<Q", 10**6) + b"[" * 10**6 + FLOATS, id="deep header"),
    ],
)
def test_a_member_that_differs_from_its_description_is_refused(raw: bytes) -> None:
    with pytest.raises(ReleaseError, match="not of the types, shapes and total size described"):
        tensors.decode(raw, DESCRIBED)


@pytest.mark.parametrize(
    ("description", "message"),
    [
        (None, "must name at most"),
        ([], "must name at most"),
        ({f"a{i}": {"dtype": "bool", "shape": []} for i in range(10_001)}, "must name at most 10000"),
        ({"a b": {"dtype": "bool", "shape": []}}, "must be an identifier"),
        ({"a": None}, "must be a mapping"),
        ({"a": {"dtype": "bool"}}, "it lacks shape"),
        ({"a": {"dtype": "bool", "shape": [], "x": 1}}, "something else"),
        ({"a": {"dtype": "object", "shape": []}}, "must be of one of the types"),
        ({"a": {"dtype": "bfloat16", "shape": []}}, "must be of one of the types"),
        ({"a": {"dtype": None, "shape": []}}, "must be of one of the types"),
        ({"a": {"dtype": ["float64"], "shape": []}}, "must be of one of the types"),
        ({"a": {"dtype": "bool", "shape": 3}}, "list of whole numbers"),
        ({"a": {"dtype": "bool", "shape": [1.0]}}, "list of whole numbers"),
        ({"a": {"dtype": "bool", "shape": [True]}}, "list of whole numbers"),
        ({"a": {"dtype": "bool", "shape": [-1]}}, "list of whole numbers"),
        ({"a": {"dtype": "bool", "shape": [1] * 9}}, "at most 8 axes"),
        ({"a": {"dtype": "bool", "shape": [0, 2**62]}}, "shape too large"),
        ({"a": {"dtype": "float64", "shape": [2**31, 2**31, 2**31]}}, "shape too large"),
        ({"a": {"dtype": "float64", "shape": [2**31]}}, "total size described"),
    ],
    ids=range(19),
)
def test_a_malformed_description_is_refused(description: Any, message: str) -> None:
    with pytest.raises(ReleaseError, match=message):
        tensors.decode(compact(HONEST), description)


def test_bytes_that_are_neither_true_nor_false_are_refused() -> None:
    raw = compact({"a": {"dtype": "BOOL", "shape": [2], "data_offsets": [0, 2]}}, b"\x01\x02")
    array = tensors.decode(raw, {"a": {"dtype": "bool", "shape": [2]}})
    with pytest.raises(ReleaseError, match="array 'a' must hold true and false only"):
        tensors.checked_arrays(array)


def test_equal_compares_names_types_shapes_and_values() -> None:
    one = {"a": np.zeros(2)}
    assert tensors.equal(one, {"a": np.zeros(2)})
    for other in (
        {},
        {"b": np.zeros(2)},
        {"a": np.zeros(2, int)},
        {"a": np.zeros((2, 1))},
        {"a": np.array([0.0, 1.0])},
    ):
        assert not tensors.equal(one, other)
