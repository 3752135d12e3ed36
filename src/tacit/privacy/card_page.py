"""A card as a page of plain text for a data-protection officer."""

import math
import textwrap
from collections.abc import Mapping
from typing import Any

from tacit.privacy.budget import Budget, Relation, Unit, cautions
from tacit.privacy.card_content import AuditResult, CardContent, Part, number_text
from tacit.privacy.card_facts import TEXTS

WIDTH = 79
FIXED = "all parts were planned before the first was drawn; their losses are composed as distributions"
ADAPTIVE = "the sum of its lines holds though each was chosen after seeing those before (privacy filters)"


def page(card: CardContent) -> list[str]:
    """Return the lines of the page."""
    lines = [_headline(card), "=" * WIDTH, f"PRIVACY CARD   {card.title}", ""]
    for name, text in stated_facts(card):
        lines += _entry(name, text)
    lines += _entry("Protects", f"one {card.unit}: {card.adjacency}")
    lines += _entry("Relation", _relation(card))
    lines += _entry("For a person", person_meaning(card))
    lines += _entry(
        "Guarantee", f"epsilon {number_text(card.epsilon)}, delta {number_text(card.delta)} for one {card.unit}"
    )
    for each in card.coarser:
        lines += _entry("", str(each))
    lines += _entry("In words", _in_words(card))
    lines += _entry("Trust", card.trust)
    for part in card.parts:
        lines += _entry("Released", f"{part.what}; noise: {_mechanism(part)}")
        lines += _entry("  because", part.because + _proved_for(card, part))
    if len(card.parts) > 1:
        lines += _entry("Composition", FIXED)
    if card.published:
        lines += _entry("Exact", f"leaves without noise: {', '.join(card.published)}")
    lines += _listed("Assumes", card.assumptions) + _listed("Not protected", card.not_protected)
    lines += _entry("Noise", _noise(card))
    lines += _joint(card) + _entry("Ledger", _ledger(card)) + _history(card)
    for audit in card.audits:
        lines += _entry("Audit", _audit(audit))
    if not card.audits:
        lines += _entry("Audit", "none on this card; run `tacit audit` on the file")
    lines += _entry("Made", f"{card.made or 'date unknown'} with {card.software or 'unknown software'}")
    return lines


def _headline(card: CardContent) -> str:
    if card.warning:
        return _wrapped(f"THE STATED GUARANTEE DOES NOT HOLD: {card.warning}")
    if not card.secure:
        return _wrapped(
            "SEEDED: NOT PRIVATE. The noise was drawn from a seed, so whoever knows the seed can take it off again."
        )
    weak = cautions(Budget(card.epsilon, card.delta, unit=card.unit))
    if weak:
        return _wrapped(f"WEAK: {' '.join(weak)}")
    return _wrapped(f"This release is differentially private at the level of one {card.unit}.")


def _relation(card: CardContent) -> str:
    if card.relation is None:
        return "not stated: this card is of a version that did not tell add-remove from replace"
    if card.relation is Relation.ADD_REMOVE:
        return f"add-remove: a table with one {card.unit} more or less; who is in the table is protected"
    return f"replace: one {card.unit} exchanged for another; how many there are is public"


def stated_facts(card: CardContent) -> list[tuple[str, str]]:
    """Return what the owner stated about the release, with its name: owner, data set, purpose and so on."""
    facts = [(words, str(getattr(card.facts, name))) for name, words in TEXTS.items()]
    return [(name, text) for name, text in [*facts, ("Rows", card.facts.rows_text)] if text]


def person_meaning(card: CardContent) -> str:
    """Return what the unit of the card means for a person, who may have several rows."""
    if card.unit is Unit.PERSON:
        bound = f"At most {card.rows_per_person} rows" if card.rows_per_person else "A bounded number of rows"
        return f"{bound} of each person were read, chosen by a key and not by their values. {_presence(card)}"
    if card.unit is Unit.RECORD:
        several = (
            "one with several rows is protected only as a group of that many records, and their number is not bounded."
        )
        if card.rows_per_person:
            several = (
                f"of one with several at most {card.rows_per_person} were read, and the guarantee for a person holds."
            )
        return f"{_presence(card)} That is for a person with one row: {several}"
    if card.unit is Unit.ENTRY:
        return (
            "Each single cell of a person's row is protected. The row as a whole is protected far less, as the "
            "guarantee for a record says; whether the person is in the table is not protected."
        )
    return (
        "Each single relationship of a person is protected; a person with many relationships is protected only as a "
        "group of that many."
    )


def _presence(card: CardContent) -> str:
    if card.relation is Relation.REPLACE:
        return "What a person's rows say is protected, not that the person is among those counted."
    return "Both what a person's rows say and whether the person is in the table at all are protected."


def _proved_for(card: CardContent, part: Part) -> str:
    """Return for which relation a part's inequality was proved, where it is not the card's."""
    if not part.relations or card.relation in part.relations:
        return ""
    return f" (proved for {', '.join(part.relations)}; counted as a group for {card.relation})"


def _in_words(card: CardContent) -> str:
    factor = math.exp(card.epsilon)
    shown = f"{factor:.3g}" if factor < 1e4 else f"{factor:.1e}"
    base = f"whatever anyone concludes from the release becomes at most {shown} times as likely through one {card.unit}"
    return f"{base}, except with a probability of at most {number_text(card.delta)}." if card.delta else f"{base}."


def settings_text(mechanism: Mapping[str, Any]) -> str:
    """Return the settings of a mechanism as names and numbers, those of a mechanism within it in brackets."""
    return ", ".join(f"{name} {_shown(value)}" for name, value in mechanism.items() if name != "mechanism")


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"({settings_text(value)})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_shown(each) for each in value)}]"
    return number_text(value)


def _mechanism(part: Part) -> str:
    return f"{part.mechanism.get('mechanism', 'unknown')} ({settings_text(part.mechanism)})"


def _noise(card: CardContent) -> str:
    source = "cryptographically secure" if card.secure else "seeded: not private"
    if all(part.exact for part in card.parts):
        return f"{source}; exact, on a grid, so that the digits of an output do not give away its input"
    rounded = [part.what for part in card.parts if not part.exact]
    return f"{source}; in double precision, not exact, for: {', '.join(rounded)}"


def _joint(card: CardContent) -> list[str]:
    """Return who made a joint release and against whom its guarantee holds."""
    if card.joint is None:
        return []
    return _entry("Parties", str(card.joint)) + _listed("", tuple(str(party) for party in card.joint.parties))


def _ledger(card: CardContent) -> str:
    if card.joint is not None:
        return f"that of each party, charged before anything was drawn; {ADAPTIVE}"
    if not card.ledger:
        return "none: nothing adds this charge to other releases of the same rows"
    receipt = card.ledger
    return f"{receipt.get('identifier')}, line {receipt.get('line')}, digest {receipt.get('digest')}; {ADAPTIVE}"


def _history(card: CardContent) -> list[str]:
    """Return what the ledger was charged so far, a line for each charge."""
    history = card.history
    if history is None:
        return []
    lines = _entry("Charged so far", str(history))
    if history.earlier:
        lines += _entry("", f"- {history.earlier} charges before line {history.charges[0].line}, counted in the sum")
    return lines + _listed("", tuple(str(charge) for charge in history.charges))


def _audit(audit: AuditResult) -> str:
    verdict = "no contradiction found" if audit.passed else "CONTRADICTS THE CLAIM"
    return (
        f"{audit.what}: epsilon is at least {audit.lower_bound:.3g} with {confidence_text(audit.confidence)} "
        f"confidence ({audit.draws} draws a side), claimed {audit.claimed:.3g}: {verdict}"
    )


def _listed(name: str, items: tuple[str, ...]) -> list[str]:
    return [line for index, item in enumerate(items) for line in _entry(name if index == 0 else "", f"- {item}")]


def _entry(name: str, text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=f"{name:<15}", subsequent_indent=" " * 15) or [name]


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH)


def confidence_text(confidence: float) -> str:
    """Return a probability close to one with all of its nines."""
    return f"{100 * confidence:.6g} %"
