"""Messages of a joint release: facts and arrays in one piece of bytes, signed by the party that sends it."""

import struct
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from numpy.typing import NDArray

from tacit.errors import ReleaseError
from tacit.files import strict_json, tensors
from tacit.records import record
from tacit.situations.joint.refusals import JoinRefusal, JoinRefusedError

# Stages of a run: a party opens, then for each query sends its masked share, signs who is in the total, and helps to
# unmask it.
OPEN, UPLOAD, AGREE, UNMASK, RECOVER = "open", "upload", "agree", "unmask", "recover"
STAGES = (OPEN, UPLOAD, AGREE, UNMASK, RECOVER)
# What an upload holds: a masked share of a total, or the release once no query is left.
MASKED, FINISHED = "masked", "finished"
_SIGNATURE = 64
_LENGTH = struct.Struct("<Q")


@record
class Message:
    """One message: which plan, stage and query it belongs to, further facts, and arrays."""

    plan: str
    stage: str
    query: int
    facts: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]

    def to_bytes(self) -> bytes:
        """Return the message as bytes; equal messages give equal bytes."""
        arrays = tensors.checked_arrays(self.arrays)
        content = {
            "plan": self.plan,
            "stage": self.stage,
            "query": self.query,
            "facts": strict_json.plain_object(self.facts, "facts"),
            "arrays": tensors.describe(arrays),
        }
        header = strict_json.dump(strict_json.plain_object(content, "message"))
        return b"".join([_LENGTH.pack(len(header)), header, *tensors.encode(arrays)])

    @classmethod
    def from_bytes(cls, raw: bytes) -> Self:
        """Return the message in ``raw``; anything else than a message is refused."""
        try:
            (length,) = _LENGTH.unpack_from(raw)
            start = _LENGTH.size + length
            content = strict_json.load(raw[_LENGTH.size : start], "message")
            strict_json.exact_names(content, ("plan", "stage", "query", "facts", "arrays"), "message")
            arrays = tensors.decode(raw[start:], content["arrays"])
            facts = strict_json.plain_object(content["facts"], "facts")
            plan, stage, query = content["plan"], content["stage"], content["query"]
        except (ReleaseError, struct.error) as problem:
            raise JoinRefusedError(JoinRefusal.MESSAGE) from problem
        if stage not in STAGES or not isinstance(plan, str) or type(query) is not int or query < 0:
            raise JoinRefusedError(JoinRefusal.MESSAGE)
        return cls(plan, str(stage), query, facts, arrays)

    def require(self, plan: str, stage: str, query: int) -> Self:
        """Return the message if it belongs to this plan, stage and query; a replayed one does not."""
        if self.plan != plan:
            raise JoinRefusedError(JoinRefusal.PLAN)
        if (self.stage, self.query) != (stage, query):
            raise JoinRefusedError(JoinRefusal.MESSAGE)
        return self

    def parties(self, name: str, *, count: int) -> tuple[int, ...]:
        """Return the fact ``name`` as a list of parties in rising order, numbers below ``count``."""
        numbers = self.facts.get(name)
        plain = isinstance(numbers, list) and all(type(each) is int and 0 <= each < count for each in numbers)
        if not plain or list(numbers or []) != sorted(set(numbers or [])):
            raise JoinRefusedError(JoinRefusal.MESSAGE)
        return tuple(numbers or ())

    def array(self, name: str, dtype: type[np.generic], shape: tuple[int, ...] | None = None) -> NDArray[Any]:
        """Return an array of the message, of this type and, where it is given, this shape."""
        array = self.arrays.get(name)
        if array is None or array.dtype != dtype or (shape is not None and array.shape != shape):
            raise JoinRefusedError(JoinRefusal.MESSAGE)
        return array


def signed(body: bytes, key: Ed25519PrivateKey) -> bytes:
    """Return ``body`` behind its signature."""
    return key.sign(body) + body


def opened(envelope: bytes, key: Ed25519PublicKey) -> Message:
    """Return the message in a signed envelope; one that is not signed by ``key`` is refused."""
    signature, body = envelope[:_SIGNATURE], envelope[_SIGNATURE:]
    try:
        key.verify(signature, body)
    except InvalidSignature:
        raise JoinRefusedError(JoinRefusal.MESSAGE) from None
    return Message.from_bytes(body)


def as_array(raw: bytes) -> NDArray[np.uint8]:
    """Return bytes as an array that travels in a message."""
    return np.frombuffer(raw, dtype=np.uint8)


def stacked(rows: list[bytes]) -> NDArray[np.uint8]:
    """Return pieces of equal length as the rows of an array; of none an array [0, 0]."""
    return np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), len(rows[0]) if rows else 0)
