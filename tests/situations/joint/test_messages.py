"""Signed messages: read as written, refused if changed, foreign or out of turn."""

import numpy as np
import pytest

from tacit.releases.signature import generate_key
from tacit.situations.joint import messages
from tacit.situations.joint.messages import OPEN, UPLOAD, Message
from tacit.situations.joint.refusals import JoinRefusal, JoinRefusedError

MESSAGE = Message("ab", UPLOAD, 3, {"active": [0, 2]}, {"total": np.array([1, -2], np.int64)})


def code(raised: pytest.ExceptionInfo[JoinRefusedError]) -> JoinRefusal:
    return raised.value.code


def test_a_message_is_read_as_it_was_written() -> None:
    read = Message.from_bytes(MESSAGE.to_bytes())
    assert (read.plan, read.stage, read.query) == ("ab", UPLOAD, 3)
    assert read.parties("active", count=3) == (0, 2)
    assert read.array("total", np.int64, (2,)).tolist() == [1, -2]
    assert read.to_bytes() == MESSAGE.to_bytes()


@pytest.mark.parametrize(
    "raw", [b"", b"x", bytes(8), bytes([255] * 40), MESSAGE.to_bytes()[:-1], MESSAGE.to_bytes() + b"x"]
)
def test_bytes_that_are_no_message_are_refused(raw: bytes) -> None:
    with pytest.raises(JoinRefusedError) as raised:
        Message.from_bytes(raw)
    assert code(raised) is JoinRefusal.MESSAGE


def test_an_unknown_stage_is_refused() -> None:
    with pytest.raises(JoinRefusedError):
        Message.from_bytes(Message("ab", "gossip", 0, {}, {}).to_bytes())


def test_a_message_of_another_plan_stage_or_query_is_refused() -> None:
    assert MESSAGE.require("ab", UPLOAD, 3) is MESSAGE
    with pytest.raises(JoinRefusedError) as raised:
        MESSAGE.require("cd", UPLOAD, 3)
    assert code(raised) is JoinRefusal.PLAN
    for stage, query in ((OPEN, 3), (UPLOAD, 2)):
        with pytest.raises(JoinRefusedError) as raised:
            MESSAGE.require("ab", stage, query)
        assert code(raised) is JoinRefusal.MESSAGE


@pytest.mark.parametrize("numbers", [None, "0", [2, 0], [0, 0], [3], [-1], [0.5], [True]])
def test_a_list_of_parties_that_is_none_is_refused(numbers: object) -> None:
    with pytest.raises(JoinRefusedError):
        Message("ab", UPLOAD, 0, {"active": numbers}, {}).parties("active", count=3)


def test_an_array_of_another_type_or_shape_is_refused() -> None:
    for name, dtype, shape in (("other", np.int64, None), ("total", np.uint64, None), ("total", np.int64, (3,))):
        with pytest.raises(JoinRefusedError):
            MESSAGE.array(name, dtype, shape)


def test_an_envelope_is_opened_with_the_key_of_its_signer_alone() -> None:
    key, other = generate_key(), generate_key()
    envelope = messages.signed(MESSAGE.to_bytes(), key)
    assert messages.opened(envelope, key.public_key()).query == 3
    for raw, reader in ((envelope, other), (envelope[:-1] + b"x", key), (b"", key)):
        with pytest.raises(JoinRefusedError):
            messages.opened(raw, reader.public_key())


def test_pieces_of_bytes_travel_as_rows() -> None:
    assert messages.stacked([b"ab", b"cd"]).tolist() == [[97, 98], [99, 100]]
    assert messages.stacked([]).shape == (0, 0)
    assert messages.as_array(b"ab").tobytes() == b"ab"


def test_every_code_has_a_sentence_and_strangers_are_unknown() -> None:
    assert all(each.sentence.startswith("refused") for each in JoinRefusal)
    assert JoinRefusal.read("budget") is JoinRefusal.BUDGET
    assert JoinRefusal.read("row 7") is JoinRefusal.UNKNOWN
    assert JoinRefusal.read(None) is JoinRefusal.UNKNOWN
