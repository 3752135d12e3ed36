"""A privacy card: its content, and how it is shown as plain text and in a notebook."""

from dataclasses import dataclass

from tacit.files.notebook_html import html_facts
from tacit.privacy.card_content import CardContent
from tacit.privacy.card_page import page


@dataclass(frozen=True)
class Card(CardContent):
    """What a release guarantees.

    Parameters
    ----------
    title : str
        What was released.
    unit, epsilon, delta
        The promise.
    adjacency : str
        Which two tables count as neighbours.
    parts : tuple of Part
        Everything that was drawn; empty only if nothing was.
    coarser : tuple of Guarantee
        What the same release guarantees to coarser units.
    assumptions : tuple of str
        Public facts that the promise rests on: bounds, categories, norms.
    not_protected : tuple of str
        What the release gives away.
    secure : bool
        Whether the noise was cryptographically secure; seeded noise protects nothing.
    warning : str
        Empty, or why the stated guarantee does not hold.
    relation : Relation or None
        Which relation the promise is about; None on cards from before relations were stated.
    published : tuple of Exact or None
        What leaves without noise; None if that is not stated.
    rows_per_person : int or None
        The most rows of one person that were read; None if no bound was applied.
    facts : CardFacts
        Who released what and why, as the owner says.
    history : LedgerHistory or None
        Everything charged on the ledger up to this release.
    joint : JointFacts or None
        The parties of a release that several owners made together.
    """

    def __repr__(self) -> str:
        return f"<Card {self.title!r}: epsilon {self.epsilon:g}, delta {self.delta:g} per {self.unit}>"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        """Return the card as a notebook shows it."""
        promise = f"epsilon {self.epsilon:g}, delta {self.delta:g} for one {self.unit}"
        facts = [("Guarantee", promise), ("Protects", f"one {self.unit}: {self.adjacency}")]
        facts += [("For others", str(each)) for each in self.coarser]
        facts += [("Released", part.what) for part in self.parts] + [("Assumes", each) for each in self.assumptions]
        facts += [("Not protected", each) for each in self.not_protected]
        facts += [("Ledger", "line {line}, {digest}".format(**self.ledger) if self.ledger else "none: counted nowhere")]
        seeded = "" if self.secure else "SEEDED: NOT PRIVATE."
        warning = f"THE STATED GUARANTEE DOES NOT HOLD: {self.warning}" if self.warning else seeded
        return html_facts(f"Privacy card: {self.title}", facts, warning=warning)

    def to_text(self) -> str:
        """Return the card as a page of plain text for a data-protection officer."""
        return "\n".join(page(self)) + "\n"
