"""Codes of refusals: what they say, how they are read again, and that nothing else gets out."""

import pickle

import pytest

from tacit.errors import BudgetExceededError, InputError
from tacit.interfaces.flower.refusals import NodeRefusal
from tacit.privacy.refusals import RefusalCode, RefusedError, code_of
from tacit.situations.joint.refusals import JoinRefusal

PROTOCOLS = (NodeRefusal, JoinRefusal)


@pytest.mark.parametrize("codes", PROTOCOLS)
def test_a_protocol_has_the_codes_that_every_problem_becomes(codes: type[RefusalCode]) -> None:
    assert {"budget", "unavailable", "unknown"} <= set(codes)
    assert all(code.sentence.startswith("refused") for code in codes)
    assert len({code.sentence for code in codes}) == len(codes)


@pytest.mark.parametrize("codes", PROTOCOLS)
def test_codes_travel_as_texts_and_are_the_same_when_read(codes: type[RefusalCode]) -> None:
    for code in codes:
        assert str(code) == code.value == code
        assert codes.read(str(code)) is code
        assert pickle.loads(pickle.dumps(code)) is code


@pytest.mark.parametrize("sent", ["row 4", "", "Budget", None, 3, ["budget"]])
def test_what_is_no_code_is_read_as_unknown(sent: object) -> None:
    assert NodeRefusal.read(sent) is NodeRefusal.UNKNOWN


def test_an_error_without_a_message_says_the_sentence_of_its_code() -> None:
    assert str(RefusedError(NodeRefusal.TERMS)) == NodeRefusal.TERMS.sentence
    assert str(RefusedError(NodeRefusal.TERMS, "hand_out = false")) == "hand_out = false"


def test_a_public_refusal_keeps_its_code_within_its_own_protocol() -> None:
    refused = RefusedError(NodeRefusal.TERMS, "hand_out = false")
    assert code_of(refused, NodeRefusal) is NodeRefusal.TERMS
    assert code_of(refused, JoinRefusal) is JoinRefusal.UNAVAILABLE


@pytest.mark.parametrize("codes", PROTOCOLS)
def test_other_errors_tell_no_more_than_that_there_was_one(codes: type[RefusalCode]) -> None:
    assert code_of(BudgetExceededError("0.3 is left"), codes) == "budget"
    assert code_of(InputError("row 7 of column 'age'"), codes) == "unavailable"
    assert code_of(KeyError("age"), codes) == "unavailable"
