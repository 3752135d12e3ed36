"""Who takes part in a run: each party's signed opening, with the receipt of its charge and its key for masks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from tacit.files.hash_chain import Receipt
from tacit.privacy.joint_facts import JointParty
from tacit.records import record
from tacit.situations.joint import masking, messages
from tacit.situations.joint.messages import AGREE, OPEN, Message
from tacit.situations.joint.plan import JointPlan
from tacit.situations.joint.refusals import JoinRefusal, JoinRefusedError

_KEY_BYTES = 32


@dataclass(frozen=True)
class Opening:
    """What a party says when it opens: its ledger's charge, and its public key for masks."""

    ledger: str
    line: int
    digest: str
    exchange_key: bytes


def opening_facts(ledger: str, receipt: Receipt, key: X25519PrivateKey) -> dict[str, Any]:
    """Return an opening as the facts of a message."""
    return {
        "ledger": ledger,
        "line": receipt.line,
        "digest": receipt.digest,
        "exchange_key": key.public_key().public_bytes_raw().hex(),
    }


def read_opening(envelope: bytes, plan: JointPlan, number: int) -> Opening:
    """Return the opening of party ``number``; refuse one that it did not sign, or that is of another plan."""
    message = messages.opened(envelope, plan.parties[number].public_key).require(plan.digest, OPEN, 0)
    facts = message.facts
    try:
        opening = Opening(facts["ledger"], facts["line"], facts["digest"], bytes.fromhex(facts["exchange_key"]))
        JointParty(plan.parties[number].name, plan.parties[number].key, opening.ledger, opening.line, opening.digest)
    except (KeyError, TypeError, ValueError) as problem:
        raise JoinRefusedError(JoinRefusal.MESSAGE) from problem
    if facts.get("party") != number or len(opening.exchange_key) != _KEY_BYTES:
        raise JoinRefusedError(JoinRefusal.MESSAGE)
    return opening


def roster_arrays(envelopes: Mapping[int, bytes]) -> dict[str, Any]:
    """Return the signed openings as arrays of a message."""
    return {f"opening_{number}": messages.as_array(raw) for number, raw in envelopes.items()}


def agreement_arrays(envelopes: Mapping[int, bytes]) -> dict[str, Any]:
    """Return the signed lists of survivors as arrays of a message."""
    return {f"agreement_{number}": messages.as_array(raw) for number, raw in envelopes.items()}


def require_agreement(question: Message, signed: Message, plan: JointPlan) -> tuple[int, ...]:
    """Return the survivors that ``question`` names; refuse a list other than the party has ``signed`` itself.

    Refuse also one that fewer of its members than the plan's minimum have signed.
    """
    count = len(plan.parties)
    survivors = question.parties("survivors", count=count)
    if survivors != signed.parties("survivors", count=count):
        raise JoinRefusedError(JoinRefusal.SURVIVORS)
    signatures = 0
    for number in survivors:
        raw = question.arrays.get(f"agreement_{number}")
        if raw is not None:
            message = messages.opened(raw.tobytes(), plan.parties[number].public_key)
            agreed = message.require(plan.digest, AGREE, question.query).parties("survivors", count=count)
            signatures += agreed == survivors and message.facts.get("party") == number
    if signatures < plan.minimum:
        raise JoinRefusedError(JoinRefusal.SURVIVORS)
    return survivors


@record
class Roster:
    """The openings of all parties that take part, by their numbers."""

    plan: JointPlan
    openings: Mapping[int, Opening]

    @classmethod
    def read(cls, message: Message, plan: JointPlan) -> "Roster":
        """Return the roster in the first upload's question, every opening checked."""
        numbers = message.parties("active", count=len(plan.parties))
        envelopes = {number: message.arrays.get(f"opening_{number}") for number in numbers}
        if any(raw is None for raw in envelopes.values()):
            raise JoinRefusedError(JoinRefusal.MESSAGE)
        read = {
            number: read_opening(raw.tobytes(), plan, number) for number, raw in envelopes.items() if raw is not None
        }
        if len({opening.exchange_key for opening in read.values()}) < len(read):
            raise JoinRefusedError(JoinRefusal.MESSAGE)
        return cls(plan, read)

    def card_parties(self) -> tuple[JointParty, ...]:
        """Return the parties as a card names them."""
        return tuple(
            JointParty(
                self.plan.parties[number].name, self.plan.parties[number].key, each.ledger, each.line, each.digest
            )
            for number, each in sorted(self.openings.items())
        )


@dataclass(eq=False)
class PairKeys:
    """The keys that one party has with each other one."""

    own: X25519PrivateKey
    roster: Roster
    _keys: dict[int, bytes] = field(default_factory=dict)

    def __getitem__(self, party: int) -> bytes:
        if party not in self._keys:
            opening = self.roster.openings.get(party)
            if opening is None:
                raise JoinRefusedError(JoinRefusal.MESSAGE)
            try:
                self._keys[party] = masking.shared_key(self.own, opening.exchange_key, self.roster.plan.digest)
            except ValueError as problem:  # a point of small order, which gives no secret
                raise JoinRefusedError(JoinRefusal.MESSAGE) from problem
        return self._keys[party]


def require_members(parties: tuple[int, ...], plan: JointPlan, *, own: int | None = None) -> tuple[int, ...]:
    """Return ``parties``; refuse a total with too few of them for the planned noise, or without the ``own`` one."""
    if own is not None and own not in parties:
        raise JoinRefusedError(JoinRefusal.MESSAGE)
    if len(parties) < plan.minimum:
        raise JoinRefusedError(JoinRefusal.PARTIES)
    return parties
