"""The page about an adopted model of a numeric target."""

from collections.abc import Sequence

from tacit.adoption.evidence.figures import Figure
from tacit.adoption.evidence.target_evidence import TargetEvidence
from tacit.adoption.evidence.target_figures import TargetFigures
from tacit.adoption.evidence.words import TARGET_METHODS, target_verdict_sentence
from tacit.data.schemas.schema import Schema
from tacit.pages.charts import dot_rows, legend, percent
from tacit.pages.layout import section, whole_page
from tacit.pages.markup import Markup, joined, tag
from tacit.pages.model_page import adopted_part
from tacit.privacy.card import Card
from tacit.records import record


@record
class TargetFacts:
    """All that the page of a numeric target shows."""

    schema: Schema
    cards: tuple[Card, ...]
    evidence: TargetEvidence
    methods: tuple[TargetFigures, ...]
    """How well each way to learn predicts the values of ``measured_on``; empty where there are too few."""
    measured_on: str


def target_page(facts: TargetFacts) -> str:
    """Return the page about an adopted model of a numeric target."""
    evidence = facts.evidence
    header = [
        tag("p", "tacit · report on an adopted model", class_="kicker"),
        tag("h1", target_verdict_sentence(evidence)),
        tag("p", _lead(facts), class_="lead"),
    ]
    adopted = adopted_part(facts.cards, evidence.weights, evidence.notes)
    sections = [
        *_figure_sections(facts.methods),
        section("What was adopted", "The guarantee of each owner, from the card of the release.", adopted),
    ]
    note = "It shows means of your own rows: keep it as you keep your table."
    return whole_page("tacit report: adopted model", header, sections, note)


def calibration_part(method: TargetFigures) -> Markup:
    """Return the means of predictions and of values, from the smallest to the largest predictions."""
    bins = method.calibration
    ends = [value for each in bins for value in (each.predicted, each.observed.value)]
    low, width = min(ends), (max(ends) - min(ends)) or 1.0
    series = [
        ("observed", [(each.observed.value - low) / width for each in bins], "with"),
        ("predicted", [(each.predicted - low) / width for each in bins], "alone"),
    ]
    keys = legend([(caption, colour) for caption, _, colour in series])
    intervals = "; ".join(
        f"predicted {each.predicted:.4g}, observed {each.observed.value:.4g} "
        f"({each.observed.low:.4g} to {each.observed.high:.4g})"
        for each in bins
    )
    scale = f"From {low:.4g} (left) to {low + width:.4g} (right). 95 % intervals: {intervals}."
    return joined(keys, dot_rows([f"{each.n_rows} rows" for each in bins], series), tag("p", scale, class_="small"))


def _figure_sections(methods: Sequence[TargetFigures]) -> list[Markup]:
    if not methods:
        return []
    aside = "R squared is the share of the values' variance that is predicted; 0 is what their mean predicts."
    came_true = "Rows by what was predicted of them, and what their values were: the marks should lie on each other."
    return [
        section("Ways to learn", aside, _methods_part(methods)),
        section("Calibration", came_true, calibration_part(methods[-1])),
    ]


def _methods_part(methods: Sequence[TargetFigures]) -> Markup:
    names = ("learning from", "R squared", "absolute error", "inside the 90 % interval")
    head = tag("tr", [tag("th", name, scope="col") for name in names])
    rows = [
        tag("tr", tag("th", TARGET_METHODS[each.name], scope="row"), [tag("td", cell) for cell in _cells(each)])
        for each in methods
    ]
    return tag("div", tag("table", tag("thead", head), tag("tbody", rows)), class_="scroll")


def _cells(method: TargetFigures) -> list[str]:
    inside = method.coverage
    return [
        _number(method.r_squared),
        _number(method.absolute_error),
        f"{percent(inside.value, 0)} ({percent(inside.low, 0)} to {percent(inside.high, 0)})",
    ]


def _number(figure: Figure) -> str:
    return f"{figure.value:.3g} ({figure.low:.3g} to {figure.high:.3g})"


def _lead(facts: TargetFacts) -> str:
    name = "" if facts.schema.target is None else f"Target {facts.schema.target.name!r}. "
    counts = f"{facts.evidence.n_known:,} known and {facts.evidence.n_unknown:,} unknown values."
    measured = f" Measured on {facts.measured_on}." if facts.methods else ""
    return f"{name}{counts}{measured}"
