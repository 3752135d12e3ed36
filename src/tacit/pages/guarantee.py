"""The guarantee of a release in words, from its card."""

import math
from collections.abc import Sequence

from tacit.audit.guessing import best_guess
from tacit.pages.charts import guess_chart, percent
from tacit.pages.markup import Markup, joined, tag
from tacit.privacy.card import Card
from tacit.privacy.card_content import AuditResult, Guarantee, Part
from tacit.privacy.card_page import confidence_text, person_meaning, settings_text, stated_facts

# A factor above this says nothing any more.
LARGEST_FACTOR = 1000.0
NO_AUDIT = "none on the card; `tacit audit` runs one on the file"


def guarantee_block(card: Card, *, heading: str, note: str = "", whole: bool = True) -> Markup:
    """Return the guarantee in words, as a chart, for each unit, and, if ``whole``, all of the card to be unfolded."""
    return tag(
        "div",
        tag("h3", heading),
        tag("p", note, class_="small") if note else None,
        _warning(card),
        tag("p", in_words(card)),
        tag("p", person_meaning(card)),
        None if card.joint is None else tag("p", f"Made by several owners together: {card.joint}."),
        guess_chart(best_guess(card.epsilon, card.delta)),
        _units_table(card),
        tag("details", tag("summary", "The whole card"), card_entries(card)) if whole else None,
        class_="release",
    )


def in_words(card: Card) -> Markup:
    """Return the guarantee as sentences that need no formula."""
    factor = math.exp(card.epsilon)
    times = f"{factor:.3g} times" if factor <= LARGEST_FACTOR else f"more than {LARGEST_FACTOR:g} times"
    exception = f", except with a probability of at most {card.delta:.3g}" if card.delta else ""
    start = f"It protects one {card.unit}." if card.holds else f"If it held, it would protect one {card.unit}."
    return joined(
        f"{start} Whatever anybody concludes from it becomes at most ",
        tag("strong", times),
        f" as likely because one {card.unit} was in the table{exception}. Somebody who already knows everything else, "
        f"and to whom it is a coin toss whether one {card.unit} was there, guesses right at most ",
        tag("strong", f"{_guess_text(best_guess(card.epsilon, card.delta))} of the time"),
        ".",
    )


def _guess_text(guess: float) -> str:
    """Return a probability of guessing right, never rounded up to certainty."""
    return percent(guess) if guess < 0.9995 else f"over {percent(0.999)}"


def headline(card: Card) -> str:
    """Return epsilon, delta and unit in one line."""
    return f"epsilon {card.epsilon:g}, delta {card.delta:g} per {card.unit}"


def _warning(card: Card) -> Markup | None:
    if card.warning:
        return tag("p", f"The stated guarantee does not hold: {card.warning}", class_="warning", role="alert")
    if not card.secure:
        words = "Seeded, not private: whoever knows the seed can take the noise off again."
        return tag("p", words, class_="warning", role="alert")
    return None


def _units_table(card: Card) -> Markup:
    """Return what the release guarantees to each kind of unit."""
    rows = [
        _unit_row(Guarantee(f"one {card.unit}", card.epsilon, card.delta)),
        *(_unit_row(promise) for promise in card.coarser),
    ]
    head = tag("tr", [tag("th", name, scope="col") for name in ("protects", "epsilon", "delta", "best guess")])
    caption = tag("caption", "The same release, seen from one unit and from coarser ones")
    return tag("table", caption, tag("thead", head), tag("tbody", rows), class_="ladder")


def _unit_row(promise: Guarantee) -> Markup:
    epsilon = "none holds" if promise.epsilon is None else f"{promise.epsilon:.4g}"
    guess = percent(1.0) if promise.epsilon is None else _guess_text(best_guess(promise.epsilon, promise.delta))
    cells = [tag("td", text) for text in (epsilon, f"{promise.delta:.3g}", guess)]
    return tag("tr", tag("th", promise.unit, scope="row"), cells)


def card_entries(card: Card) -> Markup:
    """Return everything else on the card, entry by entry."""
    entries: list[tuple[str, Sequence[str]]] = [
        *((name, [text]) for name, text in stated_facts(card)),
        ("Released", [_part(part) for part in card.parts]),
        ("Neighbours", [card.adjacency]),
        ("Assumes", card.assumptions),
        ("Leaves without noise", [", ".join(card.published)] if card.published else []),
        ("Not protected", card.not_protected),
        ("Trust", [card.trust]),
        ("Parties", [] if card.joint is None else [str(party) for party in card.joint.parties]),
        ("Noise", [_noise(card)]),
        ("Ledger", [_ledger(card)]),
        ("Charged so far", _history(card)),
        ("Audits", [_audit(audit) for audit in card.audits] or [NO_AUDIT]),
        ("Made", [f"{card.made or 'date unknown'} with {card.software or 'unknown software'}"]),
    ]
    return tag("dl", [joined(tag("dt", name), tag("dd", _items(items))) for name, items in entries if items])


def _history(card: Card) -> list[str]:
    if card.history is None:
        return []
    earlier = card.history.earlier
    before = [f"{earlier} charges before those listed here, counted in the sum"] if earlier else []
    return [str(card.history), *before, *(str(charge) for charge in card.history.charges)]


def _items(items: Sequence[str]) -> Markup:
    return joined(items[0]) if len(items) == 1 else tag("ul", [tag("li", item) for item in items])


def _part(part: Part) -> Markup:
    return joined(
        f"{part.what}, with {part.mechanism.get('mechanism', 'unknown')} noise (",
        tag("code", settings_text(part.mechanism)),
        f"). Its size suffices because {part.because}.",
    )


def _noise(card: Card) -> str:
    source = "cryptographically secure" if card.secure else "seeded: not private"
    exact = all(part.exact for part in card.parts)
    return f"{source}; {'exact, on a grid' if exact else 'in double precision, not exact'}"


def _ledger(card: Card) -> Markup:
    if card.joint is not None:
        return joined("that of each party, charged before anything was drawn; its receipt stands beside the party")
    if not card.ledger:
        return joined("none: this spend stands on the card alone")
    receipt_facts = {name: str(card.ledger.get(name)) for name in ("identifier", "line", "digest")}
    receipt = tag("code", f"{receipt_facts['line']}:{receipt_facts['digest']}")
    return joined(
        "charged before the noise was drawn, on ledger ",
        tag("code", receipt_facts["identifier"]),
        ", receipt ",
        receipt,
    )


def _audit(audit: AuditResult) -> str:
    verdict = "no contradiction" if audit.passed else "CONTRADICTS THE CLAIM"
    bound, claimed = f"epsilon is at least {audit.lower_bound:.3g}", f"claimed {audit.claimed:.3g}"
    return f"{audit.what}: {bound} with {confidence_text(audit.confidence)} confidence, {claimed}: {verdict}"
