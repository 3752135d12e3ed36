"""What a workflow adds to the card of a release: facts of the owner, the ledger's charges so far, a quick audit."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tacit.data.schemas.file import read_card_table
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.files.regular import FilePath
from tacit.privacy import accounting
from tacit.privacy.budget import Budget
from tacit.privacy.card import Card
from tacit.privacy.card_facts import MOST_CHARGES, CardFacts, LedgerCharge, LedgerHistory
from tacit.privacy.conversions import Exact, converted
from tacit.privacy.ledger import Ledger, Line

StatedFacts = CardFacts | Mapping[str, Any] | None
# What becomes of records that a schema does not foresee: mended by public rules, or able to stop a release.
MENDED = "cells that the schema does not foresee are mended by its public rules, so that no record stops a release"
REFUSED = (
    "whether every record follows the schema: one that does not stops the release, so that a release tells that there "
    'was none (bad_records = "clip", "category" or "missing" mends such records instead)'
)


def card_facts(stated: StatedFacts, schema: Schema | FilePath) -> CardFacts:
    """Return the facts ``stated``, and for what they leave open those in the table ``[card]`` of the schema's file."""
    own = stated if isinstance(stated, CardFacts) else CardFacts.from_dict(stated or {})
    table = {} if isinstance(schema, Schema) else read_card_table(schema)
    facts = own.over(CardFacts.from_dict(table, source="[card]" if isinstance(schema, Schema) else _source(schema)))
    if facts.n_rows is not None or facts.n_rows_noised:
        raise InputError(
            "n_rows must not be given: where one row more or less is hidden, the card would tell it. It stands on the "
            "card where the release itself tells it, exactly or with noise."
        )
    return facts


def _source(schema: FilePath) -> str:
    return f"{Path(schema).name}: [card]"


def completed_card(
    card: Card,
    facts: CardFacts,
    *,
    n_rows: int,
    noisy_rows: float | None,
    ledger: Ledger | None,
    audit: bool | None,
    seed: int | None,
) -> Card:
    """Return ``card`` with everything that a data-protection officer asks for; nothing is charged.

    ``n_rows`` is told only if the release tells it; ``noisy_rows`` is the number as the release counts it with noise.
    ``audit``: True for all parts, False for none, None for those that cost seconds.
    """
    if Exact.ROW_COUNT in (card.published or ()):
        facts = replace(facts, n_rows=n_rows)
    elif noisy_rows is not None:
        facts = replace(facts, n_rows=max(round(noisy_rows), 0), n_rows_noised=True)
    history = None if ledger is None else ledger_history(ledger)
    complete = replace(card, facts=facts, history=history)
    if audit is False:
        return complete
    from tacit.audit.card_audit import audit_card, quick_audit  # noqa: PLC0415 - loads what bounds of games need

    return complete.with_audits(audit_card(complete).results if audit else quick_audit(complete, seed=seed))


def ledger_history(ledger: Ledger) -> LedgerHistory:
    """Return every charge on ``ledger`` so far, with what it costs by itself, and their sum."""
    statement = ledger.statement()
    lines = statement.lines[-MOST_CHARGES:]
    return LedgerHistory(
        budget=str(ledger.budget),
        spent=statement.spent if math.isfinite(statement.spent) else None,
        left=statement.left,
        charges=tuple(_charge(line, ledger.budget) for line in lines),
        earlier=len(statement.lines) - len(lines),
    )


def _charge(line: Line, budget: Budget) -> LedgerCharge:
    try:
        cost = accounting.epsilon(converted(line.claim, budget.unit, budget.relation), delta=budget.delta)
    except InputError:  # a line of an old format, which is kept but guarantees nothing here
        cost = math.inf
    return LedgerCharge(
        line=line.number,
        time=line.time,
        purpose=line.purpose,
        unit=str(budget.unit),
        epsilon=cost if math.isfinite(cost) else None,
        holds=not line.claim.warning and math.isfinite(cost),
    )


def with_record_policy(card: Card, schema: Schema) -> Card:
    """Return ``card`` with what becomes of records that ``schema`` does not foresee."""
    if schema.refusing_columns:
        return replace(card, not_protected=(*card.not_protected, REFUSED))
    return replace(card, assumptions=(*card.assumptions, MENDED))
