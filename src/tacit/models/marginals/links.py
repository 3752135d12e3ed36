"""Numbers that hang on a category, as a distance on a destination: found in tables of pairs, counted by level."""

import math
from collections.abc import Sequence

import numpy as np

from tacit.arrays import FloatArray, IntArray
from tacit.models.marginals.counting import ColumnPair, TableCounts
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.levels import Levels
from tacit.models.marginals.planning import Stages, link_followers, link_leaders
from tacit.models.marginals.tables import CoarseCounts, ColumnTable, PairTable
from tacit.privacy.account import Account
from tacit.records import record

# A number is counted by a category in a small table if so many rows would have to change their cell for the two to be
# independent, in a large one if the category leaves at most half of the errors in guessing the number's coarse cell.
LEAST_DEPENDENCE, LEAST_GAIN = 0.1, 0.5
# Counts of pairs below so many deviations of their noise may be noise alone.
VISIBLE_DEVIATIONS = 2.5
# Levels of a number are joined until a table has at most so many counts.
MOST_COUNTS = 2**19
# Tables of at most so many counts keep all of them, drawn towards what coarse cells say; larger ones the visible ones.
MOST_KEPT = 8192


@record
class ColumnLink:
    """What a category says of a number: counts of their combinations, all or those that cannot be noise alone."""

    columns: ColumnPair
    """The category, and the number."""
    cells: IntArray
    """[m, 3]: level of the category, first level of the number and the one past the last; in this order."""
    counts: FloatArray
    """[m]: above 0."""
    sigma: float
    """Standard deviation of the noise that was added."""
    complete: bool
    """Whether all combinations are here; else those whose counts cannot be noise alone."""


@record
class NoisyLink:
    """The released table of a link."""

    columns: ColumnPair
    counts: FloatArray
    """[a, b]: by level of the category and cell of the number."""
    cells: IntArray
    """The cell of each level of the number."""
    sigma: float


def chosen_links(
    layout: Layout, pairs: Sequence[PairTable], coarse: CoarseCounts, offsets: IntArray, sigma: float
) -> list[ColumnPair]:
    """Return category and number of each link, the strongest first, by released tables alone.

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
        small = layout.columns[i].size * layout.columns[j].size <= MOST_KEPT
        noise = sigma * math.sqrt(len(coarse.class_counts))
        strength = (dependence if small else guessing_gain)(counts, first, second, noise)
        if strength >= max(LEAST_DEPENDENCE if small else LEAST_GAIN, found.get(j, (0.0,))[0]):
            found[j] = strength, (i, j)
    return [pair for _, pair in sorted(found.values(), reverse=True)]


def dependence(counts: FloatArray, first: FloatArray, second: FloatArray, sigma: float) -> float:
    """Return the total variation distance of counts [a, b] from independent columns with these margins, less noise.

    Noise of standard deviation sigma adds sqrt(2/pi) sigma to each term of the sum of |count - expected|, on average.
    """
    total = max(float(first.sum()), 1.0)
    excess = (
        float(np.abs(counts - np.outer(first, second) / total).sum()) - math.sqrt(2 / math.pi) * sigma * counts.size
    )
    return max(excess, 0.0) / (2 * total)


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
    chosen: Sequence[ColumnPair],
    counts: TableCounts,
    layout: Layout,
    stages: Stages,
    account: Account,
) -> list[NoisyLink]:
    """Return what the account releases of the ``chosen`` links, each asked so often that all planned tables are used.

    One row adds 1 to one count of each table, so that the planned number of tables, equal ones among them, moves by
    its root in 2-norm.
    """
    chosen = chosen[: stages.n_links]
    if stages.links is None or not chosen:
        return []
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
        links.append(NoisyLink(pair, mean, cells[pair[1]], sigma / math.sqrt(len(own))))
    return links


def clean_link(noisy: NoisyLink, table: ColumnTable) -> ColumnLink:
    """Return what is believed of a noisy link; ``table`` is that of the number's fine cells."""
    return complete_link(noisy, table) if noisy.counts.size <= MOST_KEPT else visible_link(noisy)


def level_cells(column: Levels, layout: Layout) -> IntArray:
    """Return the cell of each level in tables of links: levels of numbers are joined where they are too many."""
    if not column.ordered:
        return np.arange(column.size, dtype=np.int64)
    most = max((layout.columns[j].size for j in link_leaders(layout)), default=1)
    width = math.ceil(column.size * most / MOST_COUNTS)
    cells = np.arange(column.count, dtype=np.int64) // width
    # A missing cell is no neighbour of the largest numbers.
    return np.append(cells, cells[-1] + 1) if column.missing else cells


def visible_link(noisy: NoisyLink) -> ColumnLink:
    """Return the combinations whose noisy counts [a, b] lie above what the largest of so many noises may reach.

    That is sqrt(2 log(a b)) deviations: less than one of a b normal variables lies above, on average.
    """
    visible = noisy.counts > noisy.sigma * math.sqrt(2 * math.log(max(noisy.counts.size, 2)))
    return _link(noisy, np.where(visible, noisy.counts, 0.0), complete=False)


def complete_link(noisy: NoisyLink, table: ColumnTable) -> ColumnLink:
    """Return all combinations, their counts inside coarse cells drawn towards the number's own shares there.

    A category's counts are drawn by the share of their squared distance from these that noise explains [stein].
    """
    counts = noisy.counts
    starts = np.searchsorted(noisy.cells, np.arange(counts.shape[1] + 1))
    own = level_shares(table, starts)
    groups = table.groups[np.searchsorted(table.ranges[:, 0], starts[:-1], side="right") - 1]
    members = np.eye(table.n_groups)[groups]  # [b, g]
    own /= np.maximum(members @ (own @ members), 1e-12)
    expected = np.maximum(counts @ members, 0.0) @ members.T * own
    squares = ((counts - expected) ** 2).sum(axis=1)
    free = len(own) - table.n_groups
    kept = np.maximum(0.0, 1 - free * noisy.sigma**2 / np.maximum(squares, 1e-12))
    drawn = np.maximum(expected + kept[:, None] * (counts - expected), 0.0)
    return _link(noisy, drawn, complete=True)


def level_shares(table: ColumnTable, starts: IntArray) -> FloatArray:
    """Return the rows of a number between neighbouring starts, those of a fine cell spread evenly over its levels."""
    edges = np.append(table.ranges[:, 0], table.ranges[-1, 1])
    below = np.concatenate([[0.0], np.cumsum(table.projected().sum(axis=0))])
    rows: FloatArray = np.diff(np.interp(starts, edges, below))
    return rows


def _link(noisy: NoisyLink, counts: FloatArray, *, complete: bool) -> ColumnLink:
    """Return the combinations of counts [a, b] above 0."""
    starts = np.searchsorted(noisy.cells, np.arange(counts.shape[1] + 1))
    first, second = np.nonzero(counts)
    ranges = np.column_stack([first, starts[second], starts[second + 1]]).astype(np.int64)
    return ColumnLink(noisy.columns, ranges, counts[first, second], noisy.sigma, complete)
