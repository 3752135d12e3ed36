"""Candidate parameters as safetensors: what is read, and what is refused."""

import json
import struct

import numpy as np
import pytest
import safetensors.numpy

from tacit.errors import InputError
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.parameters import (
    checked_vector,
    decode_parameters,
    encode_parameters,
    largest_body,
)

LINEAR = Architecture("linear", 3, 3)
MLP = Architecture("mlp", 3, 3, hidden=5, activation="tanh")
SINGLE = Architecture("mlp", 3, 1, hidden=2)


def drawn(architecture: Architecture, k: int = 7) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(k, architecture.n_parameters))


@pytest.mark.parametrize("architecture", [LINEAR, MLP, SINGLE], ids=["linear", "mlp", "single"])
def test_the_safetensors_library_reads_what_we_write_and_writes_what_we_read(architecture: Architecture) -> None:
    vector = drawn(architecture)[0]
    raw = encode_parameters(vector, architecture)
    theirs = safetensors.numpy.load(raw)
    assert {name: array.shape for name, array in theirs.items()} == architecture.layout
    np.testing.assert_array_equal(decode_parameters(safetensors.numpy.save(theirs), architecture), vector)
    single = {name: array.astype(np.float32) for name, array in theirs.items()}
    np.testing.assert_allclose(decode_parameters(safetensors.numpy.save(single), architecture), vector, rtol=1e-6)
    assert len(raw) == largest_body(architecture)


def test_bodies_that_are_not_the_declared_arrays_are_refused() -> None:
    raw = encode_parameters(drawn(LINEAR)[0], LINEAR)
    head = json.dumps({"weight": {"dtype": "F64", "shape": [3, 3], "data_offsets": [0, 10**12]}}).encode()
    for broken in (
        b"",
        b"\x80\x04.",
        raw[:-1],
        raw + b"\0",
        raw[8:],
        struct.pack("<Q", 2**63) + raw[8:],
        struct.pack("<Q", len(head)) + head,
        encode_parameters(drawn(MLP)[0], MLP),
        safetensors.numpy.save({"weight": np.zeros((3, 3)), "bias": np.zeros(3)}, metadata={"a": "b"}),
        safetensors.numpy.save({"weight": np.zeros((9, 1)), "bias": np.zeros(3)}),
        safetensors.numpy.save({"weight": np.zeros((3, 3), np.int64), "bias": np.zeros(3, np.int64)}),
    ):
        with pytest.raises(InputError, match=r"weight \[3, 3\], bias \[3\]"):
            decode_parameters(broken, LINEAR)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1.1e6, -1e300])
def test_numbers_that_are_none_or_huge_are_refused(value: float) -> None:
    weight = np.zeros((3, 3))
    weight[1, 2] = value
    raw = safetensors.numpy.save({"weight": weight, "bias": np.zeros(3)})
    with pytest.raises(InputError, match="finite numbers of at most"):
        decode_parameters(raw, LINEAR)


def test_tiny_numbers_become_zero_so_that_no_candidate_is_slow() -> None:
    assert checked_vector(np.array([1e-310, -1e-31, 1e-29])).tolist() == [0.0, 0.0, 1e-29]
