"""The chain of digests: one spelling of its content, and every line bound to all before it."""

import hashlib
import math

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.files.hash_chain import Receipt, canonical, digest

HEX = "0f" * 32


def test_equal_content_has_one_spelling() -> None:
    assert canonical({"b": 1, "a": [True, None, "é"]}) == canonical({"a": [True, None, "é"], "b": 1})
    assert canonical({"a": np.float64(0.5), "n": np.int64(3)}) == '{"a":0.5,"n":3}'
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical({"a": math.nan})
    with pytest.raises(TypeError, match="set is not JSON"):
        canonical({"a": {1}})


def test_a_digest_depends_on_the_content_and_on_all_before_it() -> None:
    first = digest("one")
    assert first == hashlib.sha256(b"one").hexdigest()
    chain = [first, digest("two", first)]
    assert len({*chain, digest("two"), digest("two", digest("other")), digest("twice", first)}) == 5


def test_a_receipt_is_read_as_it_is_printed() -> None:
    receipt = Receipt(12, HEX)
    assert Receipt.parse(f" {receipt}\n") == receipt
    assert Receipt.parse(str(receipt).upper()) == receipt


@pytest.mark.parametrize(
    "text", ["", "12", "12:", "0:" + "0f" * 32, "-1:" + "0f" * 32, "1:" + "0g" * 32, "1:0f", "²:" + "0f" * 32]
)
def test_a_text_that_is_no_receipt_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="LINE:DIGEST"):
        Receipt.parse(text)
