"""What the page about a release of tables shows: the class counts of each column, and impossible combinations."""

import numpy as np

from tacit.arrays import FloatArray
from tacit.data.schemas.schema import Schema
from tacit.kinds.marginals.make import forbidden_pairs, model_of
from tacit.models.marginals.asking import DEVIATIONS, coarse_names
from tacit.models.marginals.model import MarginalModel
from tacit.pages.charts import bar_chart, legend
from tacit.pages.layout import section
from tacit.pages.markup import Markup, joined, tag
from tacit.releases.file import Release

# Columns, pairs of columns and combinations that a page shows.
MOST_COLUMNS, MOST_PAIRS, MOST_COMBINATIONS = 24, 12, 200
# Size of a chart in its own units.
BAR, HEIGHT = 10, 60
COLOURS = ("with", "alone", "third")


def marginal_sections(release: Release, schema: Schema | None) -> list[Markup]:
    """Return the tables of single columns and the combinations that are taken for impossible."""
    if schema is None:
        return []
    model = model_of(release)
    aside = "Rows of each class in the cells of each column, as estimated from all noisy tables."
    parts = [section("Tables", aside, joined(_words(model), _legend(model), _charts(model)))]
    if model.zeros:
        aside = "Rows drawn from this release never have them; a rare true one may be among them."
        parts.append(section("Impossible combinations", aside, joined(_summary(model), _list(forbidden_pairs(model)))))
    return parts


def _words(model: MarginalModel) -> Markup:
    measured = model.measurement
    half = DEVIATIONS * measured.cell_sigma
    words = (
        f"About {model.n_rows:,} rows. A count of one class in one cell is right within ±{half:,.0f} 95 times of 100"
    )
    if not measured.pairs:
        return tag("p", f"{words}. No pairs of columns are counted.")
    pairs = f"a count in a pair of cells within ±{DEVIATIONS * measured.pair_sigma:,.0f}"
    return tag("p", f"{words}, {pairs}. {len(measured.pairs):,} pairs of columns are counted.")


def _legend(model: MarginalModel) -> Markup:
    label = model.layout.label
    names = () if label is None else label.names
    return legend([(name, COLOURS[code % len(COLOURS)]) for code, name in enumerate(names)])


def _charts(model: MarginalModel) -> Markup:
    charts = []
    for j, column in enumerate(model.layout.columns[:MOST_COLUMNS]):
        counts = model.coarse.counts[:, model.offsets[j] : model.offsets[j + 1]]
        charts.append(_bars(column.name, coarse_names(model.measurement.columns[j], column), counts))
    return tag("div", charts, class_="gallery")


def _bars(name: str, cells: tuple[str, ...], counts: FloatArray) -> Markup:
    """Return one bar for each cell, the classes on top of each other."""
    totals = np.maximum(counts.sum(axis=0), 0.0)
    largest = float(totals.max()) or 1.0
    below = np.vstack([np.zeros(len(totals)), np.cumsum(counts, axis=0)])
    bars = [
        tag(
            "rect",
            class_=f"bar {COLOURS[code % len(COLOURS)]}",
            x=place * (BAR + 2),
            y=round(float(HEIGHT * (1 - below[code + 1, place] / largest)), 2),
            width=BAR,
            height=round(float(HEIGHT * counts[code, place] / largest), 2),
        )
        for code in range(len(counts))
        for place in range(len(cells))
    ]
    shares = totals / max(float(totals.sum()), 1.0)
    return bar_chart(name, cells, shares.tolist(), bars, size=(len(cells) * (BAR + 2), HEIGHT))


def _summary(model: MarginalModel) -> Markup:
    """Return how many combinations of each pair of columns are taken for impossible, the most first."""
    counted = sorted(model.zeros, key=lambda zeros: -int(zeros.forbidden.sum()))
    names = model.layout.names
    lines = [
        f"{names[zeros.columns[0]]} with {names[zeros.columns[1]]}: {int(zeros.forbidden.sum())} of "
        f"{zeros.forbidden.size} combinations"
        for zeros in counted
    ]
    return tag("ul", [tag("li", line) for line in lines[:MOST_PAIRS]])


def _list(lines: list[str]) -> Markup:
    more = f"And {len(lines) - MOST_COMBINATIONS} more." if len(lines) > MOST_COMBINATIONS else ""
    listed = tag("ul", [tag("li", line) for line in lines[:MOST_COMBINATIONS]])
    return tag("details", tag("summary", "One by one"), listed, tag("p", more) if more else "")
