"""Numbers that a category fixes, as a destination its distance: found in tables of pairs, counted level by level."""

import math
from collections.abc import Sequence

import numpy as np

from tacit.arrays import FloatArray, IntArray
from tacit.models.marginals.counting import ColumnPair, TableCounts
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.levels import Levels
from tacit.models.marginals.planning import Stages, link_followers, link_leaders
from tacit.models.marginals.tables import CoarseCounts, PairTable
from tacit.privacy.account import Account
from tacit.records import record

# A category fixes a number if knowing it leaves at most half of the errors in guessing the number's coarse cell.
LEAST_LAMBDA = 0.5
# Counts of pairs below so many deviations of their noise may be noise alone.
VISIBLE_DEVIATIONS = 2.5
# Levels of a number are joined until a table has at most so many counts.
MOST_COUNTS = 2**19


@record
class Link:
    """What a category says of a number: its combinations whose noisy counts cannot be noise alone."""

    columns: ColumnPair
    """The category, and the number."""
    cells: IntArray
    """[m, 3]: level of the category, first level of the number and the one past the last; in this order."""
    counts: FloatArray
    """[m]: noisy; all are visible."""
    sigma: float
    """Standard deviation of their noise."""


def chosen_links(
    layout: Layout, pairs: Sequence[PairTable], coarse: CoarseCounts, offsets: IntArray, sigma: float
) -> list[ColumnPair]:
    """Return category and number of each link, the clearest first, by released tables alone.

    ``sigma`` is the noise of a pair's count by class. A number has one category at most.
    """
    leaders, followers = set(link_leaders(layout)), set(link_followers(layout))
    margins = coarse.counts.sum(axis=0)
    found: dict[int, tuple[float, ColumnPair]] = {}
    for table in pairs:
        i, j = table.columns
        counts = table.counts.sum(axis=0)
        if i in followers and j in leaders:
            i, j, counts = j, i, counts.T
        if i not in leaders or j not in followers:
            continue
        first, second = (margins[offsets[k] : offsets[k + 1]] for k in (i, j))
        clear = guessing_gain(counts, first, second, sigma * math.sqrt(len(coarse.class_counts)))
        if clear >= max(LEAST_LAMBDA, found.get(j, (0.0,))[0]):
            found[j] = clear, (i, j)
    return [pair for _, pair in sorted(found.values(), reverse=True)]


def guessing_gain(counts: FloatArray, first: FloatArray, second: FloatArray, sigma: float) -> float:
    """Return the part of the errors in guessing the second cell that knowing the first one spares [goodman].

    (sum over a of max_b n_ab - max_b n_b) / (n - max_b n_b), of counts [a, b] and their margins; counts that may be
    noise are taken for 0.
    """
    most = counts.max(axis=1)
    known = np.minimum(np.where(most > VISIBLE_DEVIATIONS * sigma, most, 0.0), first).sum()
    largest = float(second.max())
    return float((known - largest) / max(float(second.sum()) - largest, 1.0))


def released_links(
    columns: Sequence[ColumnPair], counts: TableCounts, layout: Layout, stages: Stages, account: Account
) -> tuple[Link, ...]:
    """Return what the account releases of the chosen links, each asked so often that all planned tables are used.

    One row adds 1 to one count of each table, so that the planned number of tables, equal ones among them, moves by
    its root in 2-norm.
    """
    chosen = columns[: stages.n_links]
    if stages.links is None or not chosen:
        return ()
    cells = [level_cells(column, layout) for column in layout.columns]
    exact = counts.pairs(cells, chosen, by_class=False)
    asked = [place % len(chosen) for place in range(stages.n_links)]
    values = np.concatenate([exact[place].ravel() for place in asked]).astype(np.float64)
    noisy = account.release(stages.links.mechanism, values)
    answers = np.split(noisy, np.cumsum([exact[place].size for place in asked])[:-1])
    sigma = float(getattr(stages.links.mechanism, "sigma", 0.0))
    links = []
    for place, pair in enumerate(chosen):
        own = [answer for number, answer in zip(asked, answers, strict=True) if number == place]
        mean = np.mean(own, axis=0).reshape(exact[place].shape[1:])
        links.append(visible_link(pair, mean, cells[pair[1]], sigma / math.sqrt(len(own))))
    return tuple(links)


def level_cells(column: Levels, layout: Layout) -> IntArray:
    """Return the cell of each level in tables of links: levels of numbers are joined where they are too many."""
    if not column.ordered:
        return np.arange(column.size, dtype=np.int64)
    most = max((layout.columns[j].size for j in link_leaders(layout)), default=1)
    width = math.ceil(column.size * most / MOST_COUNTS)
    cells = np.arange(column.count, dtype=np.int64) // width
    # A missing cell is no neighbour of the largest numbers.
    return np.append(cells, cells[-1] + 1) if column.missing else cells


def visible_link(pair: ColumnPair, counts: FloatArray, cells: IntArray, sigma: float) -> Link:
    """Return the combinations of noisy counts [a, b] that lie above what the largest of so many noises may reach.

    That is sqrt(2 log(a b)) deviations: less than one of a b normal variables lies above, on average.
    """
    visible = np.argwhere(counts > sigma * math.sqrt(2 * math.log(max(counts.size, 2))))
    starts = np.searchsorted(cells, np.arange(counts.shape[1] + 1))
    ranges = np.column_stack([visible[:, 0], starts[visible[:, 1]], starts[visible[:, 1] + 1]])
    return Link(pair, ranges.astype(np.int64), counts[visible[:, 0], visible[:, 1]], sigma)
