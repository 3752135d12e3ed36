"""What pairs of columns add to scores beyond their curves, as small heat maps."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray
from tacit.models.additive.levels import ColumnLevels
from tacit.models.additive.model import AdditiveCurves
from tacit.models.additive.pairs import PairCurve
from tacit.pages.charts import short
from tacit.pages.markup import Markup, joined, tag

# Pairs that a page shows, those that count most first.
MOST_MAPS = 6
# Letters of a cell's name.
NAME_LENGTH = 12
# Values of fewer standard deviations of their noise are written in grey.
CLEAR = 2.0


def pair_maps(curves: AdditiveCurves, names: Sequence[str]) -> Markup:
    """Return a heat map for each of the strongest pairs; ``names`` says what each of the K scores speaks for."""
    pairs = sorted(curves.pairs, key=lambda pair: -pair.energy)[:MOST_MAPS]
    reach = max([0.25, *(float(np.abs(pair.values).max()) for pair in pairs)])
    return tag("div", [_map(pair, curves.levels, names, reach) for pair in pairs], class_="gallery")


def cell_names(levels: ColumnLevels, cells: NDArray[np.intp]) -> list[str]:
    """Return a name for each cell of a column: its category or "others", or where a number's interval ends."""
    n_cells = int(cells.max()) + 1
    members = [np.flatnonzero(cells == cell) for cell in range(n_cells)]
    if not levels.is_number:
        return [levels.categories[each[0]] if len(each) == 1 else "others" for each in members]
    ends = np.concatenate([[levels.low], levels.edges, [levels.high]])
    missing, named = levels.size - 1, []
    for each in members:
        inside = each[each != missing]
        if not len(inside):
            named.append("missing")
        elif inside[0] == 0:
            named.append(f"≤ {ends[inside[-1] + 1]:.4g}")
        else:
            named.append(f"> {ends[inside[0]]:.4g}")
    return named


def _map(table: PairCurve, levels: Sequence[ColumnLevels], names: Sequence[str], reach: float) -> Markup:
    """Return one pair as a table of signed values: of several scores the one that the pair moves most."""
    score = int(np.argmax(table.shares @ table.values**2))
    first, second = (levels[place] for place in table.pair.columns)
    down, across = (cell_names(level, cells) for level, cells in zip((first, second), table.pair.cells, strict=True))
    values, deviations = (part[:, score].reshape(table.pair.shape) for part in (table.values, table.deviations))
    head = tag("tr", tag("th", ""), [_name(name) for name in across])
    rows = [
        tag("tr", _name(name), _cells(line, off, reach))
        for name, line, off in zip(down, values, deviations, strict=True)
    ]
    title = tag("p", f"{short(first.name)} (down) and {short(second.name)} (across)", class_="dot-name left")
    words = tag("p", names[score], class_="small") if len(names) > 1 else None
    grid = tag("table", tag("thead", head), tag("tbody", rows), class_="pair-map")
    return tag("div", joined(title, words, tag("div", grid, class_="scroll")))


def _name(name: str) -> Markup:
    return tag("th", short(name, NAME_LENGTH), title=name)


def _cells(values: FloatArray, deviations: FloatArray, reach: float) -> list[Markup]:
    cells = []
    for value, off in zip(values, deviations, strict=True):
        side = "together" if value >= 0 else "apart"
        strength = f"--strength: {round(70 * min(abs(value) / reach, 1.0))}%"
        clear = "" if abs(value) >= CLEAR * off else " unclear"
        cells.append(
            tag("td", _signed(float(value)), class_=side + clear, style=strength, title=f"± {CLEAR * off:.2f} of noise")
        )
    return cells


def _signed(value: float) -> str:
    """Return a value in few letters: ``+.39``, ``−1.20``, ``0``."""
    if abs(value) < 0.005:
        return "0"
    return f"{value:+.2f}".replace("-", "−").replace("+0", "+").replace("−0", "−")
