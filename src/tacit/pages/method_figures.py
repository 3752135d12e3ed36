"""Sections about each way to learn: accuracy, area and log-loss with intervals, and calibration."""

from collections.abc import Sequence

import numpy as np

from tacit.adoption.evidence.comparison import Comparison
from tacit.adoption.evidence.figures import Figure
from tacit.adoption.evidence.receiver_evidence import MethodFigures
from tacit.adoption.evidence.words import METHODS
from tacit.pages.charts import dot_rows, legend, percent, points
from tacit.pages.markup import Markup, joined, tag

# The commonest of the labels that a model may see is the rarer one among those held out, if classes are nearly equal.
NEARLY_EQUAL = (
    "The commonest class is found among the labels learned from. Where classes are about equally common, it is "
    "seldom the commonest among the rows held out, and may do worse than guessing."
)


def headline_figures(
    comparison: Comparison, methods: Sequence[MethodFigures], n_labelled: int, n_unlabelled: int
) -> Markup:
    """Return the headline numbers: the majority rate, both accuracies, AUC where it is known, and the labelled rows."""
    commonest = float(np.bincount(comparison.truth).max() / len(comparison.truth))
    adopted = f"right with what was adopted ({points(comparison.points)} points)"
    cells = [
        ("", percent(commonest), "of the rows are of the commonest class"),
        ("", percent(comparison.target_only.value), "right with your labels alone"),
        ("with", percent(comparison.adopted.value), adopted),
        *_area_cell(methods),
        ("", f"{n_labelled:,}", f"labelled rows, and {n_unlabelled:,} unlabelled"),
    ]
    drawn = [
        tag("div", tag("b", number), tag("span", words), class_=f"figure {colour}") for colour, number, words in cells
    ]
    return tag("div", drawn, class_="figures")


def _area_cell(methods: Sequence[MethodFigures]) -> list[tuple[str, str, str]]:
    areas = {each.name: each.area.value for each in methods if each.area is not None}
    if "adopted" not in areas:
        return []
    alone = f", {areas['alone']:.3f} with your labels alone" if "alone" in areas else ""
    return [("with", f"{areas['adopted']:.3f}", f"AUC with what was adopted{alone}")]


def methods_part(methods: Sequence[MethodFigures]) -> Markup:
    """Return the figures of every method as a table."""
    head = tag("tr", [tag("th", name, scope="col") for name in ("learning from", "accuracy", "AUC", "log-loss")])
    rows = [
        tag("tr", tag("th", METHODS[each.name], scope="row"), [tag("td", cell) for cell in _cells(each)])
        for each in methods
    ]
    table = tag("div", tag("table", tag("thead", head), tag("tbody", rows)), class_="scroll")
    below_half = any(each.name == "majority" and each.accuracy.value < 0.5 for each in methods)
    return joined(table, tag("p", NEARLY_EQUAL, class_="small")) if below_half else table


def calibration_part(method: MethodFigures) -> Markup:
    """Return how often predicted probabilities came true, from the least to the most probable rows."""
    bins = method.calibration
    names = [percent(each.predicted, 0) for each in bins]
    series = [
        ("came true", [each.observed.value for each in bins], "with"),
        ("predicted", [each.predicted for each in bins], "alone"),
    ]
    keys = legend([(caption, colour) for caption, _, colour in series])
    intervals = "; ".join(
        f"predicted {percent(each.predicted, 0)}, came true {percent(each.observed.value, 0)} "
        f"({percent(each.observed.low, 0)} to {percent(each.observed.high, 0)}) in {each.n_rows:,} predictions"
        for each in bins
    )
    return joined(keys, dot_rows(names, series), tag("p", f"With 95 % intervals: {intervals}.", class_="small"))


def _cells(method: MethodFigures) -> list[str]:
    right = method.accuracy
    return [
        f"{percent(right.value)} ({percent(right.low, 0)} to {percent(right.high, 0)})",
        "–" if method.area is None else _number(method.area),
        _number(method.log_loss),
    ]


def _number(figure: Figure) -> str:
    return f"{figure.value:.3f} ({figure.low:.2f} to {figure.high:.2f})"
