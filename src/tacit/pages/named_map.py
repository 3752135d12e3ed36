"""A matrix of columns as a coloured table that can be read: names beside the rows, their numbers above the columns."""

from collections.abc import Callable, Sequence

from tacit.arrays import FloatArray
from tacit.pages.charts import short
from tacit.pages.markup import Markup, tag

NAME_LENGTH = 12
# A cell of this share of the largest value is as dark as letters on it allow.
DARKEST = 70
# From here on cells are drawn without numbers, which stand in their titles.
MANY = 13


def named_map(
    values: FloatArray, names: Sequence[str], text: Callable[[float], str], *, reach: float, label: str
) -> Markup:
    """Return ``values`` [p, p] with a name for each row; ``text`` writes a cell, ``reach`` is the darkest value.

    Positive cells are blue, negative ones red.
    """
    many = len(names) >= MANY
    numbers = [tag("th", str(place + 1), scope="col") for place in range(len(names))]
    rows = [
        tag(
            "tr",
            tag("th", f"{short(name, NAME_LENGTH)} {place + 1}", scope="row", title=name),
            [_cell(value, f"{name} and {names[other]}", text, reach, many) for other, value in enumerate(line)],
        )
        for place, (name, line) in enumerate(zip(names, values.tolist(), strict=True))
    ]
    head = tag("tr", tag("th", "", scope="col"), numbers)
    grid = tag("table", tag("thead", head), tag("tbody", rows), class_=f"pair-map{' many' * many}")
    # A region that scrolls is reached by keyboard too.
    return tag("div", grid, class_="scroll", role="region", aria_label=label, tabindex=0)


def _cell(value: float, pair: str, text: Callable[[float], str], reach: float, many: bool) -> Markup:
    return tag(
        "td",
        "" if many else text(value),
        class_="together" if value >= 0 else "apart",
        style=f"--strength: {round(DARKEST * min(abs(value) / reach, 1.0))}%",
        title=f"{pair}: {text(value)}",
    )
