"""The page about an adopted model."""

from collections.abc import Sequence

from tacit.adoption.evidence.comparison import Comparison
from tacit.adoption.evidence.receiver_evidence import MethodFigures
from tacit.arrays import FloatArray
from tacit.data.schemas.schema import Schema
from tacit.pages import class_means, comparison
from tacit.pages.charts import weight_chart
from tacit.pages.guarantee import guarantee_block, headline
from tacit.pages.layout import section, whole_page
from tacit.pages.markup import Markup, joined, tag
from tacit.pages.method_figures import calibration_part, headline_figures, methods_part
from tacit.pages.table_summary import TableSummary
from tacit.privacy.card import Card
from tacit.records import record


@record
class ModelFacts:
    """All that the page of an adopted model shows."""

    schema: Schema
    """The receiver's."""
    cards: tuple[Card, ...]
    weights: tuple[float, ...]
    notes: tuple[str, ...]
    """For each release its card, its weight in the model, and what it has in common with the table."""
    comparison: Comparison | None
    """Predictions without and with the releases; None where there is no row to measure on."""
    measured_on: str
    """Which rows the comparison is of, as a clause: ``"your 20 labelled rows, each held out in turn"``."""
    n_labelled: int
    n_unlabelled: int
    """Rows of the receiver's table."""
    summary: TableSummary | None = None
    """Class means of the receiver's table and previews of the releases."""
    layers: FloatArray | None = None
    """[L, C, p] or None: the class means of predicted classes as each layer of the model reconstructs them."""
    methods: tuple[MethodFigures, ...] = ()
    """Of an averaged model: how well each way to learn predicts the same rows."""
    verdict: str = ""
    """Of an averaged model: what its evidence says, in a sentence."""
    remarks: tuple[str, ...] = ()
    """What is to be known beside the figures."""


def model_page(facts: ModelFacts) -> str:
    """Return the page about an adopted model."""
    sections = [
        *_method_sections(facts),
        *([] if facts.comparison is None else _comparison_sections(facts.comparison)),
        section(
            "What was adopted",
            "The guarantee of each owner, from the card of the release.",
            adopted_part(facts.cards, facts.weights, facts.notes),
        ),
        *_summary_sections(facts),
    ]
    note = "It shows means and counts of your own rows: keep it as you keep your table."
    return whole_page(f"What was adopted for {_outcome(facts.schema)}", _header(facts), sections, note)


def _outcome(schema: Schema) -> str:
    return "your model" if schema.label is None else f"predicting {schema.label.name}"


def _header(facts: ModelFacts) -> list[Markup]:
    both = facts.comparison
    kicker = tag("p", "tacit · report on an adopted model", class_="kicker")
    said = [tag("p", remark) for remark in facts.remarks]
    if both is None:
        counts = f"{facts.n_labelled:,} labelled and {facts.n_unlabelled:,} unlabelled rows."
        return [kicker, tag("h1", facts.verdict), tag("p", counts, class_="lead"), *said]
    lead = f"Measured on {facts.measured_on}. Ranges are 95\u202f% intervals: the fewer rows, the wider."
    return [
        kicker,
        tag("h1", facts.verdict or comparison.verdict(both, facts.weights)),
        tag("p", lead, class_="lead"),
        *said,
        headline_figures(both, facts.methods, facts.n_labelled, facts.n_unlabelled),
    ]


def _comparison_sections(both: Comparison) -> list[Markup]:
    return [
        section(
            "Accuracy", "The same rows, learned without and with what was adopted.", comparison.accuracy_part(both)
        ),
        section("Class by class", "How the share of correct rows changed.", comparison.classes_part(both)),
        section(
            "Confusions",
            "Which classes are mistaken for which, with what was adopted.",
            comparison.confusion_part(both),
        ),
    ]


def _method_sections(facts: ModelFacts) -> list[Markup]:
    """Return the sections of every way to learn; none for models that are not averages."""
    if not facts.methods:
        return []
    aside = (
        "AUC is the chance that of two rows the likelier one is ranked higher; log-loss punishes false certainty. "
        "Held-out figures are means over several ways to hold rows out."
    )
    came_true = "Predicted probabilities, and how often they came true: the marks should coincide."
    return [
        section("Ways to learn", aside, methods_part(facts.methods)),
        section("Calibration", came_true, calibration_part(facts.methods[-1])),
    ]


def adopted_part(cards: Sequence[Card], weights: Sequence[float], notes: Sequence[str]) -> Markup:
    """Return the card, the weight and the note of each release."""
    names = [f"Release {place + 1}: {card.title}" for place, card in enumerate(cards)]
    chart = weight_chart(list(zip(names, weights, strict=True))) if len(names) > 1 else None
    blocks = [
        guarantee_block(card, heading=name, note=_adoption(card, weight, note))
        for name, card, weight, note in zip(names, cards, weights, notes, strict=True)
    ]
    return joined(chart, blocks)


def _adoption(card: Card, weight: float, note: str) -> str:
    """Return the guarantee, the weight and the common columns of one release, in one line."""
    followed = f"weight {weight:.3g} beside your own labels" if weight else "weight 0: your labels do not bear it out"
    return " · ".join(part for part in (headline(card), followed, note) if part)


def _summary_sections(facts: ModelFacts) -> list[Markup]:
    """Return the sections of each previewed release beside the receiver's class means, and those of the layers."""
    if facts.summary is None:
        return []
    sections = []
    for place, preview in enumerate(facts.summary.previews):
        if preview is None:
            continue
        which = "" if len(facts.cards) == 1 else f", release {place + 1}"
        noise = class_means.noise_part(preview, facts.cards[place].unit)
        sections.append(section(f"What noise did to a record{which}", "Shown on an example, never on a row.", noise))
        aside = "Each class as the owner's release shows it, beside your own rows."
        classes = class_means.classes_side_by_side(preview, facts.summary, facts.schema)
        sections.append(section(f"Classes side by side{which}", aside, classes))
    if facts.layers is not None and facts.schema.image is not None:
        aside = "Your class means as the layers of the model see them."
        pictures = class_means.layers_part(facts.layers, facts.summary.predicted, facts.schema)
        sections.append(section("Reconstructions by layer", aside, pictures))
    return sections
