"""Runs of a joint release by its own parties and aggregator in one process, and what an adversary has of them.

The adversary is the aggregator, who receives every message, together with the last ``colluding`` parties of the plan,
whose journals it reads. The first party is the victim: it has one row more, or not. Every coordinate of a query is a
repetition of its own, since shares of noise and masks of coordinates are independent: one run gives thousands of draws.
"""

import tempfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from tacit.data.rows.stream import ArrayRows
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.ledger import Ledger
from tacit.privacy.mechanisms.joint import GridCells
from tacit.privacy.stream import NoiseStream
from tacit.releases.file import Release
from tacit.releases.kind import ReleasePlan, Spend
from tacit.releases.signature import generate_key, key_text
from tacit.situations.joint import masking
from tacit.situations.joint.aggregator import Aggregator
from tacit.situations.joint.journal import Journal
from tacit.situations.joint.local_channel import LocalChannel
from tacit.situations.joint.messages import UNMASK, UPLOAD, Message, opened
from tacit.situations.joint.party import PartySession, PartyTable
from tacit.situations.joint.plan import JointPlan, PlanMember, SignedPlan
from tacit.situations.joint.refusals import JoinRefusal, JoinRefusedError
from tacit.situations.joint.roster import PairKeys, Roster

VICTIM = 0
# A large delta: with it, what Gaussian noise gives away shows in few draws.
EPSILON, DELTA = 1.0, 0.05
SCHEMA = Schema((Numeric("number", (0, 1)), Label("class", ("0", "1"))))
# Each party's rows but the victim's last; with few of them totals have room for a fine grid.
ROWS, MOST_ROWS = 4, 10


@dataclass(frozen=True)
class RunTerms:
    """The terms of a plan, and how many parties share what they know with the aggregator: those it is made for."""

    method: str
    parties: int
    colluding: int
    queries: tuple[int, ...]
    """The places of the plan's steps that are asked, in order."""
    absent: int = 0
    """How many parties a total may be without."""

    def signed(self) -> tuple[SignedPlan, list[Ed25519PrivateKey]]:
        """Return a new plan that all parties have signed, and their keys."""
        keys = [generate_key() for _ in range(self.parties)]
        members = tuple(PlanMember(f"party {n}", key_text(key.public_key())) for n, key in enumerate(keys))
        plan = JointPlan(
            self.method,
            SCHEMA.to_dict(),
            epsilon=EPSILON,
            delta=DELTA,
            unit=str(Unit.RECORD),
            parties=members,
            colluding=self.colluding,
            minimum=self.parties - self.absent,
            rows=MOST_ROWS,
        )
        signed = SignedPlan(plan)
        for key in keys:
            signed = signed.signed(key)
        return signed, keys


class Wiretap(LocalChannel):
    """A channel that keeps every message, as the aggregator has it; those who are ``silent`` send no share."""

    def __init__(self, sessions: Mapping[int, PartySession], silent: Collection[int] = ()) -> None:
        super().__init__(sessions)
        self.silent = silent
        self.requests: dict[tuple[str, int], Message] = {}
        self.answers: dict[tuple[str, int, int], bytes] = {}

    def ask(self, requests: Mapping[int, bytes]) -> Mapping[int, bytes | JoinRefusal]:
        """Return the answers, and keep them with the question."""
        question = Message.from_bytes(next(iter(requests.values())))
        self.requests[question.stage, question.query] = question
        heard = {n: raw for n, raw in requests.items() if question.stage != UPLOAD or n not in self.silent}
        answers = super().ask(heard)
        for number, raw in answers.items():
            if isinstance(raw, bytes):
                self.answers[question.stage, question.query, number] = raw
        return answers

    def total(self, query: int) -> GridCells | None:
        """Return the total of a query, which comes with the next question; None if it was never opened."""
        later = self.requests.get((UPLOAD, query + 1))
        return None if later is None else later.array("total", np.int64)


@dataclass(frozen=True, eq=False)
class Transcript:
    """What the adversary has after a run: the plan, the aggregator's messages and the coalition's journals."""

    plan: JointPlan
    tap: Wiretap
    second: Wiretap
    """Of a second run of the same plan, in which the aggregator says that the victim sent no share; empty if there was
    none."""
    journals: Mapping[int, Journal]
    """Of the colluding parties alone."""

    def total(self, query: int = 0) -> GridCells:
        """Return the opened total of a query, less the shares of the coalition."""
        total = self.tap.total(query)
        if total is None:
            raise InputError("the run ended before its total was opened.")
        return np.asarray(total - sum(self.share_of(party, query) for party in self.journals))

    def share_of(self, party: int, query: int) -> GridCells:
        """Return what a colluding ``party`` added to a total: its upload without the masks, all of which it knows."""
        others = [other for other in range(len(self.plan.parties)) if other != party]
        pairs = [
            (masking.sign_of(party, other), masking.pair_seed(self._keys(party)[other], query)) for other in others
        ]
        own = self.journals[party][f"seed-{query}"]
        return self._without_masks(party, query, own, pairs)

    def upload_of(self, party: int, query: int) -> GridCells:
        """Return an honest ``party``'s upload without its own mask, which it reveals, and those with the coalition."""
        own = self._message(UNMASK, query, party).array("own", np.uint8, (masking.SEED,)).tobytes()
        pairs = [
            (masking.sign_of(party, other), masking.pair_seed(self._keys(other)[party], query))
            for other in self.journals
        ]
        return self._without_masks(party, query, own, pairs)

    def _without_masks(self, party: int, query: int, own: bytes, pairs: Sequence[tuple[int, bytes]]) -> GridCells:
        words = self._message(UPLOAD, query, party).array("masked", np.uint64)
        return masking.as_cells(masking.unmasked([words], [own], pairs), (-1,))

    def _keys(self, party: int) -> PairKeys:
        """Return the keys that a colluding ``party`` has with all others."""
        own = X25519PrivateKey.from_private_bytes(self.journals[party]["key"])
        return PairKeys(own, Roster.read(self.tap.requests[UPLOAD, 0], self.plan))

    def _message(self, stage: str, query: int, number: int) -> Message:
        return opened(self.tap.answers[stage, query, number], self.plan.parties[number].public_key)


def transcript(
    terms: RunTerms,
    count: int,
    *,
    extra_row: bool,
    coalition: int,
    stream: NoiseStream | None,
    silent: Collection[int] = (),
    again: bool = False,
) -> Transcript:
    """Return what the aggregator and the last ``coalition`` parties have after a run of the real protocol.

    ``count`` is the number of coordinates of each query. A ``stream`` gives the seeds of the parties' noise; None: it
    is secure. The ``silent`` parties send no shares. With ``again`` an aggregator that forgot its run starts anew, and
    says that the victim sent none.
    """
    signed, keys = terms.signed()
    journals: list[Journal] = [{} for _ in keys]
    with tempfile.TemporaryDirectory() as folder:
        sessions = {}
        for number, key in enumerate(keys):
            table = _table(terms, count, ROWS + (extra_row and number == VICTIM), stream, Path(folder) / str(number))
            sessions[number] = PartySession(signed, key, table, journals[number])
        with closing(Wiretap(sessions, silent)) as first, closing(Wiretap(sessions, [VICTIM])) as second:
            Aggregator(signed, first, {}).run()
            if again:
                # What was opened before it is refused is the aggregator's.
                with suppress(JoinRefusedError):
                    Aggregator(signed, second, {}).run()
    known = range(terms.parties - coalition, terms.parties)
    return Transcript(signed.plan, first, second, {number: journals[number] for number in known})


def _table(terms: RunTerms, count: int, rows: int, stream: NoiseStream | None, path: Path) -> PartyTable:
    """Return a party's rows and ledger, and what makes queries of sums that one row moves by their whole sensitivity.

    Up in one query and down in the next: a difference of two answers then moves twice as far.
    """
    table = ArrayRows(np.ones((rows, 1)), np.zeros(rows, np.int64))
    ledger = Ledger.create(path.with_suffix(".ledger"), Budget(2 * EPSILON, 2 * DELTA, unit=Unit.RECORD))
    seed = None if stream is None else int(stream.words(1, np.uint32)[0])

    def make(plan: ReleasePlan[Any], spend: Spend) -> Release:
        account = replace(spend, random_state=seed).open(plan, "audit")
        answers = []
        for place, step in enumerate(terms.queries):
            mechanism = plan.steps[step].mechanism
            value = (-1) ** place * mechanism.sensitivity * float(table.X.sum())
            answers.append(account.release(mechanism, np.full(count, value)))
        card = account.card("repeated sums", adjacency="one row more or less")
        return Release("repeated_sums", {"first": answers[0][:1]}, {}, card, SCHEMA.to_dict())

    return PartyTable(table, ledger, make)
