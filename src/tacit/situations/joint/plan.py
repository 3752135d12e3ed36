"""The plan of a joint release: what is asked of whose rows, against which coalition; signed by every party."""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from tacit import checks
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError, TacitError
from tacit.files import atomic, strict_json
from tacit.files.plain_text import one_line
from tacit.files.regular import FilePath, read_small
from tacit.kinds.registry import kind_by_method
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.joint_account import joint_plan
from tacit.releases.kind import ReleaseKind, ReleasePlan
from tacit.releases.signature import key_text
from tacit.version import VERSION

FORMAT = 1
LARGEST_PLAN = 1 << 24
MOST_PARTIES = 1000
LONGEST_NAME = 100
# Signatures of plans say so, so that a signature of something else is never taken for one.
PREFIX = b"tacit join plan\n"


@dataclass(frozen=True)
class PlanMember:
    """A party of the plan: its name, and its public key in hexadecimal digits."""

    name: str
    key: str

    def __post_init__(self) -> None:
        if not one_line("the name of a party", self.name, longest=LONGEST_NAME).strip():
            raise InputError("the name of a party must not be empty.")
        try:
            self.public_key  # noqa: B018 - raises for what is no key
        except ValueError as problem:
            raise InputError(f"the key of party {self.name!r} must be an Ed25519 public key.") from problem

    @property
    def public_key(self) -> Ed25519PublicKey:
        """The key that checks its signatures."""
        return Ed25519PublicKey.from_public_bytes(bytes.fromhex(self.key))


@dataclass(frozen=True)
class JointPlan:
    """What several owners agree to release together.

    Parameters
    ----------
    method : str
        Of a kind whose queries are sums.
    schema : mapping
        Of every party's table.
    epsilon, delta : float
        The promise to one unit of any party, against the aggregator and ``colluding`` parties.
    unit : {"record", "person"}
    parties : tuple of PlanMember
        All that are asked, in the order that their numbers follow.
    colluding : int
        How many parties the promise withstands; at least 1, since every party knows its own share of the noise.
    minimum : int
        How many must be in every total; the noise of ``minimum - colluding`` alone keeps the promise.
    rows : int
        The most rows of one party, a public number.
    rows_per_person : int or None
        With unit "person": the most rows of one person that are read.
    nonce, software : str
        What tells this plan from an equal one, and the version that all parties must run.
    """

    method: str
    schema: Mapping[str, Any]
    epsilon: float
    delta: float
    unit: str
    parties: tuple[PlanMember, ...]
    colluding: int
    minimum: int
    rows: int
    rows_per_person: int | None = None
    nonce: str = field(default_factory=lambda: os.urandom(16).hex())
    software: str = VERSION
    made: str = field(default_factory=lambda: datetime.now(UTC).date().isoformat())

    def __post_init__(self) -> None:
        Budget(self.epsilon, self.delta, unit=checks.one_of("unit", self.unit, [Unit.RECORD, Unit.PERSON]))
        for name in ("nonce", "software", "made"):
            one_line(name, getattr(self, name))
        checks.whole("rows", self.rows)
        _require_parties(self.parties)
        _require_coalition(len(self.parties), self.minimum, self.colluding)
        if not self.kind.sums:
            raise InputError(f"method must be one whose queries are sums over rows; {self.method!r} is none.")

    @property
    def kind(self) -> ReleaseKind:
        """The kind of release."""
        return kind_by_method(self.method)

    @property
    def rules(self) -> Schema:
        """The schema of every party's table."""
        return Schema.from_dict(dict(self.schema))

    @property
    def honest(self) -> int:
        """How many parties in every total are outside the coalition at least."""
        return self.minimum - self.colluding

    @property
    def threshold(self) -> int:
        """How many shares give a lost mask back: one more than a coalition has."""
        return self.colluding + 1

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the plan, by which ledgers, messages and cards name it."""
        return hashlib.sha256(strict_json.dump(self.to_dict())).hexdigest()

    @cached_property
    def release_plan(self) -> ReleasePlan[Any]:
        """What each party will draw and is charged: the same for all, from public facts alone."""

        def own(epsilon: float) -> ReleasePlan[Any]:
            return self.kind.plan(
                self.rules, unit=self.unit, epsilon=epsilon, delta=self.delta, rows_per_person=self.rows_per_person
            )

        promise = Budget(self.epsilon, self.delta, unit=self.unit)
        return joint_plan(own, promise, parties=len(self.parties), honest=self.honest, rows=self.rows)

    def number_of(self, key: Ed25519PublicKey) -> int:
        """Return the number of the party whose key it is; raise InputError if it is nobody's."""
        keys = [party.key for party in self.parties]
        if key_text(key) not in keys:
            raise InputError(f"the key {key_text(key)[:16]} is of no party of this plan.")
        return keys.index(key_text(key))

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON-ready data."""
        content = {name: getattr(self, name) for name in self.__dataclass_fields__}
        content["parties"] = [{"name": party.name, "key": party.key} for party in self.parties]
        return {"format": FORMAT, **strict_json.plain_object(content, "plan")}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Return the plan that ``content`` describes; anything malformed is an InputError."""
        rest = dict(content)
        if rest.pop("format", None) != FORMAT:
            raise InputError(
                f"the plan must have format {FORMAT}; it has another. Make it anew with `tacit join plan`."
            )
        try:
            parties = tuple(PlanMember(**each) for each in rest.pop("parties"))
            plan = cls(parties=parties, **rest)
            plan.rules.require_public_bounds()
        except (TypeError, KeyError, AttributeError) as problem:
            raise InputError(f"the plan is malformed: {problem}.") from problem
        return plan


@dataclass(frozen=True)
class SignedPlan:
    """A plan with the signatures that it has so far, by the number of the party."""

    plan: JointPlan
    signatures: Mapping[int, str] = field(default_factory=dict)

    @property
    def missing(self) -> list[str]:
        """The names of the parties that have not signed."""
        return [party.name for number, party in enumerate(self.plan.parties) if number not in self.signatures]

    def signed(self, key: Ed25519PrivateKey) -> "SignedPlan":
        """Return the plan with one more signature, by the party whose ``key`` it is."""
        number = self.plan.number_of(key.public_key())
        return replace(self, signatures={**self.signatures, number: key.sign(_signed_text(self.plan)).hex()})

    def require_signed(self) -> "SignedPlan":
        """Return the plan; raise InputError unless every party has signed it."""
        if self.missing:
            raise InputError(f"the plan must be signed by every party; missing: {', '.join(self.missing)}.")
        return self

    def write(self, path: FilePath) -> None:
        """Write the plan and its signatures, whole or not at all."""
        names = {self.plan.parties[number].name: text for number, text in sorted(self.signatures.items())}
        content = {"plan": self.plan.to_dict(), "signatures": names}
        atomic.write_text(path, json.dumps(content, indent=1, sort_keys=True, allow_nan=False) + "\n")

    @classmethod
    def read(cls, path: FilePath) -> Self:
        """Return the plan in the file at ``path``; a signature that does not match is refused."""
        try:
            content = strict_json.load(read_small(path, largest=LARGEST_PLAN), str(path))
            strict_json.exact_names(content, ("plan", "signatures"), str(path))
            plan = JointPlan.from_dict(strict_json.plain_object(content["plan"], "plan"))
            texts = strict_json.plain_object(content["signatures"], "signatures")
        except ReleaseError:
            raise
        except TacitError as problem:
            raise InputError(f"{path}: {problem}") from problem
        names = [party.name for party in plan.parties]
        return cls(plan, {_verified(plan, names, name, text, path): str(text) for name, text in texts.items()})


def _verified(plan: JointPlan, names: Sequence[str], name: str, text: Any, path: FilePath) -> int:
    """Return the number of the party called ``name`` whose signature ``text`` is."""
    if name not in names:
        raise InputError(f"{path}: signed by {name!r}, which is no party of the plan.")
    number = names.index(name)
    try:
        plan.parties[number].public_key.verify(bytes.fromhex(str(text)), _signed_text(plan))
    except (InvalidSignature, ValueError):
        raise InputError(
            f"{path}: the signature of {name!r} does not match: the plan was changed after it was signed."
        ) from None
    return number


def _signed_text(plan: JointPlan) -> bytes:
    return PREFIX + plan.digest.encode()


def _require_parties(parties: Sequence[PlanMember]) -> None:
    if not 2 <= len(parties) <= MOST_PARTIES:
        raise InputError(f"parties must be from 2 to {MOST_PARTIES}; got {len(parties)}.")
    for what in ("name", "key"):
        values = [getattr(party, what) for party in parties]
        if len(set(values)) < len(values):
            raise InputError(f"every party must have a {what} of its own; got one twice.")


def _require_coalition(parties: int, minimum: int, colluding: int) -> None:
    if not 2 <= checks.whole("minimum", minimum) <= parties:
        raise InputError(f"minimum must be from 2 to {parties}, the number of parties; got {minimum}.")
    if checks.whole("colluding", colluding) >= minimum:
        raise InputError(
            f"colluding must be below minimum ({minimum}), so that someone's noise is unknown to a coalition; got "
            f"{colluding}."
        )
