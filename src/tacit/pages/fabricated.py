"""The page about a fabricated table: its guarantee, samples, marginals and correlations."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from tacit.data.rows.encoding import Encoded, decode
from tacit.data.schemas.schema import Schema
from tacit.pages.charts import bar_chart, legend, percent, short
from tacit.pages.correlations import correlation_part
from tacit.pages.guarantee import guarantee_block, headline
from tacit.pages.layout import section, whole_page
from tacit.pages.markup import Markup, joined, tag
from tacit.pages.pictures import picture
from tacit.privacy.card import Card
from tacit.records import record
from tacit.similarity.table_similarity import Marginal, correlations, distance, marginals

# How much of a table is shown: pictures of a class, rows, columns of rows, marginals, columns of a correlation matrix.
PICTURES, SHOWN_ROWS, SHOWN_COLUMNS, MOST_MARGINALS, MOST_CORRELATED = 6, 6, 12, 24, 24
BAR, GAP, HEIGHT = 10, 2, 46
FABRICATED, ORIGINAL = "fabricated", "original"
DRAWN = "No row of it is anybody's."
# What rows of each method keep of the private table, and what they do not.
KEPT = {
    "marginals": (
        "how often each value occurs, how columns go with the label, and which values of two columns come together, "
        "all up to the noise.",
        (
            "what only three or more columns show together, beyond what their pairs imply",
            "rare values and rare combinations: they are pooled, and some may be missing altogether",
            "where a number lies within a range of few rows: it is drawn there at random",
            "the order of the rows, and which rows belong to one person: each row is invented by itself",
        ),
    ),
    "moments": (
        "the mean of each column and the correlations of columns in each class, up to the noise.",
        (
            "the shape of a column: peaks, gaps and long tails become one hump for each class",
            "curved dependences, and whatever only three or more columns show together",
            "combinations that never occur: they may occur here",
            "the order of the rows, and which rows belong to one person: each row is invented by itself",
        ),
    ),
    "hull": (
        "what neighbouring rows of one class have in common, up to the noise.",
        (
            "how often each value occurs and how far rows scatter: smoothing draws rows together",
            "rare values and rare combinations",
            "that no row goes back to a private one: each does, after noise and smoothing",
        ),
    ),
}
SMOOTHED = "Each is a private row after noise and smoothing."
KEEP = "It shows rows and counts of your own private table: keep it as you keep the table."
GOES_ALONG = "It holds nothing that the fabricated table itself does not hold: it may go wherever the table goes."


@record
class FabricatedFacts:
    """A fabricated table as numbers, its card and schema, and the original rows if the owner gave them.

    ``drawn``: whether rows were drawn from class moments or tables, so that none goes back to one private row.
    ``method``: how they were made, a key of `KEPT`.
    """

    rows: Encoded
    schema: Schema
    card: Card
    drawn: bool = True
    method: str = ""
    original: Encoded | None = None


def fabricated_page(facts: FabricatedFacts) -> str:
    """Return the page about a fabricated table."""
    card = facts.card
    comparison = "" if facts.original is None else f", beside {len(facts.original.X):,} original ones"
    header = [
        tag("p", "tacit · report on fabricated rows", class_="kicker"),
        tag("h1", f"{len(facts.rows.X):,} invented rows that stand for private ones"),
        tag("p", f"At {headline(card)}{comparison}. {DRAWN if facts.drawn else SMOOTHED}", class_="lead"),
        None if facts.original is None else tag("p", KEEP, class_="warning", role="alert"),
    ]
    sections = [
        section("Guarantee", "What it promises, and to whom.", guarantee_block(card, heading="In words")),
        section("Samples", "The first rows, as they stand in the table.", _samples(facts)),
    ]
    if _is_picture(facts.schema):
        sections.append(section("Classes", "The mean picture of each class.", _means(facts)))
    else:
        sections.append(section("Columns one by one", "How often each value occurs.", _marginals(facts)))
    if len(facts.schema.encoded_names) <= MOST_CORRELATED:
        aside = "Correlations. Blue: high values come together. Red: high comes with low."
        matrices = [(name, correlations(rows.X)) for name, _, rows in _tables(facts)]
        sections.append(section("Columns in pairs", aside, correlation_part(matrices, facts.schema)))
    if facts.method in KEPT:
        sections.append(section("What is not kept", "By how the rows were made.", _kept(*KEPT[facts.method])))
    note = GOES_ALONG if facts.original is None else KEEP
    return whole_page("Invented rows that stand for private ones", header, sections, note)


def _kept(kept: str, lost: Sequence[str]) -> Markup:
    items = [tag("li", f"{each}.") for each in lost]
    return joined(tag("p", f"Kept: {kept}"), tag("p", "Not kept:"), tag("ul", items))


def _tables(facts: FabricatedFacts) -> list[tuple[str, str, Encoded]]:
    """Return name, colour and rows of the fabricated table, and of the original one if it is given."""
    return _coloured(facts.rows, facts.original)


def _coloured(fabricated: Encoded, original: Encoded | None) -> list[tuple[str, str, Encoded]]:
    first = (FABRICATED, "with", fabricated)
    return [first] if original is None else [first, (ORIGINAL, "alone", original)]


def _is_picture(schema: Schema) -> bool:
    return schema.image is not None and len(schema.image.columns) == len(schema.features)


def _samples(facts: FabricatedFacts) -> Markup:
    if _is_picture(facts.schema):
        return joined([_picture_rows(facts, code, name) for code, name in enumerate(facts.schema.classes)])
    tables = [
        _row_table(decode(rows.X[:SHOWN_ROWS], facts.schema, y=rows.y[:SHOWN_ROWS]), name)
        for name, _, rows in _tables(facts)
    ]
    return joined(tables)


def _picture_rows(facts: FabricatedFacts, code: int, name: str) -> Markup:
    shape = () if facts.schema.image is None else facts.schema.image.shape
    pixels = facts.schema.image_positions
    strips = []
    for origin, _, rows in _tables(facts):
        examples = rows.X[rows.y == code][:PICTURES][:, pixels]
        drawn = [tag("figure", picture(values, shape, alt=f"{origin}, {name}")) for values in examples]
        strips.append(joined(tag("p", origin, class_="small"), tag("div", drawn, class_="pictures")))
    return tag("div", tag("h3", name), strips)


def _row_table(rows: pl.DataFrame, caption: str) -> Markup:
    names = rows.columns[: SHOWN_COLUMNS - 1] + rows.columns[-1:] if rows.width > SHOWN_COLUMNS else rows.columns
    head = tag("tr", [tag("th", short(name), scope="col", title=name) for name in names])
    body = [tag("tr", [tag("td", _cell(value)) for value in row]) for row in rows.select(names).iter_rows()]
    left_out = f"; {rows.width - len(names)} more columns are not shown" if rows.width > len(names) else ""
    table = tag("table", tag("caption", f"{caption}{left_out}"), tag("thead", head), tag("tbody", body))
    # A region that scrolls is reached by keyboard too.
    return tag("div", table, class_="scroll sample", role="region", aria_label=f"{caption} rows", tabindex=0)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _marginals(facts: FabricatedFacts) -> Markup:
    return beside_each_other(facts.rows, facts.original, facts.schema)


def beside_each_other(fabricated: Encoded, original: Encoded | None, schema: Schema) -> Markup:
    """Return how often each value of each column occurs in a fabricated table, and in the original one if given."""
    tables_shown = _coloured(fabricated, original)
    key = legend([(name, colour) for name, colour, _ in tables_shown])
    tables = [marginals(rows, schema) for _, _, rows in tables_shown]
    groups = list(zip(*tables, strict=True))
    parts = [_histogram(group) for group in groups[:MOST_MARGINALS]]
    return joined(key, _distances(groups), tag("div", parts, class_="gallery"))


def _means(facts: FabricatedFacts) -> Markup:
    shape = () if facts.schema.image is None else facts.schema.image.shape
    pixels = facts.schema.image_positions
    strips = []
    for origin, _, rows in _tables(facts):
        present = [(code, name) for code, name in enumerate(facts.schema.classes) if (rows.y == code).any()]
        drawn = [
            tag(
                "figure",
                picture(rows.X[rows.y == code].mean(axis=0)[pixels], shape, alt=f"{origin} mean of {name}"),
                tag("figcaption", short(name)),
            )
            for code, name in present
        ]
        strips.append(joined(tag("p", origin, class_="small"), tag("div", drawn, class_="pictures")))
    return joined(strips)


def _distances(groups: list[tuple[Marginal, ...]]) -> Markup | None:
    if len(groups[0]) < 2:
        return None
    gaps = [distance(*group) for group in groups]
    worst = groups[int(np.argmax(gaps))][0].name
    average = (
        f"On average {percent(float(np.mean(gaps)))} of a column's cells would have to change to match the original"
    )
    return tag("p", f"{average}; most, {percent(max(gaps))}, in {worst}.")


def _histogram(group: tuple[Marginal, ...]) -> Markup:
    """Return bars for each value, those of the two tables side by side."""
    largest = max(float(marginal.shares.max()) for marginal in group) or 1.0
    step = len(group) * BAR + 2 * GAP
    bars = [
        tag(
            "rect",
            class_=f"bar {('with', 'alone')[turn]}",
            x=at * step + turn * BAR,
            y=HEIGHT * (1 - share / largest),
            width=BAR - 1,
            height=max(HEIGHT * share / largest, 0.5),
        )
        for turn, marginal in enumerate(group)
        for at, share in enumerate(marginal.shares.tolist())
    ]
    first = group[0]
    return bar_chart(first.name, first.values, first.shares.tolist(), bars, size=(step * len(first.values), HEIGHT))
