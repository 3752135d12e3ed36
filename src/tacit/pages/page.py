"""The whole page, from an adopted model or from a release."""

from collections.abc import Sequence
from dataclasses import dataclass

from tacit.adoption.comparison import Comparison
from tacit.arrays import FloatArray
from tacit.data.schema import Schema
from tacit.kinds.class_moments.preview import Glimpse
from tacit.pages import looks, outcome
from tacit.pages.charts import weight_chart
from tacit.pages.guarantee import guarantee_block, headline
from tacit.pages.layout import section, whole_page
from tacit.pages.markup import Markup, joined, tag
from tacit.pages.portraits import Portraits
from tacit.privacy.card import Card


@dataclass(frozen=True, eq=False)
class ModelFacts:
    """All that the page of an adopted model says.

    Attributes
    ----------
    measured_on : str
        Which rows the comparison is of, as a clause: ``"your 20 labelled rows, each held out in turn"``.
    notes : tuple of str
        What each release and the table have in common.
    layers : array [L, C, p] or None
        Class means as the model's layers see them.
    """

    schema: Schema
    cards: tuple[Card, ...]
    weights: tuple[float, ...]
    notes: tuple[str, ...]
    comparison: Comparison
    measured_on: str
    n_labelled: int
    n_unlabelled: int
    portraits: Portraits | None = None
    layers: FloatArray | None = None


def model_page(facts: ModelFacts) -> str:
    """Return the page about an adopted model."""
    found = facts.comparison
    lead = f"Measured on {facts.measured_on}. Ranges are 95\u202f% intervals: the fewer rows, the wider."
    header = [
        tag("p", "tacit · report on an adopted model", class_="kicker"),
        tag("h1", outcome.verdict(found, facts.weights)),
        tag("p", lead, class_="lead"),
        outcome.figures(found, facts.n_labelled, facts.n_unlabelled),
    ]
    sections = [
        section("Accuracy", "The same learner, on the same rows, without and with it.", outcome.accuracy_part(found)),
        section("Class by class", "How the share of right rows of each class changed.", outcome.classes_part(found)),
        section("Confusions", "What is taken for what, with all that was adopted.", outcome.confusion_part(found)),
        section("What was adopted", "The guarantee of each owner, from the card of the release.", _adopted(facts)),
        *_looks(facts),
    ]
    note = "It shows means and counts of your own rows: keep it as you keep your table."
    return whole_page("tacit report: adopted model", header, sections, note)


def release_page(
    card: Card,
    schema: Schema | None,
    seen: Glimpse | None,
    *,
    weights: Sequence[tuple[str, float]] = (),
    signer: str | None = None,
) -> str:
    """Return the page about a release; it holds nothing that the release does not."""
    signed = f"signed by {signer}" if signer else "not signed"
    header = [
        tag("p", "tacit · report on a release", class_="kicker"),
        tag("h1", card.title[:1].upper() + card.title[1:]),
        tag("p", f"At {headline(card)}; {signed}.", class_="lead"),
    ]
    sections = [section("Guarantee", "What it promises, and to whom.", guarantee_block(card, heading="In words"))]
    if seen is not None:
        aside = "What the owner's noise does to a single record."
        sections.append(section("Noise", aside, looks.noise_part(seen, card.unit)))
        aside = "Class means as handed out." if seen.pictures or seen.names else "Means of features of the pictures."
        sections.append(section("Classes", aside, looks.released_classes(seen)))
    if weights:
        aside = "How much a difference counts when two rows are compared, from end to end of its bounds."
        sections.append(section("Metric", aside, weight_chart(weights)))
    if schema is not None:
        sections.append(section("Columns", "Public facts that travel with the release.", _columns(schema)))
    note = "It holds nothing that the release itself does not hold: it may go wherever the release goes."
    return whole_page(f"tacit report: {card.title}", header, sections, note)


def _adopted(facts: ModelFacts) -> Markup:
    names = [f"Release {place + 1}: {card.title}" for place, card in enumerate(facts.cards)]
    weights = weight_chart(list(zip(names, facts.weights, strict=True))) if len(names) > 1 else None
    blocks = [
        guarantee_block(card, heading=name, note=_adoption(card, weight, note))
        for name, card, weight, note in zip(names, facts.cards, facts.weights, facts.notes, strict=True)
    ]
    return joined(weights, blocks)


def _adoption(card: Card, weight: float, note: str) -> str:
    """Return what was agreed on with the owner and how far it was followed, in one line."""
    followed = f"weight {weight:.3g} beside your own labels" if weight else "weight 0: your labels do not bear it out"
    return " · ".join(part for part in (headline(card), followed, note) if part)


def _looks(facts: ModelFacts) -> list[Markup]:
    if facts.portraits is None:
        return []
    sections = []
    for place, seen in enumerate(facts.portraits.glimpses):
        if seen is None:
            continue
        which = "" if len(facts.cards) == 1 else f", release {place + 1}"
        noise = looks.noise_part(seen, facts.cards[place].unit)
        sections.append(section(f"What noise did to a record{which}", "Shown on an example, never on a row.", noise))
        aside = "Each class as the owner's release shows it, beside your own rows."
        beside = looks.classes_side_by_side(seen, facts.portraits, facts.schema)
        sections.append(section(f"Classes side by side{which}", aside, beside))
    if facts.layers is not None and facts.schema.image is not None:
        aside = "Your class means as the layers of the model see them."
        drawn = looks.layers_part(facts.layers, facts.portraits.sorted, facts.schema)
        sections.append(section("Reconstructions by layer", aside, drawn))
    return sections


def _columns(schema: Schema) -> Markup:
    kinds = [column.kind for column in schema.columns]
    counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    picture = "" if schema.image is None else f" Pixels form pictures of {' × '.join(map(str, schema.image.shape))}."
    classes = f" Classes: {', '.join(schema.classes)}." if schema.classes else ""
    listed = tag("details", tag("summary", "All columns"), tag("p", ", ".join(schema.encoded_names), class_="small"))
    return joined(tag("p", f"{counted}.{picture}{classes}"), listed)
