"""The desk itself: the whole run is charged when it opens, then each new query is answered once."""

import os
import re
import sqlite3
import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

import numpy as np

from tacit.checks import FloatArray
from tacit.errors import InputError, LedgerError
from tacit.privacy.account import Account, Step, plan_claim
from tacit.privacy.card import Card
from tacit.privacy.conversions import Exact
from tacit.privacy.ledger import Ledger, LedgerLike, Line, Receipt, as_ledger
from tacit.privacy.stream import NoiseStream
from tacit.scenarios.desk.log import Entry, Log, View, plainly, require_shares, writing
from tacit.scenarios.desk.scoring import Scorer
from tacit.scenarios.desk.terms import Terms

ADJACENCY = "one labelled record is replaced by another; the number of labelled records is public"
Key = tuple[str, str]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Refusal(StrEnum):
    """Why a query gets no answer; nothing is charged for it."""

    USED_UP = "the provider's queries are used up"
    DESK_USED_UP = "the desk's queries are used up"
    OTHER_BODY = "this query id was used for other parameters"


@dataclass(frozen=True, eq=False)
class Query:
    """One candidate to score: who asks, the query's name, the digest of its body, and the parameters [p]."""

    provider: str
    name: str
    body: str
    vector: FloatArray

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise InputError("a query id must be 1 to 100 letters, digits, dots, dashes and underscores.")

    @property
    def key(self) -> Key:
        """Whose query it is and its name: asked twice, it is one query."""
        return self.provider, self.name


Outcome = Entry | Refusal


class Desk:
    """Answers queries on one private table; made by ``Desk.open``.

    With an epsilon every answer has noise, and the whole run is on the ledger before the first answer: a query that
    is never asked is paid for all the same. Replaying a query gives the stored answer and costs nothing.

    Parameters
    ----------
    scorer : Scorer
        Scores on the private rows; none leaves the desk as it is.
    terms : Terms
        What is offered.
    log : Log
        Where every answer stands before it is given.
    account : Account or None
        The charged plan that noise is drawn from; None answers without noise.
    """

    def __init__(self, scorer: Scorer, terms: Terms, log: Log, account: Account | None) -> None:
        self.scorer, self.terms, self.log = scorer, terms, log
        self._account = account
        self._open = ExitStack()
        self._connection: sqlite3.Connection = self._open.enter_context(log.session())

    @classmethod
    def open(
        cls,
        scorer: Scorer,
        terms: Terms,
        path: str | os.PathLike[str],
        *,
        ledger: LedgerLike = None,
        random_state: int | None = None,
    ) -> Self:
        """Open the desk whose log is at ``path``, or go on where it ended; a run is charged once."""
        book, log = as_ledger(ledger), Log(path)
        _require_promise(terms, book)
        if book is not None and book.path == log.path:
            raise InputError("the log must be another file than the ledger.")
        desk = _settled(log, terms)
        account = _account(log, desk, terms, book=book, random_state=random_state)
        return cls(scorer, terms, log, account)

    @property
    def card(self) -> Card | None:
        """What the whole run gives away; None for a desk that promises nothing."""
        if self._account is None:
            return None
        return self._account.card(
            f"scores of up to {self.terms.queries} candidate models",
            adjacency=ADJACENCY,
            not_protected=("the number of labelled records", "how long an answer takes"),
        )

    def answer(self, queries: Sequence[Query]) -> list[Outcome]:
        """Return the answer to each query, or why it has none; on the disk before this returns.

        All new candidates are scored together. Then one transaction counts each query, draws its noise and writes the
        answer down: a crash on the way leaves neither a charge nor an answer, and no answer is known to anyone.
        """
        with plainly(self.log.path):
            known = View(self._connection)
            scores = self._scores([query for query in queries if known.answer(*query.key) is None])
            with writing(self._connection) as view:
                refused = self._settle(view, queries, scores)
                return [refused.get(query.key) or self._replayed(view, query) for query in queries]

    def close(self) -> None:
        """Let go of the log."""
        self._open.close()

    def _scores(self, queries: Sequence[Query]) -> dict[Key, float]:
        if not queries:
            return {}
        found = self.scorer(np.stack([query.vector for query in queries]))
        # Of two queries of one name in one batch the first is meant; the other is compared with it in the log.
        return dict(zip([query.key for query in reversed(queries)], reversed(found.tolist()), strict=True))

    def _settle(self, view: View, queries: Sequence[Query], scores: dict[Key, float]) -> dict[Key, Refusal]:
        """Write the answers to new queries down, their noise drawn together; return why some have none."""
        shares = {each.name: each.queries for each in view.providers()}
        left = {name: shares[name] - view.used(name) for name in {query.provider for query in queries}}
        left_in_all = self.terms.queries - view.used()
        refused: dict[Key, Refusal] = {}
        new: dict[Key, Query] = {}
        for query in queries:
            if query.key in new or view.answer(*query.key) is not None:
                continue
            if left[query.provider] < 1:
                refused[query.key] = Refusal.USED_UP
            elif left_in_all < 1:
                refused[query.key] = Refusal.DESK_USED_UP
            else:
                new[query.key] = query
                left[query.provider] -= 1
                left_in_all -= 1
        released = self._released(np.array([scores[key] for key in new]))
        for query, score in zip(new.values(), released, strict=True):
            view.append(query.provider, query.name, query.body, score)
        return refused

    def _released(self, scores: FloatArray) -> list[float]:
        step = self.terms.step
        if self._account is not None and step is not None:
            scores = self._account.release_each(step.mechanism, scores)
        # After the noise, so that it costs nothing; + 0.0 turns a rounded −0.0 into 0.0.
        return [round(score, self.terms.decimals) + 0.0 for score in scores.tolist()]

    @staticmethod
    def _replayed(view: View, query: Query) -> Outcome:
        entry = view.answer(*query.key)
        if entry is None:
            raise LedgerError("an answer is missing from the desk's log that was just written to it.")
        return entry if entry.body == query.body else Refusal.OTHER_BODY


def _require_promise(terms: Terms, book: Ledger | None) -> None:
    if terms.epsilon is None and book is not None:
        raise InputError(
            "epsilon must be given with a ledger: answers without noise have no finite epsilon, and the ledger's "
            "promise would no longer hold. Give --epsilon, or open the desk without --ledger, which promises nothing."
        )
    if terms.epsilon is not None and book is None:
        raise InputError("ledger must be given with epsilon: make one with `tacit ledger init` and give --ledger.")


def _settled(log: Log, terms: Terms) -> str:
    """Return the desk's random name; its terms are fixed now or were fixed before, and then they must be the same."""
    with log.writing() as view:
        opened = view.opened()
        if opened is None:
            opened = uuid.uuid4().hex, terms
            require_shares(view.providers(), opened)
            view.open(*opened)
    if opened[1] != terms:
        before, now = opened[1].to_dict(), terms.to_dict()
        changed = ", ".join(name for name in before if before[name] != now[name])
        raise InputError(
            f"the desk at {log.path} was opened with other {changed}, and terms never change. "
            "Give the same again, or open a new desk with another --log."
        )
    return opened[0]


def _account(log: Log, desk: str, terms: Terms, *, book: Ledger | None, random_state: int | None) -> Account | None:
    """Return the account of the run, charged now or by an earlier start; None if it promises nothing."""
    step = terms.step
    if step is None or book is None:
        return None
    # The log is locked from the question to the answer: two starts at once charge once.
    with log.writing() as view:
        receipt = view.receipt()
        if receipt is None:
            purpose = f"{terms.queries} scores at desk {desk}"
            receipt = _charged(book, purpose, terms, step, random_state=random_state)
            view.keep_receipt(receipt)
    book.verify(receipt)
    claim = plan_claim([step], terms.budget, exact=(Exact.ROW_COUNT,))
    stream = NoiseStream(random_state)
    return Account([step], budget=terms.budget, stream=stream, ledger=book, receipt=receipt, claim=claim)


def _charged(book: Ledger, purpose: str, terms: Terms, step: Step, *, random_state: int | None) -> Receipt:
    """Return the receipt of the run's charge; one that was made by a start that died before it could note it counts."""
    if not _lines(book, purpose):
        facts: dict[str, Any] = {"exact": (Exact.ROW_COUNT,), "random_state": random_state}
        Account.open([step], budget=terms.budget, ledger=book, purpose=purpose, **facts)
    return _lines(book, purpose)[0].receipt


def _lines(book: Ledger, purpose: str) -> list[Line]:
    return [line for line in book.lines() if line.purpose == purpose]
