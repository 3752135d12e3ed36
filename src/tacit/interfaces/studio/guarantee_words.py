"""The guarantee of a card in the visitor's language, beside its report, which is a file in English."""

import math
from typing import Any

from tacit.audit.guessing import best_guess
from tacit.interfaces.studio.frame import note
from tacit.interfaces.studio.strings import Words
from tacit.pages.charts import percent
from tacit.pages.guarantee import LARGEST_FACTOR
from tacit.pages.markup import Markup, tag
from tacit.privacy.card import Card


def guarantee_facts(card: Card) -> dict[str, Any]:
    """Return what the sentences say, in plain values."""
    return {"unit": str(card.unit), "epsilon": card.epsilon, "delta": card.delta, "holds": card.holds}


def guarantee_words(words: Words, facts: dict[str, Any]) -> Markup:
    """Return what a card promises as sentences, and that the report below is in English."""
    unit = words.texts.get(f"unit.{facts['unit']}", facts["unit"])
    factor = math.exp(min(facts["epsilon"], 700.0))
    times = f"{factor:.3g}" if factor <= LARGEST_FACTOR else f"> {LARGEST_FACTOR:g}"
    sentences = [
        words("guarantee.protects" if facts["holds"] else "guarantee.would_protect", unit=unit),
        words("guarantee.times", times=times),
        words("guarantee.exception", delta=f"{facts['delta']:.3g}") if facts["delta"] else "",
        words("release.meaning", guess=percent(min(best_guess(facts["epsilon"], facts["delta"]), 0.999))),
    ]
    figures = words("guarantee.figures", epsilon=f"{facts['epsilon']:g}", delta=f"{facts['delta']:g}", unit=unit)
    return tag(
        "div",
        tag("p", tag("strong", figures)),
        tag("p", " ".join(sentence for sentence in sentences if sentence)),
        note(words("guarantee.english")),
        class_="guarantee",
    )
