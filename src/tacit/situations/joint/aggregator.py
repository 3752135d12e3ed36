"""The aggregator of a joint release: it adds up masked shares, opens each total once, and learns nothing else."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from tacit.errors import InputError, TacitError
from tacit.privacy.mechanisms.joint import GridCells, JointGaussian
from tacit.releases.file import Release
from tacit.situations.joint import masking, messages
from tacit.situations.joint.finished import agreed_release
from tacit.situations.joint.journal import Journal
from tacit.situations.joint.messages import AGREE, FINISHED, MASKED, OPEN, RECOVER, UNMASK, UPLOAD, Message
from tacit.situations.joint.plan import SignedPlan
from tacit.situations.joint.refusals import JoinRefusal, JoinRefusedError
from tacit.situations.joint.release_worker import query_digest
from tacit.situations.joint.roster import agreement_arrays, read_opening, require_members, roster_arrays
from tacit.situations.joint.seed_shares import joined_seed

ShowStage = Callable[[str], None]
SILENT = "no answer."
STANDS = " Charges that were made stand on their ledgers; a new attempt needs a new plan."
_OPENED = "opened"


class Channel(Protocol):
    """How messages reach the parties: in one process, or over a network."""

    def ask(self, requests: Mapping[int, bytes]) -> Mapping[int, bytes | JoinRefusal]:
        """Return each party's answer or refusal; one that is silent is left out."""
        ...


@dataclass(eq=False)
class Traffic:
    """Bytes that went to the parties and came from them, and the number of rounds."""

    sent: int = 0
    received: int = 0
    rounds: int = 0


@dataclass(eq=False)
class Aggregator:
    """The aggregator's side of one run; what it decides and receives is in its journal before it goes on."""

    signed: SignedPlan
    channel: Channel
    journal: Journal
    """Of this plan alone: with it a run that was broken off goes on where it stood."""
    progress: ShowStage = lambda _: None
    exclusions: dict[str, str] = field(default_factory=dict)
    """Why a party is not in the totals any more, by its name."""
    traffic: Traffic = field(default_factory=Traffic)

    def __post_init__(self) -> None:
        self.plan = self.signed.require_signed().plan
        self._digest = self.plan.digest
        mechanisms = {step.mechanism for step in self.plan.release_plan.steps}
        self._mechanisms = [each for each in mechanisms if isinstance(each, JointGaussian)]

    def run(self) -> Release:
        """Return the release that all parties made together; raise an error if too few were left."""
        self.progress("each party charges its ledger")
        openings = self._openings()
        active, query, total = self._enough(openings), 0, None
        while True:
            active = self._decided(f"active-{query}", active)
            uploads = self._uploads(query, active, total, openings)
            if all(message.facts["status"] == FINISHED for message in uploads.values()):
                return agreed_release(uploads)
            self.progress(f"query {query + 1}: {len(uploads)} of {len(self.plan.parties)} parties")
            total, active = self._total(query, active, uploads)
            query += 1

    def _openings(self) -> dict[int, bytes]:
        """Return the signed openings: those that an earlier start has decided on, or all that come now."""
        request = self._request(OPEN, 0, {}, {})
        answers = self._collected(OPEN, 0, dict.fromkeys(range(len(self.plan.parties)), request))
        for number in list(answers):
            try:
                read_opening(self._envelope(OPEN, 0, number), self.plan, number)
            except TacitError as problem:
                self._exclude(number, str(problem))
                del answers[number]
        opened = self._decided(_OPENED, self._enough(answers))
        return {number: self._envelope(OPEN, 0, number) for number in opened}

    def _uploads(
        self, query: int, active: tuple[int, ...], total: GridCells | None, openings: Mapping[int, bytes]
    ) -> dict[int, Message]:
        arrays: dict[str, Any] = roster_arrays(openings) if query == 0 else {"total": total}
        request = self._request(UPLOAD, query, {"active": list(active)}, arrays)
        uploads = self._collected(UPLOAD, query, dict.fromkeys(active, request))
        kept = self._decided(f"survivors-{query}", self._enough(uploads))
        return {number: self._stored(UPLOAD, query, number) for number in kept}

    def _total(
        self, query: int, active: tuple[int, ...], uploads: Mapping[int, Message]
    ) -> tuple[GridCells, tuple[int, ...]]:
        """Return the total of a query, opened, and the parties that are still there."""
        mechanism, shape = self._agreed_query(uploads.values())
        survivors = tuple(sorted(uploads))
        seeds = self._seeds(query, survivors)
        lost = [number for number in survivors if number not in seeds]
        dropped = [number for number in active if number not in survivors]
        if lost and dropped:
            raise self._ended("a party was lost before and another one after the shares of one query were sent")
        own = [message.array("own", np.uint8, (masking.SEED,)).tobytes() for message in seeds.values()]
        own += self._recovered(query, active, lost, [number for number in seeds if number not in lost])
        left = []
        for number, message in seeds.items():
            pairs = message.array("pairs", np.uint8, (len(dropped), masking.SEED if dropped else 0))
            left += [(masking.sign_of(number, gone), row.tobytes()) for gone, row in zip(dropped, pairs, strict=True)]
        words = [message.array("masked", np.uint64, (int(np.prod(shape)),)) for message in uploads.values()]
        total = masking.as_cells(masking.unmasked(words, own, left), shape)
        try:
            mechanism.values(total)
        except InputError:
            raise JoinRefusedError(JoinRefusal.RANGE) from None
        return total, self._enough(seeds)

    def _seeds(self, query: int, survivors: tuple[int, ...]) -> dict[int, Message]:
        """Return what opens the total, from those who saw that enough of the ``survivors`` have signed their list."""
        facts = {"survivors": list(survivors)}
        agreed = self._collected(AGREE, query, dict.fromkeys(survivors, self._request(AGREE, query, facts, {})))
        signers = self._decided(f"agreed-{query}", self._enough(agreed))
        envelopes = {number: self._envelope(AGREE, query, number) for number in signers}
        request = self._request(UNMASK, query, facts, agreement_arrays(envelopes))
        return self._collected(UNMASK, query, dict.fromkeys(signers, request))

    def _agreed_query(self, uploads: Iterable[Message]) -> tuple[JointGaussian, tuple[int, ...]]:
        """Return the mechanism and shape that all uploads are for; refuse to add up different queries."""
        facts = [message.facts for message in uploads]
        asked, shape = facts[0].get("asked"), facts[0].get("shape")
        if not isinstance(shape, list) or not all(type(each) is int and each >= 0 for each in shape):
            raise JoinRefusedError(JoinRefusal.MESSAGE)
        known = {query_digest(each, tuple(shape)): each for each in self._mechanisms}
        if asked not in known or any(each["status"] != MASKED or each.get("asked") != asked for each in facts):
            raise self._ended("the parties ask different queries: their software or their arithmetic differs")
        return known[str(asked)], tuple(shape)

    def _recovered(self, query: int, active: tuple[int, ...], lost: list[int], helpers: list[int]) -> list[bytes]:
        """Return the seeds of parties that are in the total but gone, from the shares that others hold."""
        if not lost:
            return []
        requests = {}
        for helper in helpers:
            sealed = [self._sealed_share(query, active, sender, helper) for sender in lost]
            requests[helper] = self._request(RECOVER, query, {"lost": lost}, {"sealed": messages.stacked(sealed)})
        answers = self._collected(RECOVER, query, requests)
        if len(answers) < self.plan.threshold:
            raise self._ended(f"{len(answers)} parties are left to recover a lost mask; {self.plan.threshold} must be")
        helpers = sorted(answers)[: self.plan.threshold]
        shares = {each: answers[each].array("shares", np.uint8, (len(lost), masking.SEED)) for each in helpers}
        return [
            joined_seed([(active.index(each), shares[each][place].tobytes()) for each in helpers])
            for place in range(len(lost))
        ]

    def _sealed_share(self, query: int, active: tuple[int, ...], sender: int, helper: int) -> bytes:
        sealed = self._stored(UPLOAD, query, sender).array("sealed", np.uint8, (len(active) - 1, masking.SEALED))
        place = [number for number in active if number != sender].index(helper)
        return bytes(sealed[place])

    def _collected(self, stage: str, query: int, requests: Mapping[int, bytes]) -> dict[int, Message]:
        """Return the valid answers, those in the journal and new ones; whoever gives none is excluded."""
        open_requests = {
            number: raw for number, raw in requests.items() if _reply(stage, query, number) not in self.journal
        }
        answers = self.channel.ask(open_requests) if open_requests else {}
        self.traffic.sent += sum(map(len, open_requests.values()))
        self.traffic.rounds += 1
        for number in open_requests:
            answer = answers.get(number)
            if not isinstance(answer, bytes):
                self._exclude(number, SILENT if answer is None else answer.sentence)
                continue
            self.traffic.received += len(answer)
            try:
                self._checked(answer, stage, query, number)
            except TacitError as problem:
                self._exclude(number, str(problem))
                continue
            self.journal[_reply(stage, query, number)] = answer
        known = [number for number in requests if _reply(stage, query, number) in self.journal]
        return {number: self._stored(stage, query, number) for number in known}

    def _checked(self, envelope: bytes, stage: str, query: int, number: int) -> Message:
        message = messages.opened(envelope, self.plan.parties[number].public_key).require(self._digest, stage, query)
        if message.facts.get("party") != number or (
            stage == UPLOAD and message.facts.get("status") not in (MASKED, FINISHED)
        ):
            raise JoinRefusedError(JoinRefusal.MESSAGE)
        return message

    def _stored(self, stage: str, query: int, number: int) -> Message:
        return self._checked(self._envelope(stage, query, number), stage, query, number)

    def _envelope(self, stage: str, query: int, number: int) -> bytes:
        envelope: bytes = self.journal[_reply(stage, query, number)]
        return envelope

    def _decided(self, name: str, parties: tuple[int, ...]) -> tuple[int, ...]:
        """Return who is in a set of parties: as decided before, or from now on ``parties``."""
        if name not in self.journal:
            self.journal[name] = json.dumps(parties).encode()
        return tuple(json.loads(self.journal[name]))

    def _enough(self, parties: Iterable[int]) -> tuple[int, ...]:
        numbers = tuple(sorted(parties))
        try:
            return require_members(numbers, self.plan)
        except JoinRefusedError as problem:
            raise self._ended(f"{len(numbers)} parties are left; {self.plan.minimum} must be") from problem

    def _ended(self, why: str) -> JoinRefusedError:
        reasons = "".join(f" {name}: {reason}" for name, reason in self.exclusions.items())
        return JoinRefusedError(JoinRefusal.PARTIES, f"the run ends without a release: {why}.{reasons}{STANDS}")

    def _exclude(self, number: int, why: str) -> None:
        self.exclusions[self.plan.parties[number].name] = why

    def _request(self, stage: str, query: int, facts: Mapping[str, Any], arrays: Mapping[str, Any]) -> bytes:
        return Message(self._digest, stage, query, facts, arrays).to_bytes()


def _reply(stage: str, query: int, number: int) -> str:
    return f"reply-{stage}-{query}-{number}"
