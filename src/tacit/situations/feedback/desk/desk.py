"""The desk: the whole run is charged when it opens, then each new query is answered once."""

import os
import re
import sqlite3
import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from enum import StrEnum
from typing import Self

import numpy as np

from tacit.arrays import FloatArray
from tacit.errors import InputError, LedgerError
from tacit.files.hash_chain import Head
from tacit.privacy.account import Account, Step, plan_claim
from tacit.privacy.card import Card
from tacit.privacy.conversions import Exact
from tacit.privacy.ledger import Ledger, LedgerLike, Receipt, as_ledger
from tacit.privacy.stream import NoiseStream
from tacit.records import record
from tacit.situations.feedback.desk.anchor import LogAnchor
from tacit.situations.feedback.desk.log import DeskLog, Entry, LogTransaction, as_ledger_errors, require_shares, writing
from tacit.situations.feedback.desk.scoring import Scorer
from tacit.situations.feedback.desk.terms import DeskTerms

ADJACENCY = "one labelled record is replaced by another; the number of labelled records is public"
Key = tuple[str, str]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Refusal(StrEnum):
    """Reason why a query gets no answer; nothing is charged for it."""

    USED_UP = "the provider's queries are used up"
    DESK_USED_UP = "the desk's queries are used up"
    OTHER_BODY = "this query id was used for other parameters"


@record
class ScoreQuery:
    """One candidate to score: its provider, the query's name, the digest of its body, and the parameters [p]."""

    provider: str
    name: str
    body: str
    vector: FloatArray

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise InputError("a query id must be 1 to 100 letters, digits, dots, dashes and underscores.")

    @property
    def key(self) -> Key:
        """Provider and name, which identify a query: sent twice, it is one query."""
        return self.provider, self.name


DeskOutcome = Entry | Refusal


class Desk:
    """Answers queries on one private table; created by ``Desk.open``.

    With an epsilon every answer has noise, and the whole run is charged on the ledger before the first answer, so a
    query that is never asked is charged too. A repeated query gets the stored answer and costs nothing.

    Parameters
    ----------
    scorer : Scorer
        Scores candidates on the private rows; its scores leave the desk rounded, and with noise if there is an epsilon.
    terms : DeskTerms
        Metric, number of queries, rounding and budget.
    log : DeskLog
        Stores every answer before it is sent.
    account : Account or None
        The charged plan that noise is drawn from; None for answers without noise.
    anchor : LogAnchor or None
        Where the ledger keeps how far the log has come; None for answers without noise.
    """

    def __init__(
        self,
        scorer: Scorer,
        terms: DeskTerms,
        log: DeskLog,
        account: Account | None,
        anchor: LogAnchor | None = None,
    ) -> None:
        self.scorer, self.terms, self.log = scorer, terms, log
        self._account, self._anchor = account, anchor
        self._held: Head | None = None
        self._open = ExitStack()
        self._connection: sqlite3.Connection = self._open.enter_context(log.session())

    @classmethod
    def open(
        cls,
        scorer: Scorer,
        terms: DeskTerms,
        path: str | os.PathLike[str],
        *,
        ledger: LedgerLike = None,
        random_state: int | None = None,
    ) -> Self:
        """Return the desk whose log is at ``path``, new or continued; a run is charged once."""
        book, log = as_ledger(ledger), DeskLog(path)
        _require_ledger_with_epsilon(terms, book)
        if book is not None and book.path == log.path:
            raise InputError("the log must be another file than the ledger.")
        name = _open_log(log, terms)
        account = _account(log, name, terms, book=book, random_state=random_state)
        anchor = None if book is None or account is None else LogAnchor(log, book, name)
        if anchor is not None:
            anchor.hold()
        return cls(scorer, terms, log, account, anchor)

    @property
    def card(self) -> Card | None:
        """The guarantee of the whole run; None for a desk without an epsilon."""
        if self._account is None:
            return None
        return self._account.card(
            f"scores of up to {self.terms.queries} candidate models",
            adjacency=ADJACENCY,
            not_protected=("the number of labelled records", "how long an answer takes"),
        )

    def answer(self, queries: Sequence[ScoreQuery]) -> list[DeskOutcome]:
        """Return the answer to each query, or why it has none; answers are stored before this returns.

        All new candidates are scored together. Then one transaction counts each query, draws its noise and stores the
        answer: a crash before its end leaves neither a charge nor an answer, and no answer was sent to anyone. Last the
        ledger learns how far the log has come, so that a copy of the log from before answers nothing any more.
        """
        with as_ledger_errors(self.log.path):
            stored = LogTransaction(self._connection)
            scores = self._scores([query for query in queries if stored.answer(*query.key) is None])
            with writing(self._connection) as transaction:
                refusals = self._append_new_answers(transaction, queries, scores)
                outcomes = [refusals.get(query.key) or self._stored_answer(transaction, query) for query in queries]
                head = transaction.head()
        # Stored answers are sent only once the ledger knows of them, those of an earlier call that failed here too.
        if self._anchor is not None and head != self._held:
            self._anchor.hold()
            self._held = head
        return outcomes

    def receipt(self) -> Receipt | None:
        """Return the number of the last answer and the digest that binds it to all before; None before the first.

        Whoever keeps it can show later that the log was put back to an earlier moment.
        """
        with self.log.reading() as transaction:
            head = transaction.head()
        return Receipt(head.count, head.digest) if head.count else None

    def close(self) -> None:
        """Close the log."""
        self._open.close()

    def _scores(self, queries: Sequence[ScoreQuery]) -> dict[Key, float]:
        if not queries:
            return {}
        scores = self.scorer(np.stack([query.vector for query in queries]))
        # Of two queries of one name in one batch the first counts; the other is compared with it in the log.
        return dict(zip([query.key for query in reversed(queries)], reversed(scores.tolist()), strict=True))

    def _append_new_answers(
        self, transaction: LogTransaction, queries: Sequence[ScoreQuery], scores: dict[Key, float]
    ) -> dict[Key, Refusal]:
        """Store the answers to new queries, their noise drawn together; return the refusals of the others."""
        shares = {provider.name: provider.queries for provider in transaction.providers()}
        left = {name: shares[name] - transaction.used(name) for name in {query.provider for query in queries}}
        left_in_all = self.terms.queries - transaction.used()
        refusals: dict[Key, Refusal] = {}
        new: dict[Key, ScoreQuery] = {}
        for query in queries:
            if query.key in new or transaction.answer(*query.key) is not None:
                continue
            if left[query.provider] < 1:
                refusals[query.key] = Refusal.USED_UP
            elif left_in_all < 1:
                refusals[query.key] = Refusal.DESK_USED_UP
            else:
                new[query.key] = query
                left[query.provider] -= 1
                left_in_all -= 1
        noisy_scores = self._noisy_rounded(np.array([scores[key] for key in new]))
        for query, score in zip(new.values(), noisy_scores, strict=True):
            transaction.append(query.provider, query.name, query.body, score)
        return refusals

    def _noisy_rounded(self, scores: FloatArray) -> list[float]:
        step = self.terms.step
        if self._account is not None and step is not None:
            scores = self._account.release_each(step.mechanism, scores)
        # After the noise, so that it costs nothing; + 0.0 turns a rounded −0.0 into 0.0.
        return [round(score, self.terms.decimals) + 0.0 for score in scores.tolist()]

    @staticmethod
    def _stored_answer(transaction: LogTransaction, query: ScoreQuery) -> DeskOutcome:
        entry = transaction.answer(*query.key)
        if entry is None:
            raise LedgerError("an answer is missing from the desk's log that was just written to it.")
        return entry if entry.body == query.body else Refusal.OTHER_BODY


def _require_ledger_with_epsilon(terms: DeskTerms, book: Ledger | None) -> None:
    if terms.epsilon is None and book is not None:
        raise InputError(
            "epsilon must be given with a ledger: answers without noise have no finite epsilon, and the ledger's "
            "promise would no longer hold. Give --epsilon, or open the desk without --ledger, which promises nothing."
        )
    if terms.epsilon is not None and book is None:
        raise InputError("ledger must be given with epsilon: make one with `tacit ledger init` and give --ledger.")


def _open_log(log: DeskLog, terms: DeskTerms) -> str:
    """Return the desk's random name; a new log stores ``terms``, an old one must hold the same."""
    with log.writing() as transaction:
        opened = transaction.opened()
        if opened is None:
            opened = uuid.uuid4().hex, terms
            require_shares(transaction.providers(), opened)
            transaction.open(*opened)
    if opened[1] != terms:
        before, now = opened[1].to_dict(), terms.to_dict()
        changed = ", ".join(name for name in {**before, **now} if before.get(name) != now.get(name))
        raise InputError(
            f"the desk at {log.path} was opened with other {changed}, and terms never change. "
            "Give the same again, or open a new desk with another --log."
        )
    return opened[0]


def _account(
    log: DeskLog, name: str, terms: DeskTerms, *, book: Ledger | None, random_state: int | None
) -> Account | None:
    """Return the account of the run, charged now or by an earlier start; None without an epsilon."""
    step = terms.step
    if step is None or book is None:
        return None
    # The log is locked from the question to the answer: two starts at once charge once.
    with log.writing() as transaction:
        receipt = transaction.receipt()
        if receipt is None:
            receipt = _charge_once(book, name, terms, step, random_state=random_state)
            transaction.keep_receipt(receipt)
    book.verify(receipt)
    claim = plan_claim([step], terms.budget, exact=(Exact.ROW_COUNT,), rows_per_person=terms.rows_per_person)
    stream = NoiseStream(random_state)
    return Account([step], budget=terms.budget, stream=stream, ledger=book, receipt=receipt, claim=claim)


def _charge_once(book: Ledger, name: str, terms: DeskTerms, step: Step, *, random_state: int | None) -> Receipt:
    """Return the receipt of the run's charge; a charge by a start that crashed before storing its receipt counts.

    The two are known to be the same by a key of the ledger's line, which only a desk of this random name gives.
    """
    account = Account.open(
        [step],
        budget=terms.budget,
        ledger=book,
        purpose=f"{terms.queries} scores at desk {name}",
        exact=(Exact.ROW_COUNT,),
        rows_per_person=terms.rows_per_person,
        random_state=random_state,
        key=f"desk {name}",
    )
    if account.receipt is None:
        raise LedgerError("the desk's run was not charged.")
    return account.receipt
