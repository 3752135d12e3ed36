"""The page that lays a fabricated table beside the private one; for the owner's eyes only."""

import math

import numpy as np

from tacit.audit.table_comparison import TableComparison
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.schema import Schema
from tacit.pages.charts import percent, short
from tacit.pages.fabricated import beside_each_other
from tacit.pages.layout import section, whole_page
from tacit.pages.markup import Markup, joined, tag
from tacit.pages.named_map import named_map
from tacit.pages.roc import roc_chart
from tacit.privacy.card_content import Guarantee

KEEP = "It is computed from your private rows: keep it inside your walls, as you keep the table."
# Columns of the map of pairs, and impossible pairs, that a page shows.
MOST_MAPPED, MOST_IMPOSSIBLE = 40, 12
SIZE_NAMES = {1: "one column", 2: "two columns", 3: "three columns"}


def compare_page(comparison: TableComparison, real: Encoded, fabricated: Encoded, schema: Schema) -> str:
    """Return the page about a comparison."""
    header = [
        tag("p", "tacit · comparison with private rows", class_="kicker"),
        tag("h1", f"{comparison.n_fabricated:,} fabricated rows beside {comparison.n_real:,} private ones"),
        tag("p", headline(comparison), class_="lead"),
        tag("p", KEEP, class_="warning", role="alert"),
    ]
    sections = [
        section(
            "Likeness", "The share of rows that would have to change to make the tables alike.", _similarity(comparison)
        ),
        section("Columns one by one", "How often each value occurs.", beside_each_other(fabricated, real, schema)),
        section("Columns in pairs", "The darker, the further apart; on the diagonal single columns.", _map(comparison)),
        section("Impossible combinations", "Pairs of values that no private row has.", _impossible(comparison)),
    ]
    if comparison.learned:
        aside = "Area under the ROC curve on real rows; 0.5 is a coin toss."
        sections.append(section("Learning", aside, _learning(comparison)))
    sections.append(section("Closeness", "Whether rows give away who was in the table.", _closeness(comparison)))
    return whole_page("tacit: comparison with private rows", header, sections, KEEP)


def headline(comparison: TableComparison) -> str:
    """Return the outcome in a sentence or two."""
    words = (
        f"Pairs of columns differ by {percent(comparison.variations[2])} on average; "
        f"{percent(comparison.impossible, 2)} of rows have an impossible combination."
    )
    areas = [f"{name} {each.fabricated:.3f} (real rows {each.real:.3f})" for name, each in comparison.learned.items()]
    return f"{words} Trained on fabricated rows, tested on real ones: {', '.join(areas)}." if areas else words


def _similarity(comparison: TableComparison) -> Markup:
    held = bool(comparison.held_out_variations)
    head = tag("tr", [tag("th", name, scope="col") for name in ("", "fabricated", *(["held-out real rows"] * held))])
    body = []
    for count, name in SIZE_NAMES.items():
        cells = [comparison.variations[count], *([comparison.held_out_variations[count]] if held else [])]
        body.append(tag("tr", tag("th", name, scope="row"), [tag("td", percent(cell, 2)) for cell in cells]))
    note = f"Correlations of encoded columns differ by {comparison.correlation_gap:.3f} on average."
    constraints = (
        f" {percent(comparison.broken, 2)} of rows break a constraint of the schema." if comparison.broken else ""
    )
    return joined(
        tag("table", tag("caption", "Mean total variation distance"), tag("thead", head), tag("tbody", body)),
        tag("p", note + constraints),
    )


def _map(comparison: TableComparison) -> Markup:
    shown = comparison.pairs[:MOST_MAPPED, :MOST_MAPPED]
    worst = np.unravel_index(np.argmax(np.triu(shown, 1)), shown.shape)
    words = (
        f"Furthest apart: {' and '.join(comparison.names[place] for place in worst)}, {percent(float(shown[worst]))}."
        if len(shown) > 1
        else ""
    )
    reach, label = float(shown.max()) or 1.0, "distance of each pair of columns"
    # Negative, so that what is far apart is red.
    grid = named_map(-shown, comparison.names[:MOST_MAPPED], lambda value: percent(-value), reach=reach, label=label)
    return joined(tag("p", words), grid)


def _impossible(comparison: TableComparison) -> Markup:
    if not comparison.impossible_pairs:
        return tag("p", "None: every combination of two columns that looks impossible is absent.")
    lines = [
        tag("li", f"{short(each.columns[0])} and {short(each.columns[1])}: {percent(each.share, 2)} of rows")
        for each in comparison.impossible_pairs[:MOST_IMPOSSIBLE]
    ]
    return joined(tag("p", f"{percent(comparison.impossible, 2)} of rows have at least one."), tag("ul", lines))


def _learning(comparison: TableComparison) -> Markup:
    head = tag("tr", [tag("th", name, scope="col") for name in ("learner", "real rows", "fabricated rows")])
    body = [
        tag("tr", tag("th", name, scope="row"), tag("td", _area(each.real)), tag("td", _area(each.fabricated)))
        for name, each in comparison.learned.items()
    ]
    return tag("table", tag("caption", "Trained on"), tag("thead", head), tag("tbody", body))


def _area(area: float) -> str:
    return "–" if math.isnan(area) else f"{area:.3f}"


def _closeness(comparison: TableComparison) -> Markup:
    near = comparison.closeness
    if near is None:
        return tag("p", "Not measured: it needs real rows that the table was not made of. Give --holdout.")
    low, high = near.attack.area_interval
    words = (
        f"{percent(near.nearer_share)} of fabricated rows lie nearer to a private row than to any of as many held-out "
        f"ones; 50 % is what chance gives. Median distance {near.to_private:.3f} to private, {near.to_held_out:.3f} to "
        f"held-out rows; {percent(near.copies, 2)} equal a private row in every column."
    )
    attack = (
        f"A membership attack by these distances has an area of {near.attack.area:.3f} "
        f"({low:.3f} to {high:.3f}); 0.5 is a coin toss. A low area proves nothing: the card's guarantee does."
    )
    return joined(tag("p", words), tag("p", attack), roc_chart([near.attack], Guarantee("record", None, 0.0)))
