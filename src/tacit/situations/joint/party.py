"""One party of a joint release: it answers the aggregator's messages, each question once and never otherwise."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from numpy.typing import NDArray

from tacit.data.rows.facts import RowFacts
from tacit.data.rows.stream import RowStream
from tacit.errors import InputError
from tacit.files.hash_chain import Receipt
from tacit.privacy.account import Account, Plan
from tacit.privacy.joint_account import Exchange, JointAccount, outside_epsilon
from tacit.privacy.joint_facts import JOINT, JointFacts
from tacit.privacy.ledger import Ledger
from tacit.records import record
from tacit.releases.file import Release
from tacit.releases.kind import ReleasePlan, Spend
from tacit.situations.joint import masking, messages
from tacit.situations.joint.finished import release_parts
from tacit.situations.joint.journal import AnswerBook, Journal
from tacit.situations.joint.messages import AGREE, OPEN, RECOVER, UNMASK, UPLOAD, Message
from tacit.situations.joint.plan import SignedPlan
from tacit.situations.joint.refusals import JoinRefusal, JoinRefusedError
from tacit.situations.joint.release_worker import Query, ReleaseWorker
from tacit.situations.joint.roster import PairKeys, Roster, opening_facts, require_agreement, require_members
from tacit.situations.joint.seed_shares import split_seed
from tacit.version import VERSION

PURPOSE = "joint release, plan {}"
# Makes the release of a party's rows by a plan, with a spend.
Make = Callable[[ReleasePlan[Any], Spend], Release]
Parts = tuple[dict[str, Any], Mapping[str, NDArray[Any]]]


@dataclass(frozen=True)
class JointSpend(Spend):
    """A charge that stands on the ledger already; totals come from an exchange with the other parties."""

    exchange: Exchange | None = None
    seed: int = 0

    @property
    def public_seed(self) -> int:
        """The same for all parties, from the plan's digest."""
        return self.seed

    def open(self, plan: Plan, purpose: str) -> Account:  # noqa: ARG002 - charged before, with the plan's digest
        """Return the account that gives totals over all parties."""
        if self.exchange is None:
            raise InputError("a joint release needs an exchange with the other parties.")
        return JointAccount(plan, self.exchange, random_state=self.random_state)


@record
class PartyTable:
    """A party's private rows, their ledger, and how a release is made of them."""

    rows: RowStream
    ledger: Ledger
    make: Make


class PartySession:
    """A party's side of one run.

    Every answer is written to the journal before it leaves. A question that was answered before gets the same bytes
    again; the same question with another content is refused: nobody gets two answers for one charge.

    Parameters
    ----------
    signed : SignedPlan
        Signed by every party.
    key : Ed25519PrivateKey
        The party's own, named in the plan.
    table : PartyTable
    journal : mutable mapping of str to bytes
        Of this plan alone.
    """

    def __init__(self, signed: SignedPlan, key: Ed25519PrivateKey, table: PartyTable, journal: Journal) -> None:
        self.plan = signed.require_signed().plan
        if self.plan.software != VERSION:
            raise InputError(
                f"the plan is for tacit {self.plan.software}; this is {VERSION}. All run the same version."
            )
        self.number = self.plan.number_of(key.public_key())
        self._digest = self.plan.digest
        self._release_plan = self.plan.release_plan
        self._key, self._table, self._journal, self._book = key, table, journal, AnswerBook(journal)
        self._worker: ReleaseWorker | None = None

    def reply(self, request: bytes) -> bytes:
        """Return the signed answer to a message of the aggregator's."""
        question = Message.from_bytes(request)
        question.require(self._digest, question.stage, question.query)
        before = self._book.answer_to(question, request)
        if before is not None:
            return before
        answers = {
            OPEN: self._open,
            UPLOAD: self._upload,
            AGREE: self._agree,
            UNMASK: self._unmask,
            RECOVER: self._recover,
        }
        facts, arrays = answers[question.stage](question)
        body = Message(self._digest, question.stage, question.query, {**facts, "party": self.number}, arrays).to_bytes()
        answer = messages.signed(body, self._key)
        # On disk first: after a crash the same bytes leave again, and never others.
        self._book.keep(question, request, answer)
        return answer

    @property
    def facts(self) -> RowFacts:
        """What the owner is told about the rows, all of which are then read and checked."""
        return self._table.rows.facts

    def require_ready(self) -> None:
        """Raise an error if the party could not open: rows, their number, the ledger; nothing is charged."""
        if self.facts.n_rows > self.plan.rows:  # every cell is read and checked by now
            raise InputError(f"the table has more than {self.plan.rows:,} rows, the most that the plan allows.")
        charged = any(line.key == self._digest for line in self._table.ledger.lines())
        if charged and "key" not in self._journal:
            raise JoinRefusedError(JoinRefusal.SPENT)
        if not charged:
            self._table.ledger.preview(self._release_plan.claim)

    def close(self) -> None:
        """End what waits for totals."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _open(self, question: Message) -> Parts:
        """Charge the party's ledger with the whole plan, once; return the receipt and a fresh key for masks."""
        question.require(self._digest, OPEN, 0)
        self.require_ready()
        if "key" not in self._journal:
            # The journal is begun before the charge: a charge without a journal is never answered.
            self._journal["key"] = X25519PrivateKey.generate().private_bytes_raw()
        return opening_facts(self._table.ledger.identifier, self._charged(), self._exchange_key), {}

    def _charged(self) -> Receipt:
        purpose = PURPOSE.format(self._digest[:16])
        account = self._release_plan.open(ledger=self._table.ledger, purpose=purpose, key=self._digest)
        if account.receipt is None:
            raise InputError("a joint release needs a ledger.")
        return account.receipt

    def _upload(self, question: Message) -> Parts:
        """Return the masked share of the next query's total, with sealed shares of its mask; or the release."""
        if question.query == 0:
            self._pairs = PairKeys(self._exchange_key, Roster.read(question, self.plan))
        active = require_members(question.parties("active", count=len(self.plan.parties)), self.plan, own=self.number)
        current = self._advanced(question)
        if isinstance(current, Release):
            return release_parts(self._completed(current))
        own, others = os.urandom(masking.SEED), [party for party in active if party != self.number]
        seeds = [
            (masking.sign_of(self.number, party), masking.pair_seed(self._pairs[party], question.query))
            for party in others
        ]
        words = masking.masked(masking.as_words(current.cells), own, seeds)
        self._journal[f"seed-{question.query}"] = own
        facts = {"status": messages.MASKED, "shape": list(current.cells.shape), "asked": current.digest}
        return facts, {"masked": words, "sealed": messages.stacked(self._sealed(own, active, question.query))}

    def _sealed(self, seed: bytes, active: tuple[int, ...], query: int) -> list[bytes]:
        """Return the shares of the own mask's seed, each readable by one of the other parties."""
        shares = split_seed(seed, threshold=self.plan.threshold, count=len(active))
        return [
            masking.seal(self._pairs[party], share, self._context(query, self.number, party))
            for party, share in zip(active, shares, strict=True)
            if party != self.number
        ]

    def _advanced(self, question: Message) -> Query | Release:
        """Return the query to be answered, after giving the worker every total that it has not had."""
        if self._worker is None:
            seed = int(self._digest[:8], 16)
            self._worker = ReleaseWorker(
                lambda exchange: self._table.make(self._release_plan, JointSpend(exchange=exchange, seed=seed))
            )
        if self._worker.answered > question.query:
            raise JoinRefusedError(JoinRefusal.MESSAGE)
        for index in range(self._worker.answered, question.query):
            # The total of a query comes with the question after it.
            later = question if index + 1 == question.query else self._book.question(UPLOAD, index + 1)
            current = self._worker.current()
            if isinstance(current, Release):
                raise JoinRefusedError(JoinRefusal.MESSAGE)
            self._worker.answer(later.array("total", np.int64, current.cells.shape))
        return self._worker.current()

    def _agree(self, question: Message) -> Parts:
        """Return the list of those who are in the total, which the answer's signature confirms: one list a query."""
        count = len(self.plan.parties)
        active = self._book.question(UPLOAD, question.query).parties("active", count=count)
        survivors = require_members(question.parties("survivors", count=count), self.plan, own=self.number)
        if not set(survivors) <= set(active):
            raise JoinRefusedError(JoinRefusal.MESSAGE)
        return {"survivors": list(survivors)}, {}

    def _unmask(self, question: Message) -> Parts:
        """Return the seed of the own mask, and those of pairs with parties that are in no total.

        For the list that this party has signed itself, and only if ``minimum`` of its members have, as in [secagg]: all
        but the colluding ones sign one list a query, so that at least minimum - t honest parties hold the masks between
        them back, and nobody's share comes apart from those of the others, whatever the aggregator tells whom.
        """
        active = self._book.question(UPLOAD, question.query).parties("active", count=len(self.plan.parties))
        survivors = require_agreement(question, self._book.question(AGREE, question.query), self.plan)
        dropped = [party for party in active if party not in survivors]
        seeds = [masking.pair_seed(self._pairs[party], question.query) for party in dropped]
        own = self._journal.get(f"seed-{question.query}")
        if own is None:
            raise JoinRefusedError(JoinRefusal.MESSAGE)
        return {}, {"own": messages.as_array(own), "pairs": messages.stacked(seeds)}

    def _recover(self, question: Message) -> Parts:
        """Return the shares of the masks of parties that are in the total but gone since."""
        count = len(self.plan.parties)
        # Answered for a list that enough have signed, or not at all.
        survivors = self._book.question(UNMASK, question.query).parties("survivors", count=count)
        lost = question.parties("lost", count=count)
        if not set(lost) <= set(survivors) - {self.number}:
            raise JoinRefusedError(JoinRefusal.MESSAGE)
        sealed = question.array("sealed", np.uint8, (len(lost), masking.SEALED))
        shares = [
            masking.unseal(self._pairs[party], row.tobytes(), self._context(question.query, party, self.number))
            for party, row in zip(lost, sealed, strict=True)
        ]
        return {}, {"shares": messages.stacked(shares)}

    @cached_property
    def _pairs(self) -> PairKeys:
        return PairKeys(self._exchange_key, Roster.read(self._book.question(UPLOAD, 0), self.plan))

    @property
    def _exchange_key(self) -> X25519PrivateKey:
        if "key" not in self._journal:
            raise JoinRefusedError(JoinRefusal.MESSAGE)
        return X25519PrivateKey.from_private_bytes(self._journal["key"])

    def _context(self, query: int, sender: int, receiver: int) -> str:
        return f"{self._digest} {query} {sender} {receiver}"

    def _completed(self, release: Release) -> Release:
        """Return the release with the parties on its card: the same at every party."""
        facts = JointFacts(
            plan=self._digest,
            parties=self._pairs.roster.card_parties(),
            colluding=self.plan.colluding,
            minimum=self.plan.minimum,
            outside_epsilon=outside_epsilon(self._release_plan),
        )
        return replace(release, card=replace(release.card, joint=facts, trust=JOINT, made=self.plan.made))
