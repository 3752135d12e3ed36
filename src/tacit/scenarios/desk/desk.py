"""The desk itself: the whole run is charged when it opens, then each new query is answered once."""

import os
import re
import sqlite3
import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

import numpy as np

from tacit.checks import FloatArray
from tacit.errors import InputError
from tacit.privacy.account import Account, Step
from tacit.privacy.card import Card
from tacit.privacy.ledger import Ledger, LedgerLike, Line, Receipt, as_ledger
from tacit.privacy.stream import NoiseStream
from tacit.scenarios.desk.log import Entry, Log, View, plainly, require_shares, writing
from tacit.scenarios.desk.scoring import Scorer
from tacit.scenarios.desk.terms import Terms

ADJACENCY = "one labelled record is replaced by another; the number of labelled records is public"
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
            scores = self._scores([query for query in queries if self._known(query) is None])
            with writing(self._connection) as view:
                return [self._settle(view, query, scores) for query in queries]

    def close(self) -> None:
        """Let go of the log."""
        self._open.close()

    def _known(self, query: Query) -> Outcome | None:
        return self._replayed(View(self._connection), query)

    def _scores(self, queries: Sequence[Query]) -> dict[tuple[str, str], float]:
        if not queries:
            return {}
        found = self.scorer(np.stack([query.vector for query in queries]))
        names = [(query.provider, query.name) for query in queries]
        # Of two queries of one name in one batch the first is meant; the other is compared with it when it is settled.
        return dict(zip(reversed(names), reversed(found.tolist()), strict=True))

    def _settle(self, view: View, query: Query, scores: dict[tuple[str, str], float]) -> Outcome:
        replayed = self._replayed(view, query)
        if replayed is not None:
            return replayed
        share = next(each.queries for each in view.providers() if each.name == query.provider)
        if view.used(query.provider) >= share:
            return Refusal.USED_UP
        if view.used() >= self.terms.queries:
            return Refusal.DESK_USED_UP
        score = self._released(scores[query.provider, query.name])
        return view.append(query.provider, query.name, query.body, score)

    def _released(self, score: float) -> float:
        step = self.terms.step
        if self._account is not None and step is not None:
            score = float(self._account.release(step.mechanism, np.array([score]))[0])
        # After the noise, so that it costs nothing; + 0.0 turns a rounded −0.0 into 0.0.
        return round(score, self.terms.decimals) + 0.0

    @staticmethod
    def _replayed(view: View, query: Query) -> Outcome | None:
        entry = view.answer(query.provider, query.name)
        if entry is None:
            return None
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
            receipt = _charged(book, f"{terms.queries} scores at desk {desk}", terms, step)
            view.keep_receipt(receipt)
    book.verify(receipt)
    return Account([step], budget=terms.budget, stream=NoiseStream(random_state), ledger=book, receipt=receipt)


def _charged(book: Ledger, purpose: str, terms: Terms, step: Step) -> Receipt:
    """Return the receipt of the run's charge; one that was made by a start that died before it could note it counts."""
    if not _lines(book, purpose):
        Account.open([step], budget=terms.budget, ledger=book, purpose=purpose)
    return _lines(book, purpose)[0].receipt


def _lines(book: Ledger, purpose: str) -> list[Line]:
    return [line for line in book.lines() if line.purpose == purpose]
